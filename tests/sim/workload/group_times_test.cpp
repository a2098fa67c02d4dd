#include "sim/workload/group_times.hpp"

#include <gmock/gmock.h>

#include "core/schedule_builder.hpp"
#include "sim/cluster.hpp"
#include "sim/shapes.hpp"

namespace ringside::sim {
namespace {

using testing::HasSubstr;

Topology shape(ShapeKind kind, std::uint32_t ranks, Bandwidth bandwidth = 20_GBps,
               Duration latency = 5_us) {
  return *make_shape({.kind = kind, .ranks = ranks, .bandwidth = bandwidth, .latency = latency});
}

Topology h100(std::uint32_t nodes) {
  return *make_cluster(*load_system("dgx-h100"), {.nodes = nodes});
}

GroupTime time_of(GroupTimes& times, CollectiveKind kind, const Groups& groups, Bytes bytes) {
  const auto time = times.collective(kind, groups, bytes);
  EXPECT_TRUE(time) << (time ? "" : time.error().message);
  return time ? *time : GroupTime{};
}

TEST(Groups, TensorInnermostThenReplicas) {
  const Groups tensor{.size = 2, .stride = 1, .extent = 8};
  EXPECT_EQ(tensor.rank(0, 1), Rank{1});
  EXPECT_EQ(tensor.rank(3, 0), Rank{6});
  const Groups replicas{.size = 4, .stride = 2, .extent = 8};
  EXPECT_EQ(replicas.rank(0, 3), Rank{6});
  EXPECT_EQ(replicas.rank(1, 0), Rank{1});
  const Groups of_experts{.size = 2, .stride = 2, .extent = 8, .first = 8};
  EXPECT_EQ(of_experts.rank(0, 1), Rank{10});
  EXPECT_EQ(of_experts.rank(2, 0), Rank{12});
  EXPECT_EQ(of_experts.rank(3, 1), Rank{15});
}

TEST(Groups, EveryRankIsInOneGroup) {
  for (const Groups groups : {Groups{4, 2, 16, 8}, Groups{2, 4, 16, 0}, Groups{3, 5, 30, 1}}) {
    std::vector<int> seen(groups.first + groups.extent);
    for (std::uint32_t g = 0; g < groups.count(); ++g)
      for (std::uint32_t m = 0; m < groups.size; ++m) ++seen.at(groups.rank(g, m).value);
    for (std::uint32_t r = 0; r < seen.size(); ++r) EXPECT_EQ(seen[r], r >= groups.first) << r;
  }
}

// One group of all is the collective itself: the same time as its own schedule, simulated.
TEST(GroupTimes, OneGroupOfAllIsTheCollective) {
  const auto t = h100(2);
  for (const auto kind : {CollectiveKind::all_reduce, CollectiveKind::reduce_scatter,
                          CollectiveKind::all_gather, CollectiveKind::all_to_all})
    for (const auto* algorithm : {"ring", "direct"}) {
      const auto found = find_algorithm(kind, algorithm);
      if (!found) continue;
      const CollectiveSpec spec{.kind = kind, .ranks = 16, .in_place = may_be_in_place(kind)};
      const auto schedule = *build_schedule(*make_plan(**found, spec, {}));
      const Payload payload{count_for(spec, 16_MiB, ElementType::uint8), ElementType::uint8};
      auto times = *GroupTimes::make(t, algorithm);
      EXPECT_EQ(time_of(times, kind, {.size = 16, .extent = 16}, 16_MiB).time,
                simulate(schedule, payload, t, NetworkModel::stream)->time)
          << name(kind) << " " << algorithm;
    }
}

TEST(GroupTimes, RingOnARingInClosedForm) {
  const auto t = shape(ShapeKind::ring, 8);
  auto times = *GroupTimes::make(t, "ring");
  const auto all = time_of(times, CollectiveKind::all_reduce, {.size = 8, .extent = 8}, 8_MiB);
  EXPECT_EQ(all.time, 14 * (5_us + wire_time(1_MiB, 20_GBps)));
  EXPECT_EQ(all.sent, 14 * 1_MiB);
  EXPECT_EQ(all.algorithm, "ring");
}

// Each GPU of a DGX has a NIC of its own: eight groups across nodes cost what one costs.
TEST(GroupTimes, SiblingsDoNotDisturbEachOtherWhereEachHasItsWires) {
  const auto t = h100(4);
  Topology rail = t;
  rail.ranks = {t.ranks[0], t.ranks[8], t.ranks[16], t.ranks[24]};
  auto eight = *GroupTimes::make(t, "ring"), one = *GroupTimes::make(rail, "ring");
  const auto all = CollectiveKind::all_reduce;
  EXPECT_EQ(time_of(eight, all, {.size = 4, .stride = 8, .extent = 32}, 64_MiB).time,
            time_of(one, all, {.size = 4, .extent = 4}, 64_MiB).time);
}

// Four groups whose rings leave each leaf by one wire of a single GPU's bandwidth.
TEST(GroupTimes, SiblingsContendWhereTheyShareAWire) {
  const auto t = *make_shape({.kind = ShapeKind::fattree,
                              .ranks = 16,
                              .bandwidth = 20_GBps,
                              .latency = 1_us,
                              .oversubscription = 4});
  auto times = *GroupTimes::make(t, "ring");
  const auto four =
      time_of(times, CollectiveKind::all_reduce, {.size = 4, .stride = 4, .extent = 16}, 64_MiB);
  const auto all_messages = 4 * 6 * wire_time(16_MiB, 20_GBps);
  EXPECT_GT(four.time, all_messages);
  EXPECT_LT(four.time.seconds(), 1.01 * all_messages.seconds());
  EXPECT_GT(four.busy.of_kind[static_cast<std::size_t>(LinkKind::generic)],
            0.99 * WireShares::whole);
}

TEST(GroupTimes, TwoLevelsSendLittleOverTheNetwork) {
  const auto t = h100(16);
  auto times = *GroupTimes::make(t);
  const auto best = time_of(times, CollectiveKind::all_reduce, {.size = 128, .extent = 128}, 1_GiB);
  EXPECT_THAT(best.algorithm, HasSubstr("hierarchical: "));
  auto ring = *GroupTimes::make(t, "ring");
  EXPECT_LT(best.time,
            time_of(ring, CollectiveKind::all_reduce, {.size = 128, .extent = 128}, 1_GiB).time);
  // At least what each NIC must carry, 2(k-1)/k S/g, and what each GPU must send inside.
  EXPECT_GT(best.time, wire_time(2 * 15 * 8_MiB, 48_GBps));
}

TEST(GroupTimes, AnAlgorithmThatACollectiveLacksMeansItsBest) {
  const auto t = h100(1);
  auto ring = *GroupTimes::make(t, "halving_doubling"), best = *GroupTimes::make(t);
  const Groups all{.size = 8, .extent = 8};
  EXPECT_EQ(time_of(ring, CollectiveKind::all_gather, all, 1_MiB).time,
            time_of(best, CollectiveKind::all_gather, all, 1_MiB).time);
  EXPECT_EQ(time_of(ring, CollectiveKind::all_reduce, all, 1_MiB).algorithm, "halving_doubling");
  const auto wrong = GroupTimes::make(t, "rign");
  ASSERT_FALSE(wrong);
  EXPECT_THAT(wrong.error().message, HasSubstr("ring"));
}

TEST(GroupTimes, NobodyToTalkToCostsNothing) {
  const auto t = h100(1);
  auto times = *GroupTimes::make(t);
  EXPECT_EQ(time_of(times, CollectiveKind::all_reduce, {.size = 1, .extent = 8}, 1_GiB).time,
            Duration{});
  EXPECT_EQ(time_of(times, CollectiveKind::all_reduce, {.size = 8, .extent = 8}, 0_B).time,
            Duration{});
  const auto many = times.collective(CollectiveKind::all_reduce, {.size = 16, .extent = 16}, 1_MiB);
  ASSERT_FALSE(many);
  EXPECT_THAT(many.error().message, HasSubstr("has 8 GPUs, but 16 take part"));
}

TEST(GroupTimes, StagesSendEitherWay) {
  const auto t = h100(2);
  auto times = *GroupTimes::make(t);
  const auto there = times.send({.first = 0, .count = 8, .distance = 8}, 48_MiB);
  const auto back = times.send({.first = 8, .count = 8, .distance = -8}, 48_MiB);
  ASSERT_TRUE(there && back);
  EXPECT_EQ(there->time, back->time);
  EXPECT_EQ(there->sent, 48_MiB);
  EXPECT_GT(there->time, wire_time(48_MiB, 48_GBps));
}

}  // namespace
}  // namespace ringside::sim
