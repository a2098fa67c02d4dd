// Runs ready to be looked at: reused ones equal fresh ones, broken ones say what is broken.

#include "viz/stage/staged_run.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <thread>

#include "core/mutation.hpp"
#include "viz/scenario/fields.hpp"
#include "viz/stage/action.hpp"
#include "viz/stage/director.hpp"

namespace ringside::stage {
namespace {

using scenario::Scenario;
using scenario::set_field;
using testing::HasSubstr;

Scenario scenario_of(std::string_view share) {
  return scenario::parse_share_string(share)->scenario;
}

void expect_equal(const StagedRun& a, const StagedRun& b) {
  ASSERT_EQ(a.spans.size(), b.spans.size());
  for (std::size_t i = 0; i < a.spans.size(); ++i) {
    EXPECT_EQ(a.spans[i].begin, b.spans[i].begin);
    EXPECT_EQ(a.spans[i].read, b.spans[i].read);
    EXPECT_EQ(a.spans[i].commit, b.spans[i].commit);
  }
  EXPECT_EQ(a.row.time, b.row.time);
  EXPECT_EQ(a.route_links, b.route_links);
  EXPECT_EQ(a.sizes, b.sizes);
  EXPECT_EQ(a.violations.size(), b.violations.size());
  EXPECT_EQ(a.mistake, b.mistake);
}

TEST(StagedRun, OfAFreshWindowIsAProvenRing) {
  const stage::Run run = *stage_run(Scenario{});
  EXPECT_EQ(run->ranks(), 8u);
  EXPECT_TRUE(run->violations.empty());
  EXPECT_TRUE(run->mistake.empty());
  // 2 (N-1) (latency + S / (N B)): 256 MiB, 25 GB/s, 1 us.
  EXPECT_NEAR(run->time().microseconds(), 14 * (1 + 32 * 1048576 / 25e3), 1e-3);
  EXPECT_EQ(run->time(), *run->row.time);
  for (TransferId id{0}; id.value < run->schedule->transfers().size(); ++id.value) {
    EXPECT_EQ(run->route(id).size(), 1u);
    EXPECT_EQ(run->size(id), 32_MiB);
  }
}

TEST(StagedRun, ReusedIsFreshToThePicosecond) {
  const std::vector<std::string> shares = {
      "ring?ranks=16&bytes=1M",
      "ring?ranks=16&bytes=1M&bandwidth=12GB/s",
      "ring?ranks=16&bytes=64M&slow=gpu3-%3Egpu4%3D4x",
      "ring?ranks=16&bytes=64M&straggler=3%3D50us",
      "ring?system=dgx-a100&bytes=64M",
      "ring?system=dgx-a100&bytes=64M&set=nvlink.bandwidth%3Dx0.5",
      "halving_doubling?ranks=16&system=mesh",
      "halving_doubling?ranks=16&system=mesh&mistake=doubled_add:2",
      "halving_doubling?ranks=16&system=mesh&mistake=doubled_add:3",
      "nvls?system=dgx-h100",
      "nvls?system=dgx-h100&set=nvlink.latency%3D5us",
  };
  for (const auto& first : shares)
    for (const auto& second : shares) {
      SCOPED_TRACE(first + ", then " + second);
      const stage::Run before = *stage_run(scenario_of(first));
      const stage::Run reused = *stage_run(scenario_of(second), before);
      const stage::Run fresh = *stage_run(scenario_of(second));
      expect_equal(*reused, *fresh);
    }
}

TEST(StagedRun, ASliderReusesTheSchedule) {
  Scenario scenario;
  const stage::Run before = *stage_run(scenario);
  ASSERT_TRUE(set_field(scenario, "bandwidth", "50GB/s"));
  const stage::Run after = *stage_run(scenario, before);
  EXPECT_EQ(after->schedule, before->schedule);
  EXPECT_EQ(after->story, before->story);
  EXPECT_LT(after->time(), before->time());
}

TEST(StagedRun, EveryMistakeIsCaughtAndNamed) {
  for (std::size_t m = 0; m < mutation_count; ++m) {
    Scenario scenario;
    ASSERT_TRUE(set_field(scenario, "mistake", name(static_cast<Mutation>(m))));
    const auto run = stage_run(scenario);
    ASSERT_TRUE(run) << run.error().message;
    EXPECT_FALSE((*run)->violations.empty()) << (*run)->mistake;
    EXPECT_FALSE((*run)->mistake.empty());
  }
}

TEST(StagedRun, WhatCannotBeWatchedIsRefusedInASentence) {
  const auto refusal = [](std::string_view share) {
    const auto run = stage_run(scenario_of(share));
    return run ? std::string("none") : run.error().message;
  };
  EXPECT_THAT(refusal("all"), HasSubstr("one algorithm"));
  EXPECT_THAT(refusal("ring?ranks=257"), HasSubstr("256"));
  EXPECT_THAT(refusal("rign"), HasSubstr("ring"));
  EXPECT_THAT(refusal("ring?system=dgx-a101"), HasSubstr("dgx-a100"));
  EXPECT_THAT(refusal("ring?dead=gpu0-%3Egpu9"), HasSubstr("gpu9"));
  EXPECT_THAT(refusal("ring?straggler=8%3D1us"), HasSubstr("8"));
  EXPECT_THAT(refusal("flat?collective=broadcast&root=8"), HasSubstr("root"));
  EXPECT_THAT(refusal("ring?chunks=1048576&ranks=256"), HasSubstr("fewer"));
}

TEST(StagedRun, OfMoreEffortThanAnybodyWaitsForIsRefused) {
  const auto scenario = scenario_of("direct?ranks=16");
  const auto refused = stage_run(scenario, nullptr, sim::up_to(1000));
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message, HasSubstr("direct on 16 ranks"));
  EXPECT_THAT(refused.error().message, HasSubstr("stream"));
  EXPECT_TRUE(stage_run(scenario_of("direct?ranks=16&model=stream"), nullptr, sim::up_to(1000)));
}

TEST(StagedRun, AsksBeforeItBuildsAndBeforeItSimulates) {
  const auto built = *stage_run(Scenario{});
  std::size_t asked = 0;
  const auto never = [&](std::uint64_t) { return ++asked, false; };
  EXPECT_FALSE(stage_run(Scenario{}, nullptr, never));
  EXPECT_FALSE(stage_run(Scenario{}, built, never));
  EXPECT_EQ(asked, 2u);
}

TEST(Director, GivesUpALongRunWhenSomethingElseIsAskedFor) {
  Director director;
  director.request(Director::Part::lead, scenario_of("direct?ranks=128"), nullptr);
  std::this_thread::sleep_for(std::chrono::milliseconds(100));  // it is at work
  director.request(Director::Part::lead, scenario_of("ring?ranks=4"), nullptr);
  director.wait();
  const auto only = director.take();
  ASSERT_TRUE(only && only->run);
  EXPECT_EQ((*only->run)->ranks(), 4u);
  EXPECT_FALSE(director.take());
}

TEST(Director, DeliversWhatWasAskedForLast) {
  Director director;
  Scenario scenario;
  for (int ranks = 2; ranks <= 32; ++ranks) {
    ASSERT_TRUE(set_field(scenario, "ranks", std::to_string(ranks)));
    director.request(Director::Part::lead, scenario, nullptr);
  }
  director.wait();
  std::optional<Director::Delivery> last;
  std::size_t deliveries = 0;
  while (auto delivery = director.take()) last = std::move(delivery), ++deliveries;
  ASSERT_TRUE(last && last->run);
  EXPECT_EQ((*last->run)->ranks(), 32u);
  EXPECT_LE(deliveries, 31u);
  EXPECT_FALSE(director.is_busy());
}

TEST(Director, KeepsBothSidesOfARaceApart) {
  Director director;
  Scenario lead, rival;
  rival.collective.algorithm = "star";
  director.request(Director::Part::rival, rival, nullptr);
  director.request(Director::Part::lead, lead, nullptr);
  director.wait();
  std::vector<std::pair<Director::Part, std::string>> got;
  while (auto delivery = director.take())
    got.emplace_back(delivery->part, (*delivery->run)->row.algorithm);
  EXPECT_THAT(got, testing::UnorderedElementsAre(std::pair(Director::Part::lead, "ring"),
                                                 std::pair(Director::Part::rival, "star")));
}

TEST(Director, ShowsARunThatIsThereAlready) {
  Director director;
  const stage::Run run = *stage_run(Scenario{});
  director.show(Director::Part::lead, run);
  Model model;
  EXPECT_TRUE(receive(model, director));
  EXPECT_EQ(model.run, run);
  // It plays as any other does: at a speed, and all of it in the diagram.
  EXPECT_GT(model.playback.per_second, Duration{0});
  EXPECT_EQ(model.window.to, run->time());
}

TEST(Director, DeliversRefusalsToo) {
  Director director;
  Scenario scenario;
  scenario.collective.algorithm = "rign";
  director.request(Director::Part::lead, scenario, nullptr);
  director.wait();
  EXPECT_FALSE(director.take()->run);
}

}  // namespace
}  // namespace ringside::stage
