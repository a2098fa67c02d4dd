#include <gtest/gtest.h>

#include "core/engine.hpp"

namespace ringside {
namespace {

TEST(Ring, ToldAsNcclTellsIt) {
  const auto algorithm = find_algorithm(CollectiveKind::all_reduce, "ring");
  ASSERT_TRUE(algorithm);
  const auto plan = make_plan(**algorithm, {.ranks = 4}, {});
  ASSERT_TRUE(plan);
  const auto schedule = build_schedule(*plan);
  ASSERT_TRUE(schedule) << schedule.error().message;
  EXPECT_EQ(schedule->steps(), 6u);
  EXPECT_EQ(schedule->transfers().size(), 24u);
  EXPECT_EQ(schedule->transfers()[0].src(), input(0, 3));  // rank r sends chunk (r-1-s) mod N
}

}  // namespace
}  // namespace ringside
