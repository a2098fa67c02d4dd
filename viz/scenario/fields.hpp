#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "core/mutation.hpp"
#include "viz/scenario/scenario.hpp"

namespace ringside::scenario {

/// What set_field() and field() know, in the order of share strings.
std::span<const std::string_view> field_names();

/// A mistake made on purpose: which, and in which place (core/mutation.hpp).
struct Mistake {
  Mutation kind{};
  std::uint64_t seed = 0;
};
/// `wrong_neighbour` or `wrong_neighbour:3`.
Result<Mistake> parse_mistake(std::string_view text);

}  // namespace ringside::scenario
