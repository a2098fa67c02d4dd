#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "core/algorithm.hpp"

// For tests that take each algorithm in turn.

namespace ringside {

/// Those of which `condition` holds.
template <typename Condition>
std::vector<const Algorithm*> algorithms_with(Condition condition) {
  std::vector<const Algorithm*> all;
  for (const Algorithm& algorithm : all_algorithms())
    if (condition(algorithm)) all.push_back(&algorithm);
  return all;
}
inline std::vector<const Algorithm*> every_algorithm() {
  return algorithms_with([](const Algorithm&) { return true; });
}
inline std::vector<const Algorithm*> algorithms_with_orbits() {
  return algorithms_with([](const Algorithm& a) { return a.symmetry != nullptr; });
}

/// `all_reduce_ring`
inline std::string test_name(const testing::TestParamInfo<const Algorithm*>& tested) {
  return std::string(name(tested.param->collective)) + "_" + std::string(tested.param->name);
}

}  // namespace ringside
