#include "core/file.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

namespace ringside {
namespace {

namespace fs = std::filesystem;

/// A folder of its own for each test, gone afterwards.
class Files : public testing::Test {
 protected:
  Files() { fs::create_directories(folder_); }
  ~Files() override { fs::remove_all(folder_); }
  std::string path(const std::string& name) const { return (folder_ / name).string(); }

 private:
  fs::path folder_ =
      fs::path(testing::TempDir()) /
      ("ringside_" + std::string(testing::UnitTest::GetInstance()->current_test_info()->name()) +
       std::to_string(getpid()));
};

TEST_F(Files, KeepEveryByte) {
  std::string text;
  for (int i = 0; i < 300'000; ++i) text += static_cast<char>(i * 7);
  ASSERT_TRUE(write_file(path("bytes"), text));
  EXPECT_EQ(*read_file(path("bytes")), text);
  ASSERT_TRUE(write_file(path("bytes"), ""));
  EXPECT_EQ(*read_file(path("bytes")), "") << "a shorter text leaves nothing of the longer one";
}

TEST_F(Files, LargerThanAllowedAreRefused) {
  ASSERT_TRUE(write_file(path("four"), "1234"));
  EXPECT_TRUE(read_file(path("four"), Bytes{4}));
  const auto refused = read_file(path("four"), Bytes{3});
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().message.find("larger than 3 B"), std::string::npos);
}

TEST_F(Files, FailToBeWrittenWithoutATrace) {
  EXPECT_FALSE(write_file(path("no/such/folder"), "x"));
  EXPECT_FALSE(write_file(path(""), "x"));
  EXPECT_TRUE(fs::is_empty(path("")));
}

TEST_F(Files, UnfinishedLeaveNothingBehind) {
  ASSERT_TRUE(write_file(path("old"), "as it was"));
  {
    auto draft = FileDraft::open(path("old"));
    ASSERT_TRUE(draft);
    EXPECT_TRUE(draft->write("half"));
    const FileDraft moved = *std::move(draft);
    EXPECT_EQ(*read_file(path("old")), "as it was");
  }
  EXPECT_EQ(*read_file(path("old")), "as it was");
  EXPECT_EQ(std::distance(fs::directory_iterator(path("")), {}), 1);
}

TEST_F(Files, WhatCannotBeWrittenIsKnownBefore) {
  EXPECT_TRUE(check_writable(path("new")));
  EXPECT_TRUE(fs::is_empty(path(""))) << "nothing stays behind";
  ASSERT_TRUE(write_file(path("old"), "kept"));
  EXPECT_TRUE(check_writable(path("old")));
  EXPECT_EQ(*read_file(path("old")), "kept");
  EXPECT_TRUE(check_writable("/dev/null"));
  for (const char* no : {"no/such/folder", ""}) {
    const auto refused = check_writable(path(no));
    ASSERT_FALSE(refused) << no;
    EXPECT_NE(refused.error().message.find("cannot write "), std::string::npos);
  }
}

TEST_F(Files, OneFileMayHaveTwoNames) {
  EXPECT_TRUE(is_same_file(path("a"), path("a"))) << "before there is one";
  EXPECT_TRUE(is_same_file(path("a"), path("./a")));
  EXPECT_TRUE(is_same_file("ringside_no_such", "./ringside_no_such"));
  EXPECT_FALSE(is_same_file(path("a"), path("b")));
  ASSERT_TRUE(write_file(path("a"), ""));
  fs::create_symlink(path("a"), path("b"));
  EXPECT_TRUE(is_same_file(path("a"), path("b")));
  EXPECT_FALSE(is_same_file("", "")) << "nothing is written";
  EXPECT_FALSE(is_same_file("/dev/null", "/dev/null")) << "there is room for all";
}

TEST_F(Files, DevicesStayDevices) {
  fs::create_symlink("/dev/null", path("null"));
  EXPECT_TRUE(write_file(path("null"), "into the void"));
  EXPECT_TRUE(fs::is_symlink(path("null"))) << "root must not lose /dev/null to --out";
  EXPECT_EQ(*read_file(path("null")), "");
  fs::create_symlink("/dev/full", path("full"));
  EXPECT_FALSE(write_file(path("full"), "more than there is room for"));
}

}  // namespace
}  // namespace ringside
