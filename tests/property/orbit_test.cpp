// Every story that is said to repeat itself from group to group of ranks does so, transfer by
// transfer, in order; and told for one group only, it is what that group sends in the whole story.

#include "core/orbit.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <map>
#include <tuple>
#include <vector>

#include "core/variants.hpp"
#include "tests/property/each_algorithm.hpp"

namespace ringside {
namespace {

using Told = std::tuple<std::uint32_t, Slot, Slot, Slot, std::uint32_t, Action, std::uint32_t>;

/// All that is told, or what the first `heard` ranks send of it.
class Record final : public TransferSink {
 public:
  explicit Record(std::uint32_t heard) : TransferSink(heard), heard_(heard) {}
  std::vector<Transfer> transfers;
  std::vector<std::uint32_t> steps;

 private:
  void consume(std::span<const Transfer> block, Step step) override {
    for (const Transfer& t : block) {
      if (t.src().rank.value >= heard_) continue;
      transfers.push_back(t);
      steps.push_back(step.value);
    }
  }
  std::uint32_t heard_;
};

Record told(const Plan& plan, std::uint32_t heard = UINT32_MAX) {
  Record record(heard);
  plan.algorithm->tell(plan.spec, plan.options, record);
  record.finish();
  return record;
}

/// What each group sends, as group 0 would.
std::map<std::uint32_t, std::vector<Told>> by_group(const Record& record, const Orbit& orbit) {
  std::map<std::uint32_t, std::vector<Told>> groups;
  for (std::size_t i = 0; i < record.transfers.size(); ++i) {
    const Transfer& t = record.transfers[i];
    const auto group = t.src().rank.value / orbit.ranks;
    const auto back = [&](Slot slot) {
      const auto turned = orbit.turned_back(slot, t.chunks(), group);
      EXPECT_TRUE(turned) << to_string(slot) << " and " << t.chunks() - 1 << " after it";
      return turned.value_or(slot);
    };
    groups[group].emplace_back(record.steps[i], back(t.src()), back(t.with()), back(t.dst()),
                               t.chunks(), t.action(), t.channel().value);
  }
  const auto source = [](const Told& t) { return std::get<1>(t).rank; };
  for (auto& [group, does] : groups)
    if (!orbit.in_order)
      std::stable_sort(does.begin(), does.end(),
                       [&](const Told& a, const Told& b) { return source(a) < source(b); });
  return groups;
}

/// In each step, the first transfer of each rank comes before the second of any.
void expect_rounds(const Record& record) {
  std::map<std::uint32_t, std::uint32_t> told;  // of the step, by rank
  std::uint32_t latest = 0;
  for (std::size_t i = 0; i < record.transfers.size(); ++i) {
    if (i > 0 && record.steps[i] != record.steps[i - 1]) told.clear(), latest = 0;
    const auto round = told[record.transfers[i].src().rank.value]++;
    ASSERT_GE(round, latest);
    latest = round;
  }
}

class Orbits : public testing::TestWithParam<const Algorithm*> {};

TEST_P(Orbits, GroupsDoAlike) {
  const Algorithm& algorithm = *GetParam();
  std::size_t checked = 0;
  for (const std::uint32_t n : {2u, 3u, 4u, 6u, 8u, 12u, 15u, 16u, 24u})
    for (const auto& spec : specs_that_matter(algorithm.collective, n))
      for (const Plan& plan : plans_that_matter(algorithm, spec)) {
        const Orbit finest = algorithm.symmetry(plan.spec, plan.options);
        const bool is_butterfly = finest.ranks == 0 && !std::has_single_bit(n);
        if (is_butterfly) continue;
        ASSERT_EQ(finest.ranks * finest.groups, n);
        const auto all = told(plan);
        if (finest.in_rounds) expect_rounds(all);
        for (std::uint32_t times = 1; times < finest.groups; ++times) {
          if (finest.groups % times != 0) continue;
          const Orbit orbit = finest.coarser(times);
          SCOPED_TRACE(testing::Message() << n << " ranks in groups of " << orbit.ranks << ", "
                                          << plan.options.chunks << " chunks");
          const auto groups = by_group(all, orbit);
          ASSERT_EQ(groups.size(), orbit.groups);
          for (const auto& [group, does] : groups)
            ASSERT_EQ(does, groups.at(0)) << "group " << group;
          const auto of_one = by_group(told(plan, orbit.ranks), orbit);
          ASSERT_EQ(of_one.at(0), groups.at(0)) << "told for one group";
          ++checked;
        }
      }
  EXPECT_GT(checked, 8u);
}

TEST_P(Orbits, OneGroupIsToldInItsOwnTime) {
  const Algorithm& algorithm = *GetParam();
  const auto plan = make_plan(algorithm, {algorithm.collective, 64}, {.ranks_per_node = 8});
  ASSERT_TRUE(plan);
  const Orbit orbit = algorithm.symmetry(plan->spec, plan->options);
  class Count final : public TransferSink {
   public:
    explicit Count(std::uint32_t heard) : TransferSink(heard) {}
    std::size_t transfers = 0;

   private:
    void consume(std::span<const Transfer> block, Step) override { transfers += block.size(); }
  };
  Count one(orbit.ranks), all(UINT32_MAX);
  for (Count* count : {&one, &all}) {
    algorithm.tell(plan->spec, plan->options, *count);
    count->finish();
  }
  EXPECT_EQ(one.transfers * orbit.groups, all.transfers);
}

INSTANTIATE_TEST_SUITE_P(Algorithms, Orbits, testing::ValuesIn(algorithms_with_orbits()),
                         test_name);

}  // namespace
}  // namespace ringside
