// Collectives of which only calls are known: the picture of them is proven, and keeps their times.

#include "core/seen_from_outside.hpp"

#include <gtest/gtest.h>

#include "core/collective.hpp"
#include "core/variants.hpp"
#include "core/verifier.hpp"

namespace ringside {
namespace {

TEST(SeenFromOutside, EveryCollectiveIsRight) {
  for (std::size_t k = 0; k < collective_count; ++k)
    for (const std::uint32_t ranks : {1u, 2u, 3u, 8u})
      for (const auto& spec : specs_that_matter(static_cast<CollectiveKind>(k), ranks)) {
        const auto schedule = seen_from_outside(spec);
        ASSERT_TRUE(schedule) << name(spec.kind) << ": " << schedule.error().message;
        const auto violations = verify(*schedule);
        EXPECT_TRUE(violations.empty()) << name(spec.kind) << " on " << ranks << ": "
                                        << to_string(violations.front(), *schedule);
      }
}

TEST(SeenFromOutside, EachRankIsBusyFromItsCallToItsEnd) {
  const auto schedule = *seen_from_outside({.kind = CollectiveKind::all_reduce, .ranks = 3});
  std::vector<Span> calls(3);
  for (std::uint32_t r = 0; r < 3; ++r) {
    calls[r].begin = r * 1_us;
    calls[r].commit = 10_us - r * 1_us;
  }
  const auto spans = spans_from_outside(schedule, calls);
  ASSERT_EQ(spans.size(), 6u);
  for (std::uint32_t r = 0; r < 3; ++r) {
    EXPECT_EQ(schedule[{r}].src().rank, Rank{r});
    EXPECT_EQ(spans[r].begin, r * 1_us);
    EXPECT_EQ(spans[r].commit, 2_us) << "no total before all have begun";
    EXPECT_EQ(schedule[{3 + r}].dst().rank, Rank{r});
    EXPECT_EQ(spans[3 + r].begin, 2_us);
    EXPECT_EQ(spans[3 + r].commit, 10_us - r * 1_us);
  }
}

}  // namespace
}  // namespace ringside
