// More than 2^31 elements, one algorithm a collective: nothing counts in 32 bits.

#include <gtest/gtest.h>

#include <set>

#include "core/engine.hpp"
#include "core/machine_memory.hpp"
#include "gpu/host/host_backend.hpp"

namespace ringside {
namespace {

constexpr std::uint64_t beyond = (std::uint64_t{1} << 31) + 6;  // even: two blocks

TEST(LargeFull, MoreThanTwoToTheThirtyOneElementsAreAllRight) {
  const auto available = available_memory();
  if (!available || *available < 10_GiB)
    GTEST_SKIP() << "two ranks of 2 GiB in and out need 10 GiB of free memory; here are "
                 << to_string(available.value_or(Bytes{}));
  const auto backend = make_host_backend();
  std::set<CollectiveKind> done;
  for (const Algorithm& algorithm : all_algorithms()) {
    if (algorithm.collective == CollectiveKind::barrier || done.count(algorithm.collective))
      continue;
    const auto plan = make_plan(algorithm, {.kind = algorithm.collective, .ranks = 2}, {});
    if (!plan || plan->options.agents > 0) continue;
    const auto schedule = build_proven(*plan);
    ASSERT_TRUE(schedule) << schedule.error().message;
    const auto count = is_blocked(algorithm.collective) ? beyond / 2 : beyond;
    const auto outcome = execute(*backend, {&*schedule, count, ElementType::uint8}, {});
    ASSERT_TRUE(outcome) << outcome.error().message;
    EXPECT_EQ(outcome->comparison.wrong, 0u)
        << name(algorithm.collective) << ": " << outcome->comparison.first;
    EXPECT_GT(outcome->comparison.checked, std::uint64_t{1} << 29);
    done.insert(algorithm.collective);
  }
  EXPECT_EQ(done.size(), collective_count - 1);
}

}  // namespace
}  // namespace ringside
