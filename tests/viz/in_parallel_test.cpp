#include "viz/scenario/in_parallel.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <stdexcept>
#include <vector>

namespace ringside::scenario {
namespace {

TEST(InParallel, TakesEachPartOnce) {
  for (const std::size_t parts : {0u, 1u, 5u, 1000u})
    for (const unsigned threads : {0u, 1u, 2u, 7u}) {
      std::vector<std::atomic<int>> taken(parts);
      in_parallel(parts, threads, [&](std::size_t part) { ++taken[part]; });
      for (const auto& times : taken) EXPECT_EQ(times, 1);
    }
}

TEST(InParallel, WhatIsThrownIsThrownAgainAndEndsIt) {
  for (const unsigned threads : {1u, 7u}) {
    std::atomic<int> taken = 0;
    const auto take = [&](std::size_t) {
      ++taken;
      throw std::runtime_error("no");
    };
    EXPECT_THROW(in_parallel(1000, threads, take), std::runtime_error);
    EXPECT_LE(taken, static_cast<int>(threads));
  }
}

TEST(InParallel, RunsOverManyRanksAreOneAtATime) {
  EXPECT_EQ(threads_for(2048, 5), 5u);
  EXPECT_EQ(threads_for(2049, 5), 1u);
  EXPECT_GE(threads_for(8, 0), 1u);
}

}  // namespace
}  // namespace ringside::scenario
