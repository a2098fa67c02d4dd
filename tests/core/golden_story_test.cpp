// One small story, word for word: what a reader may expect ring all-reduce to do.

#include <gtest/gtest.h>

#include "core/engine.hpp"

namespace ringside {
namespace {

std::string text(const Schedule& schedule) {
  std::string lines;
  for (std::uint32_t id = 0; id < schedule.transfers().size(); ++id) {
    const Transfer& t = schedule[{id}];
    lines += std::to_string(schedule.step({id}).value) + ": " + to_string(t.src());
    if (t.action() == Action::copy)
      lines += " to ";
    else
      lines += " plus " + to_string(t.with()) + " into ";
    lines += to_string(t.dst()) + "\n";
  }
  return lines;
}

TEST(GoldenStory, RingAllReduceOfThree) {
  const auto ring = find_algorithm(CollectiveKind::all_reduce, "ring");
  ASSERT_TRUE(ring);
  const auto plan = make_plan(**ring, {CollectiveKind::all_reduce, 3}, {});
  ASSERT_TRUE(plan);
  const auto schedule = build_schedule(*plan);
  ASSERT_TRUE(schedule);
  EXPECT_EQ(text(*schedule),
            "0: input[2] on rank 0 plus input[2] on rank 1 into output[2] on rank 1\n"
            "0: input[0] on rank 1 plus input[0] on rank 2 into output[0] on rank 2\n"
            "0: input[1] on rank 2 plus input[1] on rank 0 into output[1] on rank 0\n"
            "1: output[1] on rank 0 plus input[1] on rank 1 into output[1] on rank 1\n"
            "1: output[2] on rank 1 plus input[2] on rank 2 into output[2] on rank 2\n"
            "1: output[0] on rank 2 plus input[0] on rank 0 into output[0] on rank 0\n"
            "2: output[0] on rank 0 to output[0] on rank 1\n"
            "2: output[1] on rank 1 to output[1] on rank 2\n"
            "2: output[2] on rank 2 to output[2] on rank 0\n"
            "3: output[2] on rank 0 to output[2] on rank 1\n"
            "3: output[0] on rank 1 to output[0] on rank 2\n"
            "3: output[1] on rank 2 to output[1] on rank 0\n");
}

}  // namespace
}  // namespace ringside
