#include <gmock/gmock.h>

#include "core/schedule_builder.hpp"
#include "sim/cluster.hpp"
#include "sim/workload/lanes.hpp"
#include "tests/sim/workload/simple.hpp"

// Two things on the same wires at once: what Lanes makes of their times alone, beside a simulation
// of both in one schedule (model flow, in which messages share wires fairly).

namespace ringside::sim {
namespace {

/// A story's transfers, by step, in chunks from `first` on, and on channels of its own: messages of
/// one connection would keep their order.
class Notes final : public TransferSink {
 public:
  Notes(const Story& story, std::uint32_t first) : first_(first) { story.tell(*this); }
  std::vector<std::vector<Transfer>> steps;

 private:
  void consume(std::span<const Transfer> block, Step step) override {
    if (steps.size() <= step.value) steps.resize(step.value + 1);
    const ChannelId channel{first_ > 0 ? 1u : 0u};
    const auto moved = [&](Slot slot) { return nth(slot, first_); };
    for (const Transfer& t : block)
      steps[step.value].push_back(
          t.action() == Action::copy
              ? Transfer::copy(moved(t.src()), moved(t.dst()), t.chunks(), channel)
              : Transfer::reduce(moved(t.src()), moved(t.with()), moved(t.dst()), t.chunks(),
                                 channel));
  }
  std::uint32_t first_;
};

struct Both {
  Duration first, second;
};

/// When each of two stories ends if both begin at once. All their chunks are equally long.
Both exactly(const Topology& machine, const Story& first, const Story& second, Bytes chunk) {
  const std::uint32_t chunks = first.chunks + second.chunks;
  const CollectiveSpec spec{.ranks = std::max(first.spec.ranks, second.spec.ranks),
                            .in_place = true};
  const Notes a(first, 0), b(second, first.chunks);
  ScheduleBuilder builder(spec, chunks);
  for (std::size_t s = 0; s < std::max(a.steps.size(), b.steps.size()); ++s) {
    for (const auto* notes : {&a, &b})
      if (s < notes->steps.size())
        for (const Transfer& t : notes->steps[s]) builder.add(t);
    builder.next_step();
  }
  builder.finish();
  const auto schedule = std::move(builder).build();
  EXPECT_TRUE(schedule) << (schedule ? "" : schedule.error().message);
  const auto run =
      simulate(*schedule, {chunks * chunk.count, ElementType::uint8}, machine, NetworkModel::flow);
  EXPECT_TRUE(run) << (run ? "" : run.error().message);
  Both ends{};
  for (std::uint32_t t = 0; t < schedule->transfers().size(); ++t) {
    auto& end =
        schedule->transfers()[t].dst().chunk.value < first.chunks ? ends.first : ends.second;
    end = std::max(end, run->spans[t].commit);
  }
  return ends;
}

std::vector<Claim> claims(const GroupTime& time) {
  std::vector<Claim> found;
  for (std::uint32_t k = 0; k < link_kind_count; ++k) found.push_back({k, time.busy.of_kind[k]});
  return found;
}

Both as_lanes_have_it(const GroupTime& first, const GroupTime& second) {
  Lanes lanes(2, link_kind_count);
  lanes.add({.lane = 0, .work = first.time, .load = lanes.add_load(claims(first))});
  lanes.add({.lane = 1, .work = second.time, .load = lanes.add_load(claims(second))});
  const auto when = lanes.run();
  return {when[0].end, when[1].end};
}

Story ring(const Groups& groups) {
  const CollectiveSpec spec{.ranks = groups.size, .in_place = true};
  const auto* ring = *find_algorithm(CollectiveKind::all_reduce, "ring");
  return siblings(*make_plan(*ring, spec, {}), groups);
}

void expect_close(const Both& fluid, const Both& exact, double most) {
  EXPECT_NEAR(fluid.first.seconds() / exact.first.seconds(), 1, most)
      << to_string(fluid.first) << " instead of " << to_string(exact.first);
  EXPECT_NEAR(fluid.second.seconds() / exact.second.seconds(), 1, most)
      << to_string(fluid.second) << " instead of " << to_string(exact.second);
}

// Gradients of four replicas under an all-reduce of two shards, all behind one switch.
TEST(Crowding, GradientsUnderATensorGroupsAllReduce) {
  const Groups tensor{.size = 2, .stride = 1, .extent = 8},
      data{.size = 4, .stride = 2, .extent = 8};
  const auto star =
      *make_shape({.kind = ShapeKind::star, .ranks = 8, .bandwidth = 20_GBps, .latency = 1_us});
  for (const Bytes chunk : {64_KiB, 1_MiB, 16_MiB}) {
    auto times = *GroupTimes::make(star, "ring");
    const auto first = *times.collective(CollectiveKind::all_reduce, tensor, 2 * chunk);
    const auto second = *times.collective(CollectiveKind::all_reduce, data, 4 * chunk);
    expect_close(as_lanes_have_it(first, second), exactly(star, ring(tensor), ring(data), chunk),
                 chunk == 64_KiB ? 0.25 : 0.15);  // half of it latency: there bursts meet
  }
}

// Activations on their way to the next node through the NICs that gradients use, too.
TEST(Crowding, ActivationsUnderGradients) {
  const auto machine = *make_cluster(*load_system("dgx-h100"), {.nodes = 2});
  const Groups data{.size = 2, .stride = 8, .extent = 16};
  const Shift shift{.first = 0, .count = 8, .distance = 8};
  for (const Bytes chunk : {1_MiB, 16_MiB}) {
    auto times = *GroupTimes::make(machine, "ring");
    const auto first = *times.send(shift, chunk);
    const auto second = *times.collective(CollectiveKind::all_reduce, data, 2 * chunk);
    expect_close(as_lanes_have_it(first, second),
                 exactly(machine, all_send(shift), ring(data), chunk), 0.15);
  }
}

// What meets on no wire, takes what it takes alone: NVLink inside, NICs across.
TEST(Crowding, DifferentWiresDisturbNobody) {
  const auto machine = *make_cluster(*load_system("dgx-h100"), {.nodes = 2});
  const Groups tensor{.size = 8, .stride = 1, .extent = 16},
      data{.size = 2, .stride = 8, .extent = 16};
  auto times = *GroupTimes::make(machine, "ring");
  const auto first = *times.collective(CollectiveKind::all_reduce, tensor, 8_MiB);
  const auto second = *times.collective(CollectiveKind::all_reduce, data, 2_MiB);
  const auto fluid = as_lanes_have_it(first, second);
  EXPECT_EQ(fluid.first, first.time);
  EXPECT_EQ(fluid.second, second.time);
  const auto exact = exactly(machine, ring(tensor), ring(data), 1_MiB);
  EXPECT_EQ(exact.first, first.time);
  EXPECT_EQ(exact.second, second.time);
}

}  // namespace
}  // namespace ringside::sim
