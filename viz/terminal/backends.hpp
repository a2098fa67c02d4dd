#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "core/backend.hpp"
#include "core/result.hpp"

namespace ringside::terminal {

/// An executor that this build has.
struct BackendEntry {
  std::string_view name, summary;
  /// Null where it moves no data, so that nothing it did could be compared.
  Result<std::unique_ptr<Backend>> (*make)();
};

/// All of them: what `list backends` lists.
std::span<const BackendEntry> backends();

/// The backend of that name, to move real data. Errors: a name nobody knows (with a suggestion),
/// one that moves none, or one that Ringside knows and this build lacks (ErrorKind::machine).
Result<std::unique_ptr<Backend>> make_backend(const std::string& name);

/// How many ranks: those asked for, if any (not 0); else those that the backend has, if it cannot
/// choose; else the usual number. An error where it has another number than was asked for.
Result<std::uint32_t> choose_ranks(const Backend& backend, std::uint32_t asked,
                                   std::uint32_t usual);

}  // namespace ringside::terminal
