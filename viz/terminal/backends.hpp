#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/backend.hpp"
#include "core/result.hpp"

namespace CLI {
class App;
}

namespace ringside::terminal {

/// What some backends can be told.
struct BackendOptions {
  std::string devices{};                ///< GPUs by number: `0,2,3`; empty: all
  std::string id_file{};                ///< nccl: where processes meet that no MPI joins
  std::uint32_t ctas = 0, threads = 0;  ///< of one kernel, for each rank; 0: its choice
  /// No wait for other processes lasts longer: --timeout, which the command reads.
  Duration timeout = RunOptions{}.timeout;

  /// --devices, --id-file, --ctas, --threads.
  void add_to(CLI::App& command);
  /// One sentence if the backend would take them, but that executor of it has no use for them.
  Result<void> check_for(const std::string& backend, const std::string& executor) const;
  bool are_given() const;
};

/// An executor that this build has.
struct BackendEntry {
  std::string_view name, summary;
  /// Null where it moves no data, so that nothing it did could be compared.
  Result<std::unique_ptr<Backend>> (*make)(const BackendOptions& options);
  /// What it takes of the machine; null: nothing that could be lacking. Errors (machine): what is
  /// lacking, in one sentence.
  Result<void> (*check)() = nullptr;
};

/// Those that this build has.
std::span<const BackendEntry> backends();

/// A backend that people will ask for, and why it cannot be used here: `list backends` lists these.
struct KnownBackend {
  std::string_view name, summary;
  bool moves_data = true;
  bool is_built = true;    ///< this build has it
  std::string lacks = {};  ///< one sentence; empty: it can be used here
};
/// Those that this build has, then those that other builds have. Asks the machine.
std::vector<KnownBackend> known_backends();

/// The backend of that name, to move real data. Errors: a name nobody knows (with a suggestion),
/// one that moves none, or one that Ringside knows and this build lacks (ErrorKind::machine).
Result<std::unique_ptr<Backend>> make_backend(const std::string& name,
                                              const BackendOptions& options = {});

/// What --timeout says. An error where it is so short that no wait could be held to it.
Result<Duration> parse_timeout(const std::string& text);

/// How many ranks: those asked for, if any (not 0); else those that the backend has, if it cannot
/// choose; else the usual number. An error where it has another number than was asked for.
Result<std::uint32_t> choose_ranks(const Backend& backend, std::uint32_t asked,
                                   std::uint32_t usual);

}  // namespace ringside::terminal
