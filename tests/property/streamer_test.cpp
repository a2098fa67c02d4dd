// A story heard as it is told takes, to the picosecond, the time of the same story stored and
// looked up: every algorithm, placement and number of chunks, on links of all sorts, with every
// disturbance; and stories that no algorithm would tell.

#include "sim/streamer.hpp"

#include <gtest/gtest.h>

#include <random>

#include "core/schedule_builder.hpp"
#include "core/variants.hpp"
#include "sim/models/listener.hpp"
#include "tests/property/each_algorithm.hpp"
#include "tests/sim/bench.hpp"

namespace ringside::sim {
namespace {

using Random = std::mt19937_64;

std::uint64_t below(Random& random, std::uint64_t n) {
  return random() % n;
}

/// Some shape that joins all of them, no two links of which need be alike.
Topology links_for(std::uint32_t participants, Random& random) {
  const ShapeKind kinds[] = {ShapeKind::ring, ShapeKind::star, ShapeKind::mesh, ShapeKind::torus};
  auto topology = shape(kinds[below(random, 4)], participants);
  if (below(random, 3) == 0) return topology;
  for (Link& link : topology.links) {
    if (below(random, 2) == 0) link.bandwidth.bytes_per_second /= 1 + below(random, 9);
    if (below(random, 500) == 0) link.bandwidth = {1};  // longer than the clock, if anybody uses it
    if (below(random, 2) == 0) link.latency = nanoseconds(static_cast<int>(below(random, 3000)));
  }
  for (Device& device : topology.devices)
    if (below(random, 3) == 0) device.memory = 100_GBps;
  return topology;
}

Disturbance trouble_for(std::uint32_t participants, Random& random) {
  Disturbance trouble;
  if (below(random, 3) == 0) trouble.jitter = 0.25, trouble.jitter_seed = random();
  if (below(random, 3) == 0)
    for (std::uint32_t r = 0; r < participants; ++r)
      trouble.start.push_back(nanoseconds(static_cast<int>(below(random, 50'000))));
  return trouble;
}

/// With all that can be kept of every slot, which Streamer turns to only where it must.
Result<Duration> with_full_words(const Story& story, const Topology& topology,
                                 const Payload& payload, const Disturbance& trouble) {
  const auto wires = models::wires_of(topology);
  Router router(topology);
  models::Connections connections(topology, router, story.participants());
  models::Listener<models::FullWord> listener(
      {story, topology, *wires, connections, payload, trouble});
  try {
    return listener.listen();
  } catch (const models::Stopped&) {
    return tl::unexpected<Error>(listener.error());
  }
}

std::size_t flows_heard = 0;  // by expect_equal_flow()

/// Model flow, where no two transfers share a wire.
void expect_equal_flow(const Simulator& stored, Streamer& told, const Payload& payload,
                       const Disturbance& trouble) {
  const auto heard = told.run(payload, trouble);
  if (told.is_contended()) return;
  const auto expected = stored.run(payload, NetworkModel::flow, trouble);
  ASSERT_EQ(heard.has_value(), expected.has_value());
  if (!expected) {
    EXPECT_EQ(heard.error().message, expected.error().message);
    return;
  }
  ++flows_heard;
  EXPECT_EQ(heard->time, expected->time) << "flow, " << payload.count;
  for (std::size_t l = 0; l < expected->links.size(); ++l)
    EXPECT_EQ(heard->links[l].busy, expected->links[l].busy);
}

void expect_equal(const Schedule& schedule, const Story& story, Random& random) {
  const auto topology = links_for(story.participants(), random);
  const auto trouble = trouble_for(story.participants(), random);
  const auto stored = need(Simulator::prepare(schedule, topology));
  Router router(topology);
  auto told = need(Streamer::prepare(story, topology, router));
  auto told_flow = need(Streamer::prepare(story, topology, router, {.model = NetworkModel::flow}));
  for (const std::uint64_t count : {0u, 1u, 1000u, 5'040'000u}) {
    const Payload payload{count, below(random, 2) == 0 ? ElementType::float32 : ElementType::uint8};
    expect_equal_flow(stored, told_flow, payload, trouble);
    const auto expected = stored.run(payload, NetworkModel::stream, trouble);
    const auto heard = told.run(payload, trouble);
    const auto in_full = with_full_words(story, topology, payload, trouble);
    ASSERT_EQ(heard.has_value(), expected.has_value());
    if (!expected) {
      EXPECT_EQ(heard.error().message, expected.error().message);
      continue;
    }
    EXPECT_EQ(heard->time, expected->time) << topology.name << ", " << count;
    ASSERT_TRUE(in_full) << in_full.error().message;
    EXPECT_EQ(*in_full, expected->time) << topology.name << ", " << count;
    for (std::size_t l = 0; l < expected->links.size(); ++l) {
      EXPECT_EQ(heard->links[l].bytes, expected->links[l].bytes);
      EXPECT_EQ(heard->links[l].busy, expected->links[l].busy);
    }
    EXPECT_EQ(busiest(*heard).links, busiest(*expected).links);
  }
}

class Streamed : public testing::TestWithParam<const Algorithm*> {};

TEST_P(Streamed, TakesTheTimeOfTheStoredSchedule) {
  const Algorithm& algorithm = *GetParam();
  Random random(1);
  for (const std::uint32_t n : {1u, 2u, 3u, 6u, 8u, 13u})
    for (const auto& spec : specs_that_matter(algorithm.collective, n))
      for (const Plan& plan : plans_that_matter(algorithm, spec)) {
        const auto schedule = need(build_schedule(plan));
        SCOPED_TRACE(testing::Message() << n << " ranks, " << plan.options.chunks << " chunks"
                                        << (spec.in_place ? ", in place" : ""));
        expect_equal(schedule, story_of(plan), random);
        if (HasFailure()) return;
      }
}

TEST_P(Streamed, IsHeardInModelFlowWhereEveryPairHasItsOwnWire) {
  const Algorithm& algorithm = *GetParam();
  const auto plan = make_plan(algorithm, {algorithm.collective, 8}, {});
  if (!plan) GTEST_SKIP() << plan.error().message;
  const auto story = story_of(*plan);
  const auto topology = shape(ShapeKind::mesh, story.participants());
  const auto schedule = need(build_schedule(*plan));
  Router router(topology);
  auto told = need(Streamer::prepare(story, topology, router, {.model = NetworkModel::flow}));
  flows_heard = 0;
  expect_equal_flow(need(Simulator::prepare(schedule, topology)), told, {5'040'000}, {});
  EXPECT_EQ(flows_heard, 1u);
}

INSTANTIATE_TEST_SUITE_P(Algorithms, Streamed, testing::ValuesIn(every_algorithm()), test_name);

/// Copies and sums of anything into anything. `width` transfers a step, more than a block holds if
/// asked for.
struct Nonsense {
  CollectiveSpec spec;
  std::uint32_t chunks, steps, width;
  std::uint64_t seed;

  Slot somewhere(Random& random, std::uint32_t rank, std::uint32_t length, bool written) const {
    const auto buffer = written ? 1 + below(random, 2) : below(random, 3);
    const auto room = chunks - length + 1;
    return {{rank}, static_cast<Buffer>(buffer), {static_cast<std::uint32_t>(below(random, room))}};
  }
  void tell(TransferSink& sink) const {
    Random random(seed);
    for (std::uint32_t s = 0; s < steps; ++s, sink.next_step())
      for (std::uint32_t i = 0; i < width; ++i) {
        const auto from = static_cast<std::uint32_t>(below(random, spec.ranks));
        const auto to = static_cast<std::uint32_t>(below(random, spec.ranks));
        const auto length = 1 + static_cast<std::uint32_t>(below(random, 3));
        const auto channel = static_cast<std::uint32_t>(below(random, 2));
        const Slot src = somewhere(random, from, length, false),
                   with = somewhere(random, to, length, false),
                   dst = somewhere(random, to, length, true);
        const auto what = below(random, 3);
        if (what == 0) sink.copy(src, dst, length, channel);
        if (what == 1) sink.reduce(src, dst, length, channel);
        if (what == 2) sink.reduce(src, with, dst, length, channel);
      }
  }
};

TEST(StreamedNonsense, TakesTheTimeOfTheStoredSchedule) {
  std::size_t kept = 0;
  for (std::uint64_t seed = 0; seed < 400; ++seed) {
    Random random(seed);
    const CollectiveSpec spec{.ranks = 2 + static_cast<std::uint32_t>(below(random, 5)),
                              .in_place = below(random, 2) == 0};
    const Nonsense nonsense{spec, 7, 1 + static_cast<std::uint32_t>(below(random, 6)),
                            1 + static_cast<std::uint32_t>(below(random, 12)), seed};
    const auto tell = [nonsense](TransferSink& sink) {
      nonsense.tell(sink);
      sink.finish();
    };
    const auto schedule = ScheduleBuilder(spec, 7).build(tell);
    if (!schedule) continue;  // an operand overwritten too early
    ++kept;
    SCOPED_TRACE(seed);
    expect_equal(*schedule, {spec, 7, 0, tell}, random);
    if (testing::Test::HasFailure()) return;
  }
  EXPECT_GT(kept, 100u);
}

TEST(StreamedNonsense, AStepMayComeInManyBlocks) {
  const CollectiveSpec spec{.ranks = 5};
  Random random(3);
  const auto tell = [](TransferSink& sink) {
    for (std::uint32_t s = 0; s < 3; ++s, sink.next_step())
      for (std::uint32_t i = 0; i < 3000; ++i)
        sink.reduce(s == 0 ? input(i % 5, i % 7) : output(i % 5, i % 7),
                    output((i + 1 + i % 3) % 5, i % 7));
    sink.finish();
  };
  expect_equal(need(ScheduleBuilder(spec, 7).build(tell)), {spec, 7, 0, tell}, random);
}

TEST(Streamer, EndsWithItsListenersPatience) {
  const auto ring = find_algorithm(CollectiveKind::all_reduce, "ring");
  const auto plan = need(make_plan(**ring, {.ranks = 64}, {}));
  const auto topology = shape(ShapeKind::ring, 64);
  Router router(topology);
  auto streamer = need(Streamer::prepare(story_of(plan), topology, router));
  std::uint64_t last = 0;
  const auto until = [&](std::uint64_t most) {
    return [&last, most](std::uint64_t effort) { return (last = effort) <= most; };
  };
  const std::uint64_t transfers = 2 * 63 * 64;
  const auto whole = need(streamer.run({1 << 20}, {}, until(transfers)));
  EXPECT_LT(last, transfers);
  EXPECT_FALSE(streamer.run({1 << 20}, {}, until(transfers / 2)));
  EXPECT_LT(last, transfers / 2 + 1100) << "stops soon";
  EXPECT_EQ(need(streamer.run({1 << 20})).time, whole.time) << "and leaves nothing behind";
}

}  // namespace
}  // namespace ringside::sim
