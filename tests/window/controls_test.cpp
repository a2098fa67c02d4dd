// What the left column, the menu and the transport let people do, with the mouse, in the window.

#include <gmock/gmock.h>

#include "core/mutation.hpp"
#include "core/verifier.hpp"
#include "sim/shapes.hpp"
#include "sim/systems.hpp"
#include "tests/window/script.hpp"
#include "viz/scenario/fields.hpp"
#include "viz/stage/keys.hpp"
#include "viz/stage/staged_run.hpp"

namespace ringside::window {
namespace {

using stage::Command;
using testing::HasSubstr;

/// What the menu calls a command.
std::string offer(Command command) {
  for (const auto& binding : stage::key_table())
    if (binding.command == command) return stage::say(binding.what, stage::Language::english);
  return {};
}

TEST_F(Scripted, DrawsTheEightGpusOfADgx) {
  play("seek 30%\nframes 1\ndump a\nshot a.png\nkey O\nshot ring.png\n",
       "--system dgx-a100 --algorithm ring");
  const auto run = state("a")["run"];
  EXPECT_EQ(run["ranks"], 8);
  EXPECT_EQ(run["row"]["system"], "dgx-a100");
  EXPECT_EQ(run["proven"], true);
  for (int gpu = 0; gpu < 8; ++gpu)
    EXPECT_TRUE(std::ranges::any_of(run["links"], [&](const Json& link) {
      return link["link"].get<std::string>().find("gpu" + std::to_string(gpu) + "->") == 0;
    })) << gpu;
  EXPECT_GT(difference(at("a.png"), at("ring.png")), 1000u) << "as built, and as a ring";
}

TEST_F(Scripted, TheMenuDoesWhatTheKeysDo) {
  struct Fault {
    const char* of;
    Command command;
    const char* key;
  };
  const Fault faults[] = {{"link gpu0->gpu1", Command::slow_down, "S"},
                          {"rank 2", Command::slow_down, "S"},
                          {"link gpu0->gpu1", Command::kill, "D"},
                          {"rank 2", Command::straggle, "W"}};
  std::string lines = "seek 30%\n";
  int n = 0;
  for (const auto& [of, command, key] : faults) {
    const std::string select = std::string("select ") + of + "\n", id = std::to_string(n++);
    lines += select + "key " + key + "\ndump key" + id + "\nkey Backspace\n" + select +
             "key M\npress " + offer(command) + "\ndump menu" + id + "\nkey Backspace\n";
  }
  play(lines, "--ranks 4");
  for (n = 0; n < 4; ++n) {
    const auto by_key = state("key" + std::to_string(n)),
               by_menu = state("menu" + std::to_string(n));
    EXPECT_EQ(by_key["run"], by_menu["run"]) << n;
    EXPECT_EQ(by_menu["menu"], false) << n;
    EXPECT_EQ(by_key["refusal"], "") << n;
  }
}

TEST_F(Scripted, FaultsCostTimeAndRepairUndoesThem) {
  play(
      "dump before\nselect link gpu0->gpu1\nkey S\ndump slow\nkey S\ndump again\n"
      "select rank 3\nkey W\ndump late\nkey Backspace\nselect link gpu1->gpu2\nkey D\ndump dead\n"
      "key Backspace\nselect none\nkey Home\ndump after\n",
      "--ranks 4");
  const auto before = state("before")["run"];
  const auto share = [&](const char* name) {
    return state(name)["run"]["share"].get<std::string>();
  };
  EXPECT_THAT(share("slow"), HasSubstr("slow=gpu0"));
  EXPECT_GT(state("slow")["run"]["time_ps"], before["time_ps"]);
  EXPECT_EQ(state("again")["run"], before) << "slow twice is put right";
  EXPECT_THAT(share("late"), HasSubstr("straggler=3"));
  EXPECT_GT(state("late")["run"]["time_ps"], before["time_ps"]);
  EXPECT_THAT(share("dead"), HasSubstr("dead=gpu1"));
  EXPECT_GT(state("dead")["run"]["time_ps"], before["time_ps"]) << "the long way round";
  EXPECT_EQ(state("after")["run"], before);
}

TEST_F(Scripted, AForkIsKeptThroughAllThatFollows) {
  play(
      "dump a\nkey G\nset bandwidth 5GB/s\nwait\nset ranks 6\nwait\nset algorithm star\nwait\n"
      "dump b\nkey G\ndump own\nkey G\ndump none\n");
  EXPECT_EQ(state("b")["ghost"]["share"], state("a")["run"]["share"]);
  EXPECT_EQ(state("b")["ghost"]["time_ps"], state("a")["run"]["time_ps"]);
  EXPECT_EQ(state("own")["ghost"]["share"], state("b")["run"]["share"]);
  EXPECT_TRUE(state("none")["ghost"].is_null());
}

TEST_F(Scripted, ARaceRunsOnOneClockToTheEndOfTheSlower) {
  play("set rival.algorithm star\nwait\nkey End\ndump end\nkey R\nkey Home\ndump alone\n");
  const auto end = state("end");
  const std::int64_t lead = end["run"]["time_ps"], rival = end["rival"]["time_ps"];
  EXPECT_NE(lead, rival);
  EXPECT_EQ(end["now_ps"].get<std::int64_t>(), std::max(lead, rival));
  for (const char* side : {"run", "rival"}) {
    EXPECT_EQ(end[side]["numbers"]["finished"], true) << side;
    EXPECT_EQ(end[side]["numbers"]["sent_bytes"], end[side]["numbers"]["to_send_bytes"]) << side;
  }
  EXPECT_TRUE(state("alone")["rival"].is_null());
}

TEST_F(Scripted, EveryMistakeNamedIsTheVerifiersFirst) {
  std::string lines;
  std::vector<std::string> mistakes;
  for (std::size_t i = 0; i < mutation_count; ++i)
    mistakes.emplace_back(name(static_cast<Mutation>(i)));
  for (const auto& mistake : mistakes)
    lines += "set mistake " + mistake + "\nwait\ndump " + mistake + "\n";
  play(lines, "--ranks 5 --bytes 5M");
  const auto plan = *make_plan(**find_algorithm(CollectiveKind::all_reduce, "ring"),
                               {.kind = CollectiveKind::all_reduce, .ranks = 5}, {});
  const auto schedule = *build_schedule(plan);
  for (const auto& mistake : mistakes) {
    const auto broken = mutate(schedule, scenario::parse_mistake(mistake)->kind, 0);
    ASSERT_TRUE(broken) << mistake;
    const auto proof = verify(broken->schedule);
    const auto run = state(mistake)["run"];
    EXPECT_EQ(run["mistake"], broken->what);
    ASSERT_EQ(run["violations"].size(), proof.size()) << mistake;
    ASSERT_FALSE(proof.empty()) << mistake;
    EXPECT_EQ(run["violations"][0]["sentence"], to_string(proof.front(), broken->schedule));
    EXPECT_EQ(run["violations"][0]["slot"][0], proof.front().slot.rank.value);
  }
}

TEST_F(Scripted, WhatIsTypedIntoAFieldIsTakenOrRefused) {
  const std::vector<std::pair<std::string, std::string>> fields{{"ranks", "6"},
                                                                {"bytes", "3M"},
                                                                {"chunks", "8"},
                                                                {"channels", ""},
                                                                {"link.bandwidth text", "7GB/s"},
                                                                {"link.latency text", "3us"}};
  const std::vector<std::string> nonsense{"-1", "99999999999999999999", "many"};
  std::string lines = "dump before\n";
  for (const auto& [field, good] : fields) {
    for (const auto& bad : nonsense)
      lines += "press " + field + "\ntype " + bad + "\ndump " + bad + " in " + field +
               "\nkey Escape\nkey Escape\n";
    if (good.empty()) continue;  // a ring has one channel, and no other number
    lines += "press " + field + "\ntype " + good + "\nwait\nframes 2\ndump " + field +
             "\nopen ring?ranks=4\nwait\nkey Escape\nkey Escape\n";
  }
  play(lines);
  const auto before = state("before")["run"];
  for (const auto& [field, good] : fields) {
    for (const auto& bad : nonsense) {
      const auto after = state(bad + " in " + field);
      EXPECT_EQ(after["run"], before) << bad << " in " << field;
      EXPECT_NE(after["refusal"], "") << bad << " in " << field;
    }
    if (good.empty()) continue;
    EXPECT_EQ(state(field)["refusal"], "") << field;
    EXPECT_NE(state(field)["run"]["share"], before["share"]) << field;
  }
}

TEST_F(Scripted, ASliderSimulatesTheSameScheduleAnew) {
  play(
      "seek 50%\ndump a\npress link.bandwidth slider 0.95\nwait\nframes 1\ndump fast\n"
      "press link.bandwidth slider 0.2\nwait\nframes 1\ndump slow\n");
  const auto a = state("a"), fast = state("fast"), slow = state("slow");
  EXPECT_LT(fast["run"]["time_ps"], a["run"]["time_ps"]);
  EXPECT_GT(slow["run"]["time_ps"], a["run"]["time_ps"]);
  EXPECT_NEAR(slow["now_ps"].get<double>() / slow["run"]["time_ps"].get<double>(), 0.5, 1e-3)
      << "the place in the run is kept";
}

TEST_F(Scripted, TheScrubBarAndTheButtonsMoveThroughTime) {
  play(
      "press scrub 0.5\ndump half\npress play\ndump plays\npress play\npress end\ndump end\n"
      "press back\ndump back\npress start\ndump start\npress faster\ndump fast\n");
  const auto end = state("end")["run"]["time_ps"].get<double>();
  EXPECT_NEAR(state("half")["now_ps"].get<double>(), end / 2, end / 100);
  EXPECT_EQ(state("plays")["playing"], true);
  EXPECT_EQ(state("end")["now_ps"].get<double>(), end);
  EXPECT_LT(state("back")["now_ps"].get<double>(), end);
  EXPECT_EQ(state("start")["now_ps"], 0);
  EXPECT_GT(state("fast")["per_second_ps"], state("start")["per_second_ps"]);
}

TEST_F(Scripted, EveryCollectiveAndAlgorithmCanBeChosen) {
  std::string lines;
  std::vector<const Algorithm*> chosen;
  for (std::size_t i = 0; i < collective_count; ++i) {
    const auto kind = static_cast<CollectiveKind>(i);
    lines += "set collective " + std::string(name(kind)) + "\nwait\nframes 1\ndump c" +
             std::to_string(i) + "\n";
    for (const Algorithm& algorithm : all_algorithms()) {
      if (algorithm.collective != kind || algorithm.in_switch != InSwitch::none ||
          !make_plan(algorithm, {.kind = kind, .ranks = 4}, {}))
        continue;
      lines += "set algorithm " + std::string(algorithm.name) + "\nwait\nframes 1\ndump a" +
               std::to_string(chosen.size()) + "\n";
      chosen.push_back(&algorithm);
    }
  }
  play(lines, "--ranks 4 --bytes 64K");
  for (std::size_t i = 0; i < collective_count; ++i) {
    const auto dumped = state("c" + std::to_string(i));
    EXPECT_EQ(dumped["run"]["row"]["collective"], name(static_cast<CollectiveKind>(i)));
    EXPECT_EQ(dumped["refusal"], "");
  }
  EXPECT_GT(chosen.size(), 30u);
  for (std::size_t i = 0; i < chosen.size(); ++i) {
    const auto dumped = state("a" + std::to_string(i));
    EXPECT_EQ(dumped["run"]["row"]["algorithm"], chosen[i]->name);
    EXPECT_EQ(dumped["run"]["proven"], true) << chosen[i]->name;
    EXPECT_EQ(dumped["refusal"], "") << chosen[i]->name;
  }
}

TEST_F(Scripted, EverySystemCanBeChosen) {
  std::vector<std::string> systems;
  for (const auto name : sim::shape_names()) systems.emplace_back(name);
  for (const auto& text : sim::system_texts()) systems.emplace_back(text.name);
  std::string lines;
  for (const auto& system : systems)
    lines += "set system " + system + "\nwait\nframes 1\ndump " + system + "\n";
  play(lines, "--bytes 1M");
  for (const auto& system : systems) {
    const auto dumped = state(system);
    EXPECT_EQ(dumped["refusal"], "") << system;
    EXPECT_EQ(dumped["run"]["row"]["system"], system);
    EXPECT_EQ(dumped["run"]["proven"], true) << system;
  }
}

}  // namespace
}  // namespace ringside::window
