// `run --backend cuda --trace` writes what `view --trace` plays.

#include <gmock/gmock.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "core/file.hpp"
#include "core/formats/trace_json.hpp"
#include "tests/fake_cuda/program.hpp"

namespace fake {
namespace {

using namespace ringside;
using testing::HasSubstr;

class ProgramTrace : public testing::Test {
 protected:
  void SetUp() override { std::filesystem::create_directories(folder_); }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  std::string at(const std::string& name) const { return folder_ + "/" + name; }

 private:
  std::string folder_ = testing::TempDir() + "cuda_trace_" + std::to_string(getpid());
};

TEST_F(ProgramTrace, OfStreamsIsReadAndPlayedAgain) {
  const auto ran = ringside("devices=4,peers=partial",
                            "run --backend cuda --ranks 8 -b 64K -e 64K -n 2 --trace " + at("t"));
  ASSERT_EQ(ran.status, 0) << ran.text;
  EXPECT_THAT(ran.text, HasSubstr("# trace of ring, 64 KiB, out of place, on cuda/streams, in "));
  EXPECT_THAT(ran.text, HasSubstr("# its ranks' clocks agree within "));
  EXPECT_THAT(ran.text, HasSubstr("# the traced run took "));
  EXPECT_THAT(ran.text, HasSubstr("# no peer access between devices 0-2, 0-3, 1-2, 1-3: "));
  const auto text = read_file(at("t"));
  ASSERT_TRUE(text);
  const auto recorded = trace_from_json(*text, "t");
  ASSERT_TRUE(recorded) << recorded.error().message;
  EXPECT_TRUE(recorded->is_measured);
  EXPECT_EQ(recorded->row.backend, "cuda/streams");
  EXPECT_EQ(recorded->spans.size(), recorded->schedule->transfers().size());
  const auto viewed =
      ringside("devices=1", "view --trace " + at("t") + " --dump-state " + at("state"));
  if (viewed.status == 3) GTEST_SKIP() << "no window here: " << viewed.text;
  ASSERT_EQ(viewed.status, 0) << viewed.text;
  const auto state = read_file(at("state"));
  ASSERT_TRUE(state);
  EXPECT_THAT(*state, HasSubstr("cuda/streams"));
}

/// The trace is of the executor that was asked for, where it keeps one.
TEST_F(ProgramTrace, OfTheOneKernelHasASpanForEachTransfer) {
  const auto ran = ringside("devices=2",
                            "run --backend cuda --executor kernel --ranks 4 -b 64K "
                            "-e 64K -n 2 --trace " +
                                at("t"));
  ASSERT_EQ(ran.status, 0) << ran.text;
  EXPECT_THAT(ran.text, HasSubstr("# trace of ring, 64 KiB, out of place, on cuda/kernel, in "));
  const auto recorded = trace_from_json(read_file(at("t")).value(), "t");
  ASSERT_TRUE(recorded) << recorded.error().message;
  EXPECT_EQ(recorded->row.backend, "cuda/kernel");
  EXPECT_EQ(recorded->spans.size(), recorded->schedule->transfers().size());
  EXPECT_GT(*recorded->row.time, Duration{});
}

}  // namespace
}  // namespace fake
