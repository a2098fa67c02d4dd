// The window where nobody watches: pictures, films, figures and refusals.

#include <gmock/gmock.h>
#include <sys/stat.h>

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>

#include "tests/window/window.hpp"

namespace ringside::window {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

void expect_one_sentence(const Ran& ran, int status) {
  EXPECT_EQ(ran.status, status) << ran.out << ran.err;
  EXPECT_EQ(ran.out, "");
  EXPECT_EQ(ran.err.rfind("ringside: ", 0), 0u) << ran.err;
  EXPECT_EQ(std::ranges::count(ran.err, '\n'), 1) << ran.err;
}

TEST_F(Window, WithoutADisplayIsOneSentence) {
  const auto ran = run("view");
  expect_one_sentence(ran, 3);
  EXPECT_THAT(ran.err, HasSubstr("DISPLAY is not set"));
  expect_one_sentence(run("view", "DISPLAY=:4711"), 3);
}

TEST_F(Window, WithoutOpenGlIsOneSentence) {
  if (std::system("command -v xvfb-run >/dev/null && command -v xauth >/dev/null") != 0)
    GTEST_SKIP() << "no xvfb-run or no xauth here";
  // The wrapper has complaints of its own: ours are in a file.
  run("view", "xvfb-run -a -s '-extension GLX' sh -c '\"$@\" 2>said; echo $? >status' -");
  EXPECT_EQ(contents(at("status")), "3\n");
  const std::string said = contents(at("said"));
  EXPECT_THAT(said, HasSubstr("OpenGL"));
  EXPECT_EQ(std::ranges::count(said, '\n'), 1) << said;
}

TEST_F(Window, AloneIsTheDemoWithoutADisplay) {
  const auto ran = run("");
  EXPECT_EQ(ran.status, 0) << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("ringside"));
}

TEST_F(Window, WrongRequestsAreRefusedBeforeItOpens) {
  expect_one_sentence(run("view --algorithm rign --shot a.png"), 2);
  expect_one_sentence(run("view 'rign?ranks=4' --shot a.png"), 2);
  expect_one_sentence(run("view --size 1x1 --shot a.png"), 2);
  expect_one_sentence(run("view --t 2 --shot a.png"), 2);
  expect_one_sentence(run("view --ranks 5000 --shot a.png"), 2);
  expect_one_sentence(run("view --shot no/such/folder/a.png"), 2);
  expect_one_sentence(run("view --record film.avi"), 2);
  expect_one_sentence(run("view --monitor 7 --shot a.png"), 3);
  EXPECT_FALSE(has("a.png"));
}

TEST_F(Window, WhatCannotBeWrittenIsRefusedBeforeTheWork) {
  fs::create_directory(at("bin"));
  fs::create_symlink("/usr/bin/timeout", at("bin/timeout"));
  std::ofstream(at("file")) << "mine";
  const std::string nowhere = "PATH=\"$PWD/bin\"";  // nor a display, which is looked for later
  for (const char* words :
       {"--shot no/such/folder/a.png", "--dump-state no/such/folder/a", "--shot bin",
        "--record file", "--record file/frames", "--record no/such/film.mp4",
        "--shot a.png --dump-state a.png", "--script file --dump-state file", "--shot ''"}) {
    const auto ran = run(std::string("view --ranks 2 ") + words, nowhere);
    EXPECT_EQ(ran.status, 2) << words << ran.err;
  }
  EXPECT_EQ(contents(at("file")), "mine");
  EXPECT_FALSE(has("a.png") || has("no") || has("a"));
  // One of several: nothing is made of the others either.
  expect_one_sentence(run("view --ranks 2 --record frames --dump-state no/such/folder/a"), 2);
  EXPECT_FALSE(has("frames"));
}

TEST_F(Window, APictureNeverTakesThePlaceOfADevice) {
  for (const std::string name : {"pipe.png", "pipe.mp4"}) {
    ASSERT_EQ(mkfifo(at(name).c_str(), 0600), 0);
    const auto ran =
        run("view --ranks 2 " + (name == "pipe.png" ? "--shot " + name : "--record " + name));
    expect_one_sentence(ran, 2);
    EXPECT_TRUE(fs::is_fifo(at(name))) << name;
  }
}

