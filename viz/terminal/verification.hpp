#pragma once

#include <cstdint>
#include <vector>

#include "core/algorithm.hpp"
#include "core/backend.hpp"
#include "viz/terminal/output.hpp"
#include "viz/terminal/trials.hpp"

namespace ringside::terminal {

/// What is to be shown right.
struct Verification {
  std::vector<const Algorithm*> algorithms;
  std::uint32_t first_ranks = 1, last_ranks = 16;
  Trying trying{};  ///< on real data; proofs are always complete
};

/// Proves every schedule that matters; with a backend, runs them on real data there instead. Writes
/// a line an algorithm, or a row each. Returns the exit status: 1 if anything is wrong.
Result<int> verify_all(const Verification& what, Backend* backend, const OutputOptions& output);

}  // namespace ringside::terminal
