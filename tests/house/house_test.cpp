// The house rules hold for every source file; and each rule is shown to catch what it is there for.

#include <gmock/gmock.h>

#include <cstdio>
#include <filesystem>
#include <fstream>

#include "tests/house/rules.hpp"

namespace ringside::house {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::vector<File> sources(const std::set<std::string>& rooms) {
  std::vector<File> files;
  const std::filesystem::path root = RINGSIDE_SOURCE_DIR;
  for (const auto& room : rooms) {
    if (!std::filesystem::exists(root / room)) continue;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(root / room)) {
      const auto extension = entry.path().extension();
      if (extension != ".cpp" && extension != ".hpp" && extension != ".cu") continue;
      std::ifstream stream(entry.path());
      std::ostringstream text;
      text << stream.rdbuf();
      files.push_back({std::filesystem::relative(entry.path(), root).string(), text.str()});
    }
  }
  std::sort(files.begin(), files.end(), [](auto& a, auto& b) { return a.path < b.path; });
  return files;
}

/// Files and folders at the root that git keeps; what builds and runs leave there does not count.
std::set<std::string> tracked_at_the_top() {
  std::set<std::string> names;
  const std::string command = "git -C '" RINGSIDE_SOURCE_DIR "' ls-files 2>/dev/null";
  std::FILE* const pipe = popen(command.c_str(), "r");
  if (pipe == nullptr) return names;
  std::string path;
  for (int c; (c = std::fgetc(pipe)) != EOF;) {
    if (c != '\n') {
      path += static_cast<char>(c);
      continue;
    }
    names.insert(room_of(path));
    path.clear();
  }
  pclose(pipe);
  return names;
}

const std::set<std::string> every_room = {"core", "sim", "gpu", "lessons", "viz", "tests"};

Complaints ask(Complaints (*rule)(const File&)) {
  Complaints all;
  for (const auto& file : sources(every_room))
    for (auto& complaint : rule(file)) all.push_back(std::move(complaint));
  return all;
}

TEST(House, SourcesAreWhereThisTestLooks) {
  EXPECT_GT(sources({"core"}).size(), 20u);
}

TEST(House, NoStrangersAtTheTop) {
  const auto names = tracked_at_the_top();
  if (names.empty())
    GTEST_SKIP() << "not a checkout that git reads: nothing says what belongs here";
  EXPECT_TRUE(names.contains("core"));
  EXPECT_THAT(strangers_at_the_top(names), IsEmpty());
}

TEST(House, IncludeArrowsPointToCore) {
  EXPECT_THAT(ask(wrong_arrows), IsEmpty());
}

TEST(House, InstalledHeadersIncludeNothingForeign) {
  EXPECT_THAT(ask(foreign_includes), IsEmpty());
}

TEST(House, NothingOutgrowsItsBudget) {
  EXPECT_THAT(ask(too_big), IsEmpty());
}

TEST(HouseRule, TheTopIsForRoomsAndWhatToolsDemand) {
  EXPECT_THAT(strangers_at_the_top({".ci", ".gitignore", "core", "lessons", "README.md"}),
              IsEmpty());
  EXPECT_THAT(
      strangers_at_the_top({"cmake", "core", "src", "notes.txt"}),
      ElementsAre("cmake has no place at the top level", "notes.txt has no place at the top level",
                  "src has no place at the top level"));
}

TEST(HouseRule, ArrowsCatchEachWrongDirection) {
  const auto asks = [](std::string path, const std::string& target) {
    return wrong_arrows({std::move(path), "\n#include \"" + target + "\"\n"});
  };
  EXPECT_THAT(asks("core/a.cpp", "sim/b.hpp"),
              ElementsAre("core/a.cpp:2: core may not include sim/b.hpp"));
  EXPECT_EQ(asks("sim/a.cpp", "gpu/host/b.hpp").size(), 1u);
  EXPECT_EQ(asks("gpu/a.cpp", "sim/b.hpp").size(), 1u);
  EXPECT_EQ(asks("lessons/a.cpp", "viz/b.hpp").size(), 1u);
  EXPECT_EQ(asks("sim/a.cpp", "router.hpp").size(), 1u) << "paths start at the root";
  EXPECT_THAT(asks("viz/main.cpp", "gpu/host/b.hpp"), IsEmpty());
  EXPECT_THAT(asks("sim/a.cpp", "core/b.hpp"), IsEmpty());
}

TEST(HouseRule, ForeignHeadersAreCaughtInInstalledHeadersOnly) {
  EXPECT_EQ(foreign_includes({"sim/a.hpp", "#include <fmt/core.h>\n"}).size(), 1u);
  EXPECT_EQ(foreign_includes({"core/a.hpp", "#include <stdlib.h>\n"}).size(), 1u);
  EXPECT_THAT(foreign_includes({"core/a.hpp", "#include <tl/expected.hpp>\n#include <map>\n"}),
              IsEmpty());
  EXPECT_THAT(foreign_includes({"core/a.cpp", "#include <fmt/core.h>\n"}), IsEmpty());
}

TEST(HouseRule, BudgetsAreCounted) {
  const auto many = [](std::size_t n) {
    std::string text;
    for (std::size_t i = 0; i < n; ++i) text += "  x;\n";
    return text;
  };
  EXPECT_THAT(too_big({"a.hpp", many(150)}), IsEmpty());
  EXPECT_THAT(too_big({"a.hpp", many(151)}), ElementsAre(HasSubstr("151 lines, at most 150")));
  EXPECT_THAT(too_big({"a.cpp", many(400)}), IsEmpty());
  EXPECT_THAT(too_big({"a.cpp", many(401)}), ElementsAre(HasSubstr("at most 400")));
  EXPECT_THAT(too_big({"a.cpp", std::string(101, 'x')}), ElementsAre(HasSubstr("100 columns")));
  std::string accents;
  for (int i = 0; i < 100; ++i) accents += "é";
  EXPECT_THAT(too_big({"a.cpp", accents}), IsEmpty());
  EXPECT_THAT(too_big({"a.cpp", "void f() {\n" + many(58) + "}\n"}), IsEmpty());
  EXPECT_THAT(too_big({"a.cpp", "int g;\n\nvoid f(int a,\n       int b) {\n" + many(58) + "}\n"}),
              ElementsAre("a.cpp:3: a function of 61 lines, at most 60"));
}

}  // namespace
}  // namespace ringside::house
