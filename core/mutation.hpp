#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "core/result.hpp"
#include "core/schedule.hpp"

namespace ringside {

/// The mistakes people make in collective algorithms. verify() finds every one that makes a
/// schedule wrong: tests prove it, and the window lets a class try it. Some are harmless: a wait
/// whose order others imply, a part of a sum that reaches the right rank by way of a wrong one, a
/// signal that a barrier hears twice.
enum class Mutation : std::uint8_t {
  drop_transfer,    ///< one transfer is never told
  wrong_neighbour,  ///< one transfer goes to the next rank instead
  doubled_add,      ///< what one reduce brings is added once more
  wrong_chunk,      ///< one transfer takes the next chunk instead
  copy_for_reduce,  ///< one reduce overwrites instead of adding
  drop_dependency,  ///< one wait is forgotten
};
inline constexpr std::size_t mutation_count = 6;

std::string_view name(Mutation mutation);  ///< `drop_transfer`, ...
Result<Mutation> parse_mutation(std::string_view text);

/// A schedule with one mistake in it.
struct Mutant {
  Schedule schedule;
  TransferId at;     ///< the transfer of the *original* that was changed
  std::string what;  ///< `transfer 3 (step 1) goes to rank 2 instead of rank 1`
};

/// In how many places of this schedule the mistake can be made.
std::size_t places(const Schedule& schedule, Mutation mutation);
/// Makes the mistake in place number `seed` modulo places(). Dependencies of the changed story are
/// derived anew, so only the mistake itself is wrong. An error where no place is fit (no reduce in
/// a broadcast, one chunk only) or the changed story cannot be a schedule at all.
Result<Mutant> mutate(const Schedule& schedule, Mutation mutation, std::uint64_t seed);

}  // namespace ringside
