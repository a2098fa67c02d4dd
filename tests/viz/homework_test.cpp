// Homework from the command line: assigned, done, handed in, graded.

#include <gmock/gmock.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "tests/viz/command.hpp"

namespace ringside::terminal {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using Json = nlohmann::json;

class Homeworks : public testing::Test {
 protected:
  Homeworks() { fs::create_directories(here_); }
  ~Homeworks() override { fs::remove_all(here_); }

  std::string path(const std::string& name) const { return (here_ / name).string(); }
  void put(const std::string& name, const std::string& text) const {
    fs::create_directories((here_ / name).parent_path());
    std::ofstream(here_ / name) << text;
  }
  Json file(const std::string& name) const {
    std::ifstream stream(here_ / name);
    return Json::parse(stream);
  }
  void assign(const std::string& student, const std::string& more = "") const {
    const auto ran = run("learn 3 --assign --seed auto --student " + student + " --out " +
                         path(student + ".json") + more);
    ASSERT_EQ(ran.status, 0) << ran.err;
  }

  fs::path here_ = fs::path(testing::TempDir()) / ("ringside_hand_ins_" + std::to_string(getpid()));
};

TEST_F(Homeworks, AreAssignedDoneAndGraded) {
  assign("s1");
  const auto fresh = file("s1.json");
  ASSERT_FALSE(fresh.at("questions").empty());
  const auto done = run({"learn", "--homework", path("s1.json")}, "hint\nnonsense?\n999\nquit\n");
  EXPECT_EQ(done.status, 0) << done.err;
  EXPECT_THAT(done.out, HasSubstr("right. Hand in " + path("s1.json")));
  const auto kept = file("s1.json").at("questions").at(0);
  EXPECT_EQ(kept.at("attempts"), Json::array({"999"})) << "what cannot be read is no attempt";
  EXPECT_EQ(kept.at("hints"), 1);
  EXPECT_EQ(kept.at("answer"), "999");
  const auto graded = run({"grade", path(""), "--json", "--csv", path("marks.csv")});
  EXPECT_EQ(graded.status, 0) << graded.out << graded.err;
  const auto row = Json::parse(graded.out).at("results").at(0);
  EXPECT_EQ(row.at("student"), "s1");
  EXPECT_EQ(row.at("right"), 0);
  EXPECT_EQ(row.at("attempts"), 1);
  EXPECT_EQ(row.at("hints"), 1);
  EXPECT_TRUE(fs::exists(path("marks.csv")));
}

TEST_F(Homeworks, AnEditedFileIsFlaggedAndNotSealedAnew) {
  assign("s1");
  auto json = file("s1.json");
  json["student"] = "s2";
  put("s1.json", json.dump());
  const auto graded = run({"grade", path("s1.json")});
  EXPECT_EQ(graded.status, 1);
  EXPECT_THAT(graded.out, HasSubstr("FLAG edited"));
  const auto done = run({"learn", "--homework", path("s1.json")}, "1\n");
  EXPECT_EQ(done.status, 2);
  EXPECT_THAT(done.err, HasSubstr("was edited where it may not be"));
}

TEST_F(Homeworks, WhatIsHostileBecomesARow) {
  assign("=2+5");  // a spreadsheet would compute it
  put("deep.json", std::string(500'000, '['));
  put("big.json", std::string(2'000'000, ' '));
  put("noise", std::string("\x7f"
                           "ELF\0\x1b[2J",
                           9));
  put("a/b/c/d/e/too_deep.json", "{}");
  put(".hidden", "not ours");
  fs::create_symlink("/dev/zero", here_ / "endless.json");
  fs::create_directory_symlink(here_, here_ / "loop");
  ASSERT_EQ(mkfifo(path("pipe").c_str(), 0600), 0);
  const auto graded = run({"grade", path(""), "--csv", path(".marks.csv")});
  EXPECT_EQ(graded.status, 1);
  for (const char* says : {"nests 4 deep at most", "is larger than 1 MiB", "noise is not JSON",
                           "a folder that lies too deep", "endless.json: not graded: a link",
                           "loop: not graded: a link", "pipe: not graded: no regular file",
                           "1 of 8 files could be graded."})
    EXPECT_THAT(graded.out, HasSubstr(says));
  EXPECT_EQ(graded.out.find('\x1b'), std::string::npos);
  EXPECT_EQ(graded.out.find("hidden"), std::string::npos);
  std::ifstream stream(path(".marks.csv"));
  const std::string csv{std::istreambuf_iterator<char>(stream), {}};
  EXPECT_THAT(csv, HasSubstr(",'=2+5,ring,"));
}

TEST_F(Homeworks, RequestsThatMakeNoSenseSaySo) {
  const std::pair<std::string, const char*> cases[] = {
      {"grade " + path("nowhere"), "there is no folder or file"},
      {"grade " + path(""), "is empty: nothing was handed in"},
      {"learn 3 --assign", "--assign needs --student ID"},
      {"learn 3 --assign --student s1 --seed -4", "--seed"},
      {"learn 99 --assign --student s1", "99"},
      {"learn --homework " + path("nowhere.json"), "nowhere.json"},
  };
  for (const auto& [words, says] : cases) {
    const auto ran = run(words);
    EXPECT_EQ(ran.status, 2) << words;
    EXPECT_THAT(ran.err, HasSubstr(says)) << words;
  }
}

TEST_F(Homeworks, AScheduleIsMarkedByARubric) {
  put("r.toml",
      "collective = \"all_reduce\"\nranks = 4\nbytes = \"64MB\"\n"
      "system = \"system=ring&bandwidth=25GB/s&latency=1us\"\npass = 5\n"
      "[par]\nsteps = 6\n[points]\nright = 4\nsteps = 2\n");
  ASSERT_EQ(run("schedule export --ranks 4 --format text --out " + path("ring.txt")).status, 0);
  const auto good = run("schedule check " + path("ring.txt") + " --rubric " + path("r.toml"));
  EXPECT_EQ(good.status, 0) << good.out << good.err;
  EXPECT_THAT(good.out, HasSubstr("6 of 6 points: passed"));
  put("bad.txt", "all_reduce 4 ranks 4 chunks\nstep\n0 -> 1: 0 +\n");
  const auto bad = run("schedule check " + path("bad.txt") + " --rubric " + path("r.toml"));
  EXPECT_EQ(bad.status, 1);
  EXPECT_THAT(bad.out, HasSubstr("lacks rank"));
  put("worse.txt", "all_reduce 4 ranks 4 chunks\nstep\n0 => 1: 0\n");
  const auto worse = run("schedule check " + path("worse.txt") + " --rubric " + path("r.toml"));
  EXPECT_EQ(worse.status, 2);
  EXPECT_THAT(worse.err, HasSubstr("worse.txt:3: expected `->`"));
}

}  // namespace
}  // namespace ringside::terminal
