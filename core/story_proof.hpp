#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/contributions.hpp"
#include "core/story.hpp"
#include "core/verifier.hpp"

namespace ringside {

/// What is wrong with a story, as Violation says it of a schedule.
struct StoryFault {
  ViolationKind kind;
  Slot slot;
  std::optional<StoryPosition> at;     ///< none: an output, at the end
  std::optional<Contribution> part{};  ///< missing, repeated: whose; none where it is more than one
};
std::string to_string(const StoryFault& fault);

/// What hearing a story once has shown.
struct StoryProof {
  std::vector<StoryFault> faults{};  ///< none: proven
  std::uint64_t transfers = 0;
  /// A wrong story would have passed with a probability below 2^-error_bits, over the numbers that
  /// the seed stands for.
  unsigned error_bits = 0;
};

/// Proves a story right without storing it, for more ranks than verify() can follow. It gives each
/// (rank, chunk) a random number below the prime p = 2^127 - 1 and tells the story on those
/// numbers, modulo p, by the rule of the step; at the end each promised slot must hold the sum of
/// what was promised. A slot that holds anything else passes with probability 2^-126: the
/// difference is a sum of independent random numbers with factors that are not all 0 modulo p
/// (R. Freivalds, "Probabilistic machines can use less running time", IFIP 1977), unless something
/// was added to itself more than 126 times over.
///
/// What transfers do wrong (uninitialised, outside) is found for certain but for 2^-127, and so is
/// what would be a race within a step: a transfer that overwrites an operand which it or a later
/// one still needs. The dependencies that a schedule of this story would have are not looked at;
/// ScheduleBuilder derives them from the same rule, and verify() proves them, up to 1,024 ranks.
///
/// 16 bytes an output or scratch slot. Errors: what check_transfer() says, too little memory, a
/// barrier (its signals may come twice, which no sum can tell).
Result<StoryProof> audit(const Story& story, std::uint64_t seed = 1, std::size_t limit = 16);

}  // namespace ringside