TEST_F(Window, PicturesHaveTheSizeAskedForAndAreTheSameAgain) {
  for (const char* name : {"a.png", "b.png"}) {
    const auto ran = run(std::string("view --ranks 4 --t 40% --size 1280x720 --shot ") + name);
    ASSERT_EQ(ran.status, 0) << ran.err;
    EXPECT_EQ(ran.out + ran.err, "");
  }
  EXPECT_EQ(png_size(at("a.png")), (PngSize{1280, 720}));
  EXPECT_EQ(difference(at("a.png"), at("b.png")), 0u);
  ASSERT_EQ(run("view --ranks 4 --t 60% --size 1280x720 --shot c.png").status, 0);
  EXPECT_GT(difference(at("a.png"), at("c.png")), 100u) << "another moment, the same picture";
}

TEST_F(Window, AMeasuredRunStandsBesideItsSimulation) {
  ASSERT_EQ(run("step --ranks 4 --bytes 1M --trace run.json").status, 0);
  auto text = contents(at("run.json"));
  const std::string simulated = "\"measured\":false";
  ASSERT_NE(text.find(simulated), text.npos);
  text.replace(text.find(simulated), simulated.size(), "\"measured\":true");
  std::ofstream(at("run.json")) << text;
  const auto ran = run("view --trace run.json --beside --bandwidth 50GB/s --dump-state state");
  ASSERT_EQ(ran.status, 0) << ran.err;
  const auto state = nlohmann::json::parse(contents(at("state")));
  EXPECT_EQ(state["run"]["measured"], true);
  EXPECT_EQ(state["rival"]["measured"], false);
  EXPECT_EQ(state["run"]["row"]["algorithm"], state["rival"]["row"]["algorithm"]);
  EXPECT_GT(state["run"]["time_ps"], state["rival"]["time_ps"]) << "it was recorded at 25 GB/s";
  expect_one_sentence(run("view --trace run.json --bandwidth 50GB/s --shot a.png"), 2);
}

TEST_F(Window, AFilmIsAFolderOfPictures) {
  const auto ran = run("view --ranks 2 --t 90% --size 640x360 --frame-dt 0.1 --record frames");
  ASSERT_EQ(ran.status, 0) << ran.err;
  EXPECT_EQ(png_size(at("frames/frame_00001.png")), (PngSize{640, 360}));
  EXPECT_TRUE(has("frames/frame_00002.png"));
}

TEST_F(Window, AFilmIsEncodedWhereFfmpegIs) {
  if (std::system("command -v ffmpeg >/dev/null") != 0) GTEST_SKIP() << "no ffmpeg here";
  for (const char* film : {"film.mp4", "film.gif"}) {
    const auto ran =
        run(std::string("view --ranks 2 --t 90% --size 640x360 --frame-dt 0.1 --record ") + film);
    ASSERT_EQ(ran.status, 0) << ran.err;
    EXPECT_GT(fs::file_size(at(film)), 1000u);
    EXPECT_FALSE(has(std::string(film) + ".part" + std::string(film).substr(4))) << "left behind";
  }
}

TEST_F(Window, WithoutFfmpegAFilmIsRefusedAndSaysWhatWouldDo) {
  fs::create_directory(at("bin"));
  fs::create_symlink("/usr/bin/timeout", at("bin/timeout"));
  fs::create_symlink("/usr/bin/Xvfb", at("bin/Xvfb"));
  const auto ran = run("view --record film.mp4", "PATH=\"$PWD/bin\"");
  expect_one_sentence(ran, 3);
  EXPECT_THAT(ran.err, HasSubstr("--record frames"));
}

TEST_F(Window, BenchReportsFrameTimesAndMemory) {
  const auto ran = run("view --ranks 8 --size 640x360 --bench --json");
  ASSERT_EQ(ran.status, 0) << ran.err;
  const auto json = nlohmann::json::parse(ran.out);
  EXPECT_EQ(json["ringside"], 1);
  const auto& row = json["results"][0];
  EXPECT_GT(row["frames"], 100);
  EXPECT_LE(row["p50_ms"], row["p95_ms"]);
  EXPECT_LE(row["p95_ms"], row["p99_ms"]);
  EXPECT_LE(row["p99_ms"], row["max_ms"]);
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)  // they keep shadows of it all
  EXPECT_LT(row["memory_bytes"], 400u << 20);
#endif
}

}  // namespace
}  // namespace ringside::window
