// Whoever makes a mistake in a plan is found out: a check that cannot fail is no check.

#include "tests/cuda/plan_mistakes.hpp"

#include <gtest/gtest.h>

#include <map>
#include <string>

#include "core/engine.hpp"
#include "tests/cuda/plan_replay.hpp"
#include "tests/cuda/scenes.hpp"

namespace ringside::cuda {
namespace {

struct Finding {
  std::string race;    ///< two operations that are not ordered
  std::string result;  ///< what an order of the streams made of it
};

/// Replays with the mistake made in the plan, until an order shows it.
Finding look_for(const Scene& scene, const Work& work, const Tamper& tamper) {
  const auto place = [&](std::uint32_t participants) { return placed(scene, participants); };
  auto plan = plan_streams(work, place(work.schedule->participants()), scene.limits);
  tamper(plan);
  Finding finding{first_race(plan), ""};
  for (std::uint64_t seed = 1; seed <= 60 && finding.result.empty(); ++seed) {
    ReplayBackend backend(place, seed, tamper, scene.limits);
    const auto outcome = execute(backend, work, {.seed = seed});
    finding.result = outcome ? outcome->comparison.first : outcome.error().message;
  }
  return finding;
}

TEST(PlanMistakes, AreFoundOut) {
  constexpr std::uint64_t places = 6;
  std::map<std::string_view, int> shown;
  for (const Scene& scene : scenes) {
    const auto schedule = scene.build();
    const Work work = work_of(scene, schedule);
    const auto right = look_for(scene, work, [](StreamPlan&) {});
    ASSERT_EQ(right.race + right.result, "") << scene.algorithm;
    for (const PlanMistake& mistake : plan_mistakes()) {
      if (!scene.only.empty() && scene.only != mistake.name) continue;
      for (std::uint64_t place = 0; place < places; ++place) {
        bool is_made = false;
        const auto found = look_for(
            scene, work, [&](StreamPlan& plan) { is_made = mistake.make(plan, place * 7); });
        if (!is_made) break;
        if (!found.result.empty()) ++shown[mistake.name];
        EXPECT_TRUE(mistake.may_be_harmless || !(found.race + found.result).empty())
            << mistake.name << " in " << scene.algorithm << " at " << place;
      }
    }
  }
  for (const PlanMistake& mistake : plan_mistakes())
    EXPECT_GT(shown[mistake.name], 0) << mistake.name;
}

}  // namespace
}  // namespace ringside::cuda
