// `ringside scale` as people and programs see it.

#include <gmock/gmock.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/file.hpp"
#include "tests/viz/command.hpp"

namespace ringside::terminal {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;

constexpr const char* gpt = "scale --system dgx-h100 --model gpt2-xl --gpus 1-16 ";

TEST(Scale, MarksTheKneeAndExplainsIt) {
  const auto ran = run(std::string(gpt) + "--mode strong --plot");
  ASSERT_EQ(ran.status, 0) << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("gpt2-xl on dgx-h100 (h100), strong scaling"));
  EXPECT_TRUE(ran.out.find("The knee is at") != std::string::npos ||
              ran.out.find("No knee up to 16 GPUs") != std::string::npos)
      << ran.out;
  EXPECT_THAT(ran.out, HasSubstr("speed-up (o) and the ideal (.)"));
}

TEST(Scale, WritesOneObject) {
  const auto ran = run(std::string(gpt) + "--json");
  ASSERT_EQ(ran.status, 0) << ran.err;
  const auto result = json::parse(ran.out);
  EXPECT_EQ(result["ringside"], 1);
  EXPECT_EQ(result["command"], "scale");
  EXPECT_EQ(result["model"], "gpt2-xl");
  ASSERT_EQ(result["results"].size(), 5U);
  const auto& last = result["results"][4];
  EXPECT_EQ(last["gpus"], 16);
  EXPECT_NEAR(last["efficiency"].get<double>() * 16, last["speedup"].get<double>(), 1e-9);
  const double parts = last["compute_us"].get<double>() + last["exposed_us"].get<double>() +
                       last["bubble_us"].get<double>();
  EXPECT_NEAR(parts, last["step_us"].get<double>(), 1);
  EXPECT_GT(last["memory_bytes"]["total"], 0);
  EXPECT_TRUE(result["knee"].contains("sentence"));
}

TEST(Scale, WritesARecordACount) {
  const auto ran = run(std::string(gpt) + "--csv");
  ASSERT_EQ(ran.status, 0) << ran.err;
  const auto all = lines(ran.out);
  ASSERT_EQ(all.size(), 6U);
  const auto fields = [](const std::string& line) {
    return std::count(line.begin(), line.end(), ',');
  };
  for (const auto& line : all) EXPECT_EQ(fields(line), fields(all[0])) << line;
}

TEST(Scale, ShowsTheStepOnTheMostGpus) {
  const auto file = testing::TempDir() + "step.json";
  const auto ran = run(std::string(gpt) + "--step --trace " + file);
  ASSERT_EQ(ran.status, 0) << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("A step on 16 GPUs:\n"));
  EXPECT_THAT(ran.out, HasSubstr("F forward"));
  const auto trace = json::parse(*read_file(file));
  EXPECT_THAT(trace["otherData"].dump(), HasSubstr("--step --trace"));
  EXPECT_GT(trace["traceEvents"].size(), 10U);
  EXPECT_EQ(run(std::string(gpt) + "--trace /nosuch/step.json").status, 2);
  EXPECT_EQ(run("scale --system dgx-h100 --model gpt2-xl --gpus 8 --search --step").status, 2);
}

TEST(Scale, SetsWiresThatOneNodeDoesNotHave) {
  const auto time = [](const std::string& set) {
    const auto ran = run(std::string(gpt) + "--json " + set);
    EXPECT_EQ(ran.status, 0) << ran.err;
    return json::parse(ran.out)["results"].back()["step_us"].get<double>();
  };
  EXPECT_GT(time("--set ib.bandwidth=2GB/s"), time(""));
  EXPECT_EQ(run(std::string(gpt) + "--set roce.bandwidth=2GB/s").status, 2);
}

TEST(Scale, SearchesAndCountsWhatItLeftOut) {
  const auto ran = run("scale --system dgx-a100 --model llama2-7b --gpus 8 --search --json");
  ASSERT_EQ(ran.status, 0) << ran.err;
  const auto result = json::parse(ran.out);
  std::size_t left_out = 0;
  for (const auto& [why, count] : result["left_out"].items()) left_out += count.get<std::size_t>();
  EXPECT_EQ(result["candidates"], result["simulated"].get<std::size_t>() + left_out);
  double before = 0;
  for (const auto& one : result["results"]) {
    EXPECT_GE(one["step_us"], before);
    before = one["step_us"];
  }
}

TEST(Scale, SaysWhatDoesNotFit) {
  const auto ran = run("scale --system dgx-h100 --model llama2-7b --gpus 1,8 --zero 1");
  ASSERT_EQ(ran.status, 0) << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("does not fit: it needs"));
}

TEST(Scale, RefusesWhatMakesNoSense) {
  struct Case {
    const char *words, *said;
  };
  for (const auto& [words, said] : std::vector<Case>{
           {"", "--model"},
           {"--model llama2-7", "did you mean llama2-7b?"},
           {"--model llama2-7b --gpus 8-4", "counts down"},
           {"--model llama2-7b --gpus x", "no list of GPU counts"},
           {"--model llama2-7b --gpu h10", "did you mean h100?"},
           {"--model llama2-7b --zero 4", "--zero is one of auto, 0, 1, 2, 3"},
           {"--model llama2-7b --mode stong", "--mode is one of strong, weak"},
           {"--model llama2-7b --type int8 --gpus 8", "floating type"},
           {"--model llama2-7b --type double --gpus 8 --gpu l40s", "no peak rate"},
           {"--model resnet50 --tensor 2 --gpus 8", "no layer that tensor parallelism splits"},
           {"--model llama2-7b --tensor 3 --gpus 6", "does not divide the 32"},
           {"--model llama2-7b --pipeline 64 --gpus 64", "too few for a pipeline"},
           {"--model llama2-7b --expert 2 --gpus 8", "no experts"},
           {"--model llama2-70b --gpus 1", "does not fit"},
           {"--model llama2-7b --gpus 8-16 --search", "one number of GPUs"},
           {"--model gpt2-xl --schedule gpipe --interleave 2 --pipeline 2 --gpus 2", "1f1b"},
           {"--model gpt2-xl --system ring --gpus 2", "say it with --gpu"},
           {"--model no/such.toml", "no/such.toml"},
       }) {
    const auto ran = run(std::string("scale ") + words);
    EXPECT_EQ(ran.status, 2) << words << "\n" << ran.out << ran.err;
    EXPECT_EQ(ran.out, "") << words;
    EXPECT_EQ(ran.err.find('\n'), ran.err.size() - 1) << "not one line: " << ran.err;
    EXPECT_THAT(ran.err, HasSubstr(said)) << words;
  }
}

}  // namespace
}  // namespace ringside::terminal
