// MSCCL programs on real data: each type of step, and the real files.

#include <gmock/gmock.h>

#include <cstdlib>
#include <filesystem>

#include "core/engine.hpp"
#include "core/file.hpp"
#include "core/formats/schedule_file.hpp"
#include "gpu/host/host_backend.hpp"

namespace ringside {
namespace {

/// `s i0 o0 1` and the like, a step each; `@2.1` waits for tb 2, step 1.
struct Block {
  int send, recv;
  std::vector<std::string> steps;
};

std::string step(std::size_t number, const std::string& text) {
  const auto wait = text.find(" @");
  const auto words = text.substr(0, wait);
  std::string depid = "-1", deps = "-1";
  if (wait != std::string::npos) {
    depid = text[wait + 2];
    deps = text.substr(wait + 4);
  }
  const auto first = words.find(' '), second = words.find(' ', first + 1);
  const auto src = words.substr(first + 1, second - first - 1), dst = words.substr(second + 1);
  return "<step s=\"" + std::to_string(number) + "\" type=\"" + words.substr(0, first) +
         "\" srcbuf=\"" + src[0] + "\" srcoff=\"" + src.substr(1) + "\" dstbuf=\"" + dst[0] +
         "\" dstoff=\"" + dst.substr(1) + "\" cnt=\"1\" depid=\"" + depid + "\" deps=\"" + deps +
         "\" hasdep=\"1\"/>";
}

std::string xml(const std::string& attributes, const std::vector<std::vector<Block>>& gpus) {
  std::string text = "<algo name=\"fixture\" proto=\"Simple\" ngpus=\"" +
                     std::to_string(gpus.size()) + "\" " + attributes + ">";
  for (std::size_t g = 0; g < gpus.size(); ++g) {
    text += "<gpu id=\"" + std::to_string(g) + "\" s_chunks=\"4\">";
    for (std::size_t b = 0; b < gpus[g].size(); ++b) {
      const Block& block = gpus[g][b];
      text += "<tb id=\"" + std::to_string(b) + "\" send=\"" + std::to_string(block.send) +
              "\" recv=\"" + std::to_string(block.recv) + "\" chan=\"0\">";
      for (std::size_t s = 0; s < block.steps.size(); ++s) text += step(s, block.steps[s]);
      text += "</tb>";
    }
    text += "</gpu>";
  }
  return text + "</algo>";
}

/// Proven, then run by every executor of the host and by the reference; what was wrong, if
/// anything.
std::string run(const std::string& text) {
  const auto file = schedule_from_text(text, "f");
  if (!file) return file.error().message;
  const auto count = least_size(*file, ElementType::float32).count /
                     size_of(file->schedule.spec(), 1, ElementType::float32).count;
  for (const auto make : {make_reference_backend, make_host_backend}) {
    const auto backend = make();
    std::vector<std::string_view> executors{""};
    if (!backend->capabilities().executors.empty()) executors = {"direct", "sliced", "ranks"};
    for (const auto executor : executors) {
      Trial trial{};  // exact: some sum in another order on each rank
      trial.run.executor = executor;
      const Work work{&file->schedule, 3 * count, ElementType::float32};
      const auto outcome = execute(*backend, work, trial);
      if (!outcome) return outcome.error().message;
      if (outcome->comparison.checked == 0) return "nothing was checked";
      if (outcome->comparison.wrong > 0) return outcome->comparison.first;
    }
  }
  return "";
}

TEST(MscclSteps, SendReduceAndForward) {
  // A chain of sums, and the result back the same way: s, rrs, rrcs, rcs, r.
  EXPECT_EQ(run(xml(R"(coll="allreduce" nchunksperloop="1" inplace="1")",
                    {{{1, 1, {"s i0 i0", "r i0 i0"}}},
                     {{2, 0, {"rrs i0 i0"}}, {0, 2, {"rcs i0 i0"}}},
                     {{3, 1, {"rrs i0 i0"}}, {1, 3, {"rcs i0 i0"}}},
                     {{2, 2, {"rrcs i0 i0"}}}})),
            "");
}

TEST(MscclSteps, ReceiveAndReduce) {
  EXPECT_EQ(run(xml(R"(coll="allreduce" nchunksperloop="1" inplace="1")",
                    {{{1, 1, {"s i0 i0", "rrc i0 i0"}}}, {{0, 0, {"s i0 i0", "rrc i0 i0"}}}})),
            "");
}

TEST(MscclSteps, CopyAndReduceInPlaceOfTheirOwn) {
  // Into scratch; the sum in a block of its own, after a nop that waits for one more.
  const auto gpu = [](int peer) {
    return std::vector<Block>{{peer, peer, {"s i0 i0", "r s0 s0"}},
                              {-1, -1, {"cpy i0 o0", "nop i0 o0 @0.0", "re s0 o0 @0.1"}}};
  };
  EXPECT_EQ(run(xml(R"(coll="allreduce" nchunksperloop="1" outofplace="1")", {gpu(1), gpu(0)})),
            "");
}

TEST(MscclSteps, OnSharesOfTheVector) {
  // all_gather's input and reduce_scatter's output count from the gpu's own block.
  const auto gather = [](int peer, const std::string& own, const std::string& other) {
    return std::vector<Block>{{peer, peer, {"s i0 i0", "r " + other + " " + other}},
                              {-1, -1, {"cpy i0 " + own}}};
  };
  EXPECT_EQ(run(xml(R"(coll="allgather" nchunksperloop="2" outofplace="1")",
                    {gather(1, "o0", "o1"), gather(0, "o1", "o0")})),
            "");
  const auto scatter = [](int peer, const std::string& own, const std::string& other) {
    return std::vector<Block>{{peer, peer, {"s " + other + " " + other, "rrc " + own + " o0"}}};
  };
  EXPECT_EQ(run(xml(R"(coll="reduce_scatter" nchunksperloop="2" outofplace="1")",
                    {scatter(1, "i0", "i1"), scatter(0, "i1", "i0")})),
            "");
}

TEST(MscclSteps, WrongOnesDoNotRun) {
  EXPECT_THAT(run(xml(R"(coll="allreduce" nchunksperloop="1" inplace="1")",
                      {{{1, 1, {"s i0 i0", "r i0 i0"}}}, {{0, 0, {"s i0 i0", "rrc i0 i0"}}}})),
              testing::HasSubstr("f is wrong: result: in place, "));
}

TEST(MscclFiles, OfOthersRunOnTheHost) {
  namespace fs = std::filesystem;
  const char* given = std::getenv("RINGSIDE_SHARED_DATA");
  const fs::path root = given != nullptr ? given : RINGSIDE_SOURCE_DIR "/../shared/data";
  std::size_t ran = 0;
  for (const char* folder : {"msccl_xml", "msccl_measured"}) {
    if (!fs::exists(root / folder)) continue;
    for (const auto& entry : fs::directory_iterator(root / folder)) {
      const auto name = entry.path().filename().string();
      if (entry.path().extension() != ".xml" || name.starts_with("29") || name.starts_with("34"))
        continue;
      EXPECT_EQ(run(*read_file(entry.path().string())), "") << name;
      ++ran;
    }
  }
  if (ran == 0) GTEST_SKIP() << "no MSCCL files beside the sources: set RINGSIDE_SHARED_DATA";
}

}  // namespace
}  // namespace ringside
