// A schedule that is being built: what its text says so far, and what a dragged chunk adds to it.

#include "viz/stage/schedule_draft.hpp"

#include <gmock/gmock.h>

namespace ringside::stage {
namespace {

const std::string header = "all_reduce 3 ranks 3 chunks\n";

TEST(ScheduleDraft, HoldsWhatIsThereAfterWhatStandsThere) {
  const auto draft = read_draft(header + "step\n0 -> 1: 2 +\n");
  ASSERT_EQ(draft.problem, "");
  EXPECT_EQ(draft.ranks, 3u);
  EXPECT_EQ(draft.at(1, 2).value, 200 + 300);
  EXPECT_EQ(draft.at(1, 2).contributors(), 2u);
  EXPECT_EQ(draft.at(0, 2).value, 200);
}

TEST(ScheduleDraft, SaysWhyItCannotBeRead) {
  const auto draft = read_draft(header + "step\n0 -> 7: 2 +\n");
  EXPECT_NE(draft.problem, "");
  EXPECT_TRUE(draft.cells.empty());
}

TEST(ScheduleDraft, MovesAreAddedToTheLastStepAndTakenBack) {
  const std::string one = with_move(header, {0, 1, 2, true});
  EXPECT_EQ(one, header + "step\n0 -> 1: 2 +\n");
  const std::string two = with_move(with_step(one), {1, 2, 2, false});
  EXPECT_EQ(two, one + "step\n1 -> 2: 2\n");
  EXPECT_EQ(read_draft(two).steps, 2u);
  EXPECT_EQ(read_draft(two).at(2, 2).value, 500);
  EXPECT_EQ(without_last(without_last(two)), one);
  EXPECT_EQ(without_last(header), header) << "the header stays";
}

TEST(ScheduleDraft, OneOfSeveralMovesOnALineIsTakenBackAlone) {
  const std::string line = header + "step 0: 0 -> 1: 2 +";
  EXPECT_EQ(without_last(line + "; 1 -> 2: 0 +\n"), line + "\n");
}

}  // namespace
}  // namespace ringside::stage
