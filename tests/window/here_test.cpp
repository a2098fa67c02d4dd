// "Run here": the window starts the program beside it, plays what it measured, and never waits.

#include <gmock/gmock.h>
#include <signal.h>

#include <chrono>

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

/// The window with a program of ours beside it, in the place of `ringside`: a machine with another
/// lot of backends.
class BesideAnother : public Scripted {
 protected:
  void SetUp() override {
    Scripted::SetUp();
    std::filesystem::copy_file(RINGSIDE_WINDOW, at("ringside-window"));
  }
  void put_beside(const std::string& shell_lines) const {
    std::ofstream(at("ringside")) << "#!/bin/sh\n" << shell_lines;
    std::filesystem::permissions(at("ringside"), std::filesystem::perms::owner_all);
  }
  void play_here(const std::string& lines) const {
    std::ofstream(at("script")) << lines;
    const auto words = "cd '" + at("").string() +
                       "' && unset DISPLAY && export HOME=\"$PWD\" XDG_CONFIG_HOME= && "
                       "timeout 120 ./ringside-window --size 1280x720 --ranks 4 --bytes 64K "
                       "--script script --exit 2>err";
    EXPECT_EQ(std::system(words.c_str()), 0) << contents(at("err"));
  }
};

TEST_F(BesideAnother, WhatTheListingSaysUsableRuns) {
  // It lists GPUs; what it is told to run on them, threads do.
  put_beside(
      "case $1 in\n"
      "list) echo '{\"listed\": \"backends\", \"results\": [{\"name\": \"cuda\", \"built\": true,"
      " \"usable\": true}, {\"name\": \"nccl\", \"built\": true, \"usable\": false,"
      " \"lacks\": \"no driver\"}]}' >$5 ;;\n"
      "run) echo \"$@\" >told; shift 3; exec " RINGSIDE_PROGRAM
      " run --backend host \"$@\" ;;\n"
      "esac\n");
  play_here(
      "dump before\nkey M\nwait\nframes 2\ndump asked\nshot menu.png\n"
      "press run it here, on GPUs (CUDA)\nwait\nframes 1\ndump measured\n");
  EXPECT_TRUE(state("before")["executors"].is_null()) << "nobody is asked before it matters";
  EXPECT_EQ(state("asked")["executors"], (Json{{"cuda", ""}, {"nccl", "no driver"}}));
  EXPECT_THAT(contents(at("told")), HasSubstr("run --backend cuda --ranks 4"));
  EXPECT_EQ(state("measured")["run"]["measured"], true);
  EXPECT_EQ(state("measured")["menu"], false);
}

#ifdef RINGSIDE_FAKE_LIBRARY
/// The program itself, on a machine of pretended GPUs with a pretended NCCL.
TEST_F(BesideAnother, EveryExecutorOfAGpuMachineRunsByItsKeyAndItsOffer) {
  put_beside(
      "export RINGSIDE_FAKE_CUDA=devices=4 LD_BIND_NOW=1 LD_LIBRARY_PATH=" RINGSIDE_FAKE_LIBRARY
      "\n[ $1 = run ] && echo \"$@\" >>told\nexec " RINGSIDE_PROGRAM " \"$@\"\n");
  play_here(
      "key M\nwait\nframes 2\ndump asked\nkey Escape\n"
      "key Ctrl+H\nwait\nframes 1\ndump nccl\n"
      "open ring?ranks=4&bytes=64K\nwait\nkey M\nframes 2\n"
      "press run it here, by NCCL\nwait\nframes 1\ndump again\n"
      "open ring?ranks=4&bytes=64K\nwait\nkey Shift+H\nwait\nframes 1\ndump cuda\n");
  EXPECT_EQ(state("asked")["executors"]["cuda"], "");
  EXPECT_EQ(state("asked")["executors"]["nccl"], "");
  for (const char* name : {"nccl", "again", "cuda"}) {
    SCOPED_TRACE(name);
    const auto dumped = state(name);
    EXPECT_EQ(dumped["refusal"], "");
    EXPECT_EQ(dumped["run"]["measured"], true);
    EXPECT_EQ(dumped["run"]["row"]["algorithm"], "ring");
    EXPECT_EQ(dumped["run"]["row"]["bytes"], 65536);
    EXPECT_THAT(dumped["run"]["row"]["backend"].get<std::string>(),
                HasSubstr(name == std::string("cuda") ? "cuda" : "nccl"));
  }
  const auto told = contents(at("told"));
  EXPECT_THAT(told, HasSubstr("run --backend nccl --ranks 4"));
  EXPECT_THAT(told, HasSubstr("run --backend cuda --ranks 4"));
}
#endif

TEST_F(BesideAnother, TheSameKeyStopsWhatRuns) {
  put_beside("case $1 in list) exit 1 ;; run) echo $$ >pid; exec sleep 300 ;; esac\n");
  // Buttons do not wait for what runs; everything else that a script does, would.
  const auto begin = std::chrono::steady_clock::now();
  play_here("press Run here\nmove 5 5\npress Run here\nmove 5 5\ndump stopped\n");
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(60));
  EXPECT_EQ(state("stopped")["refusal"], "");
  EXPECT_EQ(state("stopped")["run"]["measured"], false);
  ASSERT_TRUE(has("pid")) << "it had begun";
  EXPECT_NE(kill(std::stoi(contents(at("pid"))), 0), 0) << "it is still at work";
}

TEST_F(BesideAnother, WhatIsLackedIsDimAndSaysWhy) {
  put_beside(
      "case $1 in\n"
      "list) echo '{\"listed\": \"backends\", \"results\": [{\"name\": \"cuda\", \"built\": true,"
      " \"usable\": false, \"lacks\": \"no driver\"}]}' >$5 ;;\n"
      "run) echo 'ringside: no driver is loaded' >&2; exit 3 ;;\n"
      "esac\n");
  play_here("key M\nwait\nframes 2\nshot lacked.png\nkey Escape\nkey Shift+H\nwait\ndump a\n");
  EXPECT_EQ(state("a")["refusal"], "no driver is loaded");
  put_beside("exit 1\n");
  play_here("key M\nwait\nframes 2\nshot offered.png\ndump b\n");
  EXPECT_TRUE(state("b")["executors"].is_null()) << "nothing could be learnt";
  EXPECT_GT(difference(at("lacked.png"), at("offered.png")), 100u);
}

}  // namespace
}  // namespace ringside::window
