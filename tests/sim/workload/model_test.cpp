// The shipped models against what was published of them, to the parameter.

#include "sim/workload/model.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sim/workload/stages.hpp"

namespace ringside::sim {
namespace {

Model model(std::string_view name) {
  auto found = find_model(name);
  EXPECT_TRUE(found) << found.error().message;
  return found.value_or(Model{});
}

TEST(WorkloadModel, HasThePublishedParameters) {
  EXPECT_EQ(model("resnet50").parameters(), 25'557'032U);        // torchvision
  EXPECT_EQ(model("bert-large").parameters(), 335'141'888U);     // the released model
  EXPECT_EQ(model("gpt2-xl").parameters(), 1'557'611'200U);      // the released model
  EXPECT_EQ(model("llama2-7b").parameters(), 6'738'415'616U);    // the released model
  EXPECT_EQ(model("llama2-70b").parameters(), 68'976'648'192U);  // the released model
  EXPECT_EQ(model("mixtral-8x7b").parameters(), 46'702'792'704U);
  EXPECT_EQ(model("mixtral-8x7b").active_parameters(), 12'879'925'248U);
  EXPECT_EQ(model("llama2-7b").active_parameters(), 6'738'415'616U);
}

TEST(WorkloadModel, ComputesAsPublished) {
  EXPECT_NEAR(model("resnet50").forward_flops() / 2e9, 4.089, 0.001);  // multiply-adds, torchvision
  // Narayanan et al. 2021, equation 3 without recomputation: 72 B s l h^2 (1 + s/6h + V/12lh).
  const Model gpt = make_transformer("gpt-1.7b", {.hidden = 2304,
                                                  .layers = 24,
                                                  .heads = 24,
                                                  .feed_forward = 9216,
                                                  .vocabulary = 51200,
                                                  .sequence = 2048,
                                                  .positions = 2048});
  const double s = 2048, l = 24, h = 2304, v = 51200;
  EXPECT_NEAR(gpt.step_flops() / (72 * s * l * h * h * (1 + s / (6 * h) + v / (12 * l * h))), 1,
              1e-9);
  // Equation 2: 12 l h^2 (1 + 13/12h + (V + s)/12lh), but for the last norm's 2 h.
  EXPECT_NEAR(static_cast<double>(gpt.parameters()),
              12 * l * h * h * (1 + 13 / (12 * h) + (v + s) / (12 * l * h)) + 2 * h, 0.5);
  // 6 N a token, attention aside: Llama's embedding is looked up, not multiplied.
  const Model llama = model("llama2-7b");
  const double tokens = 4096, weights = 6'738'415'616.0 - 32000 * 4096 - 65 * 4096;
  const double attention = 3 * 32 * 4 * tokens * tokens * 4096;
  EXPECT_NEAR(llama.step_flops() / (6 * weights * tokens + attention), 1, 1e-9);
}

TEST(WorkloadModel, KeepsWhatKorthikantiCounts) {
  // 34 s h + 5 a s^2 bytes a layer in 16 bits; 10 s h of it on every tensor-parallel GPU.
  const Model gpt = model("gpt2-xl");
  const Layer& block = gpt.layers[1];
  const std::uint64_t s = 1024, h = 1600, a = 25;
  EXPECT_EQ(block.split.in(ElementType::bfloat16).count, 24 * s * h);
  EXPECT_EQ(block.replicated.in(ElementType::bfloat16).count, 10 * s * h);
  EXPECT_EQ(block.scores.in(ElementType::bfloat16).count, 5 * a * s * s);
}

TEST(WorkloadModel, SuggestsTheNameMeant) {
  const auto wrong = find_model("llama2-7");
  ASSERT_FALSE(wrong);
  EXPECT_THAT(wrong.error().message, testing::HasSubstr("did you mean llama2-7b?"));
  EXPECT_TRUE(find_model("mixtral"));
}

TEST(WorkloadModel, RefusesNonsenseInOneSentence) {
  const std::string start = "name = \"x\"\n[transformer]\nhidden = 64\nlayers = 2\nheads = ";
  const std::string rest = "\nfeed_forward = 256\nvocabulary = 100\nsequence = 8\n";
  EXPECT_TRUE(read_model(start + "4" + rest, "x.toml"));
  const std::string wrong[] = {
      start + "3" + rest,                            // heads must divide hidden
      start + "4" + rest + "experts_per_token = 1",  // without experts
      start + "4" + rest + "widht = 3",              // no such key
      start + "4\nkv_heads = 3" + rest,              // must divide heads
      "name = \"x\"",                                // neither shape nor layers
      "name = \"x\"\n[[layers]]\nname = \"a\"\nparameters = -1",
      "name = \"x\"\n[[layers]]\nname = \"a\"",  // nothing to train
  };
  for (const std::string& text : wrong) {
    const auto read = read_model(text, "x.toml");
    ASSERT_FALSE(read) << text;
    EXPECT_THAT(read.error().message, testing::StartsWith("x.toml:"));
    EXPECT_EQ(read.error().kind, ErrorKind::request);
  }
}

TEST(WorkloadStages, DealTheRepeatedLayersEvenly) {
  const Model gpt = model("llama2-7b");  // embedding, 32 blocks, head
  const auto count = [](const Stage& stage) {
    std::vector<std::uint32_t> of(3);
    for (const auto& [layer, blocks] : stage) of[layer] += blocks;
    return of;
  };
  const auto four = cut_into_stages(gpt, 4);
  EXPECT_THAT(count(four[0]), testing::ElementsAre(1, 8, 0));
  EXPECT_THAT(count(four[1]), testing::ElementsAre(0, 8, 0));
  EXPECT_THAT(count(four[3]), testing::ElementsAre(0, 8, 1));
  const auto three = cut_into_stages(gpt, 3);  // 11 + 11 + 10
  EXPECT_THAT(count(three[0]), testing::ElementsAre(1, 11, 0));
  EXPECT_THAT(count(three[2]), testing::ElementsAre(0, 10, 1));
  EXPECT_EQ(cut_into_stages(gpt, 1).front().size(), 3U);
  EXPECT_EQ(cut_into_stages(gpt, 34).size(), 34U);  // more than blocks: every layer a stage
}

}  // namespace
}  // namespace ringside::sim
