// What each rank knows of a schedule fits together with what the others know, without any MPI.

#include "gpu/mpi/local_plan.hpp"

#include <gtest/gtest.h>

#include <array>
#include <map>
#include <string>

#include "core/engine.hpp"
#include "core/variants.hpp"

namespace ringside::mpi {
namespace {

/// A plan for every rank.
std::vector<LocalPlan> plans_of(const Work& work) {
  std::vector<LocalPlan> plans;
  for (std::uint32_t r = 0; r < work.schedule->spec().ranks; ++r)
    plans.push_back(plan_for({r}, work));
  return plans;
}

/// Visits every schedule without agents on up to 9 ranks, in sizes that cut evenly and not.
template <typename Visit>
void each_work(Visit visit) {
  for (const Algorithm& algorithm : all_algorithms())
    for (const std::uint32_t ranks : {1, 2, 3, 4, 7, 8, 9})
      for (const auto& spec : specs_that_matter(algorithm.collective, ranks)) {
        const auto plan = make_plan(algorithm, spec, {});
        if (!plan || plan->options.agents > 0) continue;
        const auto schedule = build_schedule(*plan).value();
        for (const std::uint64_t count : {1u, 67u, 300'000u}) {
          SCOPED_TRACE(std::string(name(spec.kind)) + " " + std::string(algorithm.name) + " on " +
                       std::to_string(ranks));
          visit(Work{&schedule, count, ElementType::float64, ReduceOp::avg});
        }
      }
}

using Sizes = std::vector<std::pair<std::uint32_t, std::uint64_t>>;  // transfer, bytes

Sizes messages_on(const LocalPlan& plan, const Connection& connection) {
  Sizes sizes;
  for (const auto part : connection.parts)
    for (const Unit& unit : plan.units_of(plan.parts[part]))
      sizes.emplace_back(plan.parts[part].id.value, unit.bytes);
  return sizes;
}

TEST(LocalPlan, BothEndsOfAConnectionExpectTheSameMessages) {
  each_work([](const Work& work) {
    const auto plans = plans_of(work);
    std::map<std::array<std::uint32_t, 3>, Sizes> sent, received;
    for (std::uint32_t r = 0; r < plans.size(); ++r) {
      for (const Connection& c : plans[r].outgoing)
        sent[{r, c.peer.value, c.channel.value}] = messages_on(plans[r], c);
      for (const Connection& c : plans[r].incoming)
        received[{c.peer.value, r, c.channel.value}] = messages_on(plans[r], c);
    }
    EXPECT_EQ(sent, received);
  });
}

TEST(LocalPlan, EveryTransferAndEveryWaitHasItsRanks) {
  each_work([](const Work& work) {
    const Schedule& schedule = *work.schedule;
    std::size_t parts = 0, waits = 0, followers = 0, expected = 0;
    for (const LocalPlan& plan : plans_of(work)) {
      parts += plan.parts.size();
      for (const Part& part : plan.parts) waits += part.read_waits + part.commit_waits;
      for (const auto* after : {&plan.after_read, &plan.after_commit})
        for (const auto& those : *after) followers += those.size();
    }
    for (const Transfer& t : schedule.transfers()) expected += t.is_local() ? 1 : 2;
    EXPECT_EQ(parts, expected);
    EXPECT_EQ(waits, schedule.dependency_count());  // each lies on one rank
    EXPECT_EQ(followers, waits);
  });
}

TEST(LocalPlan, AStepThatMustWaitHasRoomToLand) {
  each_work([](const Work& work) {
    for (const LocalPlan& plan : plans_of(work))
      for (const Connection& connection : plan.incoming) {
        std::map<Step, std::uint32_t> units;
        bool waits = false;
        for (const auto index : connection.parts) {
          const Part& part = plan.parts[index];
          waits |= part.commit_waits > 0;
          for (const Unit& unit : plan.units_of(part))
            EXPECT_TRUE(!waits || unit.bytes <= connection.landing_bytes);
          units[work.schedule->step(part.id)] += part.units;
        }
        for (const auto& [step, needed] : units)
          EXPECT_TRUE(!waits || connection.landing_slots >= needed);
      }
  });
}

TEST(LocalPlan, LargeVectorsTravelInMessagesThatMpiCanCount) {
  const CollectiveSpec spec{.kind = CollectiveKind::all_reduce, .ranks = 2};
  const auto plan = make_plan(**find_algorithm(spec.kind, "recursive_doubling"), spec, {}).value();
  const auto schedule = build_schedule(plan).value();
  const std::uint64_t count = (std::uint64_t{1} << 32) + 5;
  const LocalPlan local = plan_for({1}, {&schedule, count, ElementType::uint8});
  for (const Connection& connection : local.incoming) {
    std::uint64_t bytes = 0;
    for (const auto& [id, size] : messages_on(local, connection)) {
      EXPECT_LT(size, std::uint64_t{1} << 31);
      bytes += size;
    }
    EXPECT_EQ(bytes, count);
  }
}

}  // namespace
}  // namespace ringside::mpi
