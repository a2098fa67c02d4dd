#pragma once

#include <cstdint>

#include "core/backend.hpp"
#include "core/data.hpp"
#include "core/result.hpp"

namespace ringside {

// Where ranks are processes, none may go on alone: all learn what each found before they do. Every
// process calls the same function at the same point; with one process nothing is sent.

/// Done if every process is; else the first one's error, the same everywhere.
Result<void> agree(Backend& backend, const Result<void>& mine);

/// The same before a run: all processes must be about to do the same work in the same way.
Result<void> agree_on(Backend& backend, const Work& work, const RunOptions& options,
                      const Result<void>& mine);

/// What a process found in the ranks it owns.
struct Finding {
  Comparison comparison{};
  Measurement measurement{};
  std::uint64_t digest = 0;  ///< GuardedMemory::digest
};

/// All processes' findings as one, the same everywhere but for the trace, which stays the caller's:
/// elements add up, the slowest decides each iteration's time, and outputs that should be equal and
/// have different digests are counted as one more wrong element.
Result<Finding> agree(Backend& backend, const Result<Finding>& mine);

}  // namespace ringside
