// "Run here": the window starts the program beside it, plays what it measured, and never waits.

#include <gmock/gmock.h>

#include "tests/window/script.hpp"

namespace ringside::window {
namespace {

using testing::HasSubstr;

TEST_F(Scripted, ARunOnThisMachineIsPlayedAndRacesItsSimulation) {
  play(
      "dump simulated\nkey H\nwait\nframes 1\ndump measured\nkey R\nwait\ndump race\n"
      "key R\nset ranks 3\nwait\ndump edited\n",
      "--ranks 4 --bytes 64K");
  const auto measured = state("measured"), race = state("race");
  EXPECT_EQ(state("simulated")["run"]["measured"], false);
  EXPECT_EQ(measured["refusal"], "");
  EXPECT_EQ(measured["run"]["measured"], true);
  EXPECT_EQ(measured["run"]["proven"], true);
  EXPECT_EQ(measured["run"]["row"]["algorithm"], "ring");
  EXPECT_EQ(measured["run"]["row"]["bytes"], 65536);
  EXPECT_EQ(measured["run"]["chunks"], state("simulated")["run"]["chunks"]);
  EXPECT_EQ(measured["playing"], true);
  EXPECT_EQ(race["rival"]["measured"], false);
  EXPECT_EQ(race["rival"]["time_ps"], state("simulated")["run"]["time_ps"]);
  EXPECT_EQ(state("edited")["run"]["measured"], false) << "what is changed is simulated";
}

TEST_F(Scripted, WhatCannotBeRunHereSaysWhyAndTheRunStays) {
  play("dump before\nkey X\nwait\nkey H\nwait\ndump broken\n", "--ranks 4 --bytes 64K");
  EXPECT_THAT(state("broken")["refusal"].get<std::string>(), HasSubstr("broken on purpose"));
  play("dump before\nkey H\nwait\nframes 1\ndump refused\n", "--ranks 4 --bytes 4T");
  EXPECT_NE(state("refused")["refusal"], "") << "no machine has so much memory";
  EXPECT_EQ(state("refused")["run"], state("before")["run"]);
}

TEST_F(Scripted, AWindowThatClosesLeavesNothingBehind) {
  std::filesystem::create_directory(at("tmp"));
  std::ofstream(at("script")) << "key H\n";  // the last line: nobody waits for it
  const auto ran = run("view --ranks 4 --bytes 64M --size 1280x720 --script script --exit",
                       "TMPDIR=\"$PWD/tmp\"");
  EXPECT_EQ(ran.status, 0) << ran.err;
  for (const auto& left : std::filesystem::directory_iterator(at("tmp")))
    EXPECT_EQ(left.path().filename().string().find("ringside-"), std::string::npos) << left.path();
}

}  // namespace
}  // namespace ringside::window
