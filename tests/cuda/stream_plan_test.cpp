// Schedules as operations on streams, on any number of devices that do or do not reach each other.

#include "gpu/cuda/stream_plan.hpp"

#include <gtest/gtest.h>

#include <string>

#include "core/engine.hpp"
#include "core/variants.hpp"
#include "tests/conformance/backend_conformance.hpp"
#include "tests/cuda/plan_replay.hpp"

namespace ringside::cuda {
namespace {

enum class Peers { all, some, none };

/// Consecutive ranks share a device where there are fewer devices.
Placement placed(std::uint32_t participants, std::uint32_t devices, Peers peers) {
  devices = std::min(devices, participants);
  Placement placement{{}, PeerMatrix(devices, peers != Peers::none)};
  for (std::uint32_t p = 0; p < participants; ++p)
    placement.device_of.push_back(p * devices / participants);
  for (std::uint32_t d = 0; d + 1 < devices && peers == Peers::some; d += 2)
    placement.peers.set(d, d + 1, false);
  return placement;
}

struct Shape {
  std::uint32_t devices;
  Peers peers;
  SliceLimits limits{};
};
constexpr SliceLimits small{32, 16, 1u << 20}, duplex{32, 16, 0}, whole{64 << 10, 64 << 10, 0};
constexpr Shape shapes[] = {
    {1, Peers::all},         {2, Peers::all},          {2, Peers::none, small},
    {9, Peers::all, duplex}, {9, Peers::some},         {3, Peers::some, small},
    {9, Peers::none},        {5, Peers::none, duplex}, {7, Peers::all, whole},
    {6, Peers::all, small},  {8, Peers::none, whole}};

/// So many elements in each chunk, and a few chunks one more.
std::uint64_t count_of(const Schedule& schedule, std::uint64_t per_chunk, std::uint64_t more) {
  const auto blocks = is_blocked(schedule.spec().kind) ? schedule.spec().ranks : 1;
  return per_chunk * schedule.chunks() / blocks + more;
}

/// Every algorithm on 1 to 9 ranks in what matters of it; shapes of machines take turns.
template <typename Visit>
void each_schedule(Visit visit) {
  std::size_t turn = 0;
  for (const Algorithm& algorithm : all_algorithms())
    for (std::uint32_t ranks = 1; ranks <= 9; ++ranks)
      for (const auto& spec : specs_that_matter(algorithm.collective, ranks))
        for (const Plan& plan : plans_that_matter(algorithm, spec)) {
          const auto schedule = build_schedule(plan).value();
          const Shape shape = shapes[turn++ % std::size(shapes)];
          SCOPED_TRACE(std::string(name(spec.kind)) + " " + std::string(algorithm.name) + " on " +
                       std::to_string(ranks) + " ranks, " + std::to_string(shape.devices) +
                       " devices" + (spec.in_place ? " in place" : ""));
          visit(schedule, placed(schedule.participants(), shape.devices, shape.peers), shape.limits,
                turn);
        }
}

TEST(StreamPlan, OrdersWhateverTouchesTheSameBytes) {
  std::size_t operations = 0;
  each_schedule([&](const Schedule& schedule, const Placement& placement, const SliceLimits& limits,
                    std::size_t turn) {
    constexpr ReduceOp ops[] = {ReduceOp::sum, ReduceOp::avg, ReduceOp::mulsum};
    const Work work{&schedule, count_of(schedule, 5, 1), ElementType::float32, ops[turn % 3]};
    const auto plan = plan_streams(work, placement, limits);
    EXPECT_EQ(first_race(plan), "");
    for (std::uint32_t i = 0; i < plan.operations.size(); ++i)
      for (const auto wait : plan.waits_of(i)) EXPECT_TRUE(holds(plan, i, wait));
    operations += plan.operations.size();
  });
  EXPECT_GT(operations, 50'000);
}

/// No event is waited for that streams do without. (Chunks of 16 bytes lie alike in all areas, so
/// that slots in use again are the same bytes.)
TEST(StreamPlan, WaitsForNothingThatIsImplied) {
  std::size_t waits = 0;
  each_schedule([&](const Schedule& schedule, const Placement& placement, const SliceLimits& limits,
                    std::size_t turn) {
    if (turn % 5 != 0 || schedule.spec().ranks > 6 || limits.staging == small.staging) return;
    const Work work{&schedule, count_of(schedule, 4, 0), ElementType::float32,
                    turn % 2 == 0 ? ReduceOp::sum : ReduceOp::mulsum};
    const auto plan = plan_streams(work, placement, limits);
    waits += plan.waits.size();
    for (std::size_t w = 0; w < plan.waits.size(); ++w) {
      auto without = plan;
      without.waits[w] = UINT32_MAX;
      EXPECT_NE(first_race(without), "") << "wait " << w << " is not needed";
    }
  });
  EXPECT_GT(waits, 500);
}

/// How many operations are done one after the other, at the least.
std::uint32_t longest_chain(const StreamPlan& plan) {
  std::vector<std::uint32_t> of_operation(plan.operations.size()), of_stream(plan.streams.size());
  for (std::uint32_t i = 0; i < plan.operations.size(); ++i) {
    auto& last = of_stream[plan.operations[i].stream];
    of_operation[i] = last + 1;
    for (const auto wait : plan.waits_of(i))
      of_operation[i] = std::max(of_operation[i], of_operation[wait] + 1);
    last = of_operation[i];
  }
  return std::ranges::max(of_stream);
}

/// In each of the 7 steps that add, and the 7 that do not, all ranks send before they receive.
TEST(StreamPlan, RanksOfARingWorkSideBySide) {
  const CollectiveSpec spec{.ranks = 8};
  const auto schedule =
      build_schedule(make_plan(**find_algorithm(spec.kind, "ring"), spec, {}).value()).value();
  const Work work{&schedule, 800};
  const auto chain = [&](std::uint32_t devices, Peers peers, const SliceLimits& limits) {
    return longest_chain(plan_streams(work, placed(8, devices, peers), limits));
  };
  EXPECT_EQ(chain(1, Peers::all, {}), 7u + 7u);           // reduce; copy
  EXPECT_EQ(chain(8, Peers::all, {}), 7u * 2 + 7u);       // send and reduce; copy
  EXPECT_EQ(chain(8, Peers::none, {}), 7u * 3 + 7u * 2);  // out, in and reduce; out and in
  EXPECT_EQ(chain(8, Peers::all, whole), 7u * 2 + 7u);
  EXPECT_EQ(chain(8, Peers::none, whole), 7u * 3 + 7u * 2);
}

TEST(StreamPlan, GivesTheRightResultInWhateverOrderStreamsGo) {
  std::size_t turn = 0;
  conformance::Report report;
  for (const Algorithm& algorithm : all_algorithms())
    for (const auto& c : conformance::cases_of(algorithm, {1, 2, 3, 4, 5, 6, 7, 8, 9})) {
      const Shape shape = shapes[turn % std::size(shapes)];
      ReplayBackend backend(
          [&](std::uint32_t participants) {
            return placed(participants, shape.devices, shape.peers);
          },
          turn, {}, shape.limits);
      ++turn;
      conformance::run(backend, c, report);
    }
  EXPECT_GT(report.cases, 3000);
  EXPECT_EQ(report.failures, std::vector<std::string>{});
}

}  // namespace
}  // namespace ringside::cuda
