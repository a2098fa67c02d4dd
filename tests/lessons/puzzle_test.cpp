#include "lessons/course/puzzle.hpp"

#include <gmock/gmock.h>

#include "core/engine.hpp"
#include "core/mutation.hpp"
#include "sim/lower_bound.hpp"
#include "tests/lessons/textbook.hpp"

namespace ringside::lessons {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

std::string text_of(std::string_view algorithm, const CollectiveSpec& spec) {
  const auto plan = make_plan(**find_algorithm(spec.kind, algorithm), spec, {});
  return schedule_to_text(*build_schedule(*plan));
}

Puzzle ring_of_eight() {
  Puzzle puzzle;
  puzzle.spec = {.kind = CollectiveKind::all_reduce, .ranks = 8};
  puzzle.chunks = 0;
  puzzle.bytes = {256};
  puzzle.par = {.steps = 14, .busiest = {896}, .time = {}};
  return puzzle;
}

TEST(Puzzle, ARingMakesParAndAStarMovesAllThroughOnePort) {
  const Puzzle puzzle = ring_of_eight();
  const auto laboratory = textbook({256});
  const auto ring = grade(puzzle, text_of("ring", puzzle.spec), laboratory);
  ASSERT_TRUE(ring) << ring.error().message;
  EXPECT_TRUE(ring->makes_par());
  EXPECT_EQ(ring->stars(), most_stars);
  EXPECT_EQ(ring->steps, 14u);
  EXPECT_EQ(ring->busiest.count, 896u);
  EXPECT_EQ(ring->least_busiest.count, 896u) << "4(N-1)/N S: nothing does better than a ring";
  EXPECT_GE(ring->time, ring->least_time);
  EXPECT_GT(ring->least_time.picoseconds, 0);
  const auto star = grade(puzzle, text_of("star", puzzle.spec), laboratory);
  ASSERT_TRUE(star) << star.error().message;
  EXPECT_TRUE(star->correct);
  EXPECT_EQ(star->busiest.count, 3584u);
  EXPECT_EQ(star->busiest_rank.value, 0u);
  EXPECT_FALSE(star->within_busiest);
  EXPECT_TRUE(star->within_steps);
  EXPECT_FALSE(star->makes_par());
  EXPECT_EQ(star->stars(), most_stars - 1);
}

TEST(Puzzle, ParIsMadeWithinOnePartInAThousand) {
  Puzzle puzzle = ring_of_eight();
  const auto text = text_of("ring", puzzle.spec);
  const auto laboratory = textbook({256});
  const auto time = grade(puzzle, text, laboratory)->time;
  for (const auto& [par, is_made] : {std::pair{time.picoseconds, true},
                                     {time.picoseconds * 9995 / 10000, true},
                                     {time.picoseconds * 998 / 1000, false}}) {
    puzzle.par.time = {par};
    EXPECT_EQ(grade(puzzle, text, laboratory)->within_time, is_made) << par;
  }
  puzzle.par.steps = 13;
  EXPECT_FALSE(grade(puzzle, text, laboratory)->within_steps);
}

// Every mistake that the verifier knows costs all stars, and is said in both languages.
TEST(Puzzle, EveryMistakeIsSaidInWords) {
  Puzzle puzzle = ring_of_eight();
  puzzle.spec.ranks = 4;
  const CollectiveSpec in_place{.kind = CollectiveKind::all_reduce, .ranks = 4, .in_place = true};
  const auto plan = make_plan(**find_algorithm(in_place.kind, "ring"), in_place, {});
  const auto right = *build_schedule(*plan);
  for (const Mutation mutation :
       {Mutation::drop_transfer, Mutation::wrong_neighbour, Mutation::doubled_add,
        Mutation::wrong_chunk, Mutation::copy_for_reduce})
    for (std::uint64_t seed = 0; seed < places(right, mutation); ++seed) {
      const auto mutant = mutate(right, mutation, seed);
      if (!mutant || verify(mutant->schedule).empty()) continue;
      const auto found = grade(puzzle, schedule_to_text(mutant->schedule), textbook({1024}));
      ASSERT_TRUE(found) << found.error().message;
      EXPECT_FALSE(found->correct) << mutant->what;
      EXPECT_EQ(found->stars(), 0u);
      EXPECT_THAT(found->problem[0], HasSubstr("rank ")) << mutant->what;
      EXPECT_THAT(found->problem[1], Not(IsEmpty()));
      const bool is_untouched = found->problem[0].find("no line") != std::string::npos;
      EXPECT_EQ(found->line == 0, is_untouched) << found->problem[0];
    }
}

TEST(Puzzle, SaysWhatALearnerCanActOn) {
  Puzzle puzzle;
  puzzle.spec = {.kind = CollectiveKind::all_reduce, .ranks = 2};
  puzzle.chunks = 1;
  const struct {
    const char *text, *says, *says_zh;
  } cases[] = {
      {"all_reduce 2 ranks 1 chunk\n",
       "At the end rank 0's chunk 0 lacks rank 1's part; no line writes there.",
       "结束时，rank 0 的数据块 0 缺少 rank 1 的那一份；没有一行写到那里。"},
      {"all_reduce 2 ranks 1 chunk\nstep\n0->1:0\n1->0:0+\n",
       "At the end rank 1's chunk 0 lacks rank 1's part; line 3 (`0 -> 1: 0`) wrote it last.",
       "结束时，rank 1 的数据块 0 缺少 rank 1 的那一份；最后写它的是第 3 行（`0 -> 1: 0`）。"},
      {"all_reduce 2 ranks 1 chunk\nstep\n0->1:0+;1->0:0+\nstep\n0->1:0+\n",
       "At the end rank 1's chunk 0 holds rank 0's part more than once; line 5 (`0 -> 1: 0 +`)",
       "把 rank 0 的那一份加了不止一次；最后写它的是第 5 行"},
      {"all_reduce 2 ranks 1 chunk\nstep\n0.scratch->1:0+\n",
       "When line 3 (`0.scratch -> 1: 0 +`) needs it, nothing has been put into rank 0's scratch "
       "chunk 0 yet.",
       "第 3 行（`0.scratch -> 1: 0 +`）要用 rank 0 的暂存（scratch）的数据块 0"},
  };
  for (const auto& c : cases) {
    const auto found = grade(puzzle, c.text, textbook({1024}));
    ASSERT_TRUE(found) << found.error().message;
    EXPECT_THAT(found->problem[0], HasSubstr(c.says));
    EXPECT_THAT(found->problem[1], HasSubstr(c.says_zh));
  }
}

TEST(Puzzle, RefusesAnotherPuzzleAndWhatIsTooLong) {
  Puzzle puzzle = ring_of_eight();
  puzzle.chunks = 8;
  const auto laboratory = textbook({256});
  const auto error_of = [&](const std::string& text) {
    const auto found = grade(puzzle, text, laboratory);
    return found ? std::string("no error") : found.error().message;
  };
  const auto other = [](const char* says) {
    return "the puzzle is `all_reduce 8 ranks 8 chunks`, and this schedule's header says `" +
           std::string(says) + "`";
  };
  EXPECT_EQ(error_of("all_reduce 4 ranks 8 chunks"), other("all_reduce 4 ranks 8 chunks"));
  EXPECT_EQ(error_of("all_reduce 8 ranks 4 chunks"), other("all_reduce 8 ranks 4 chunks"));
  EXPECT_EQ(error_of("reduce 8 ranks 8 chunks root 1"), other("reduce 8 ranks 8 chunks root 1"));
  EXPECT_EQ(error_of("all_reduce 8 ranks 8 chunks 1 agent"),
            other("all_reduce 8 ranks 8 chunks 1 agent"));
  EXPECT_THAT(error_of("nonsense 1"), HasSubstr("there is no collective \"nonsense\""));
  EXPECT_THAT(error_of(std::string(2 << 20, '#')), HasSubstr("at most 1 MiB of text"));
  std::string endless = "all_reduce 8 ranks 8 chunks\nstep\n";
  for (int i = 0; i < 5000; ++i) endless += "0->1:0+;";
  EXPECT_THAT(error_of(endless), HasSubstr("up to 4096 transfers of 65536 chunks in all"));
  endless = "all_reduce 8 ranks 8 chunks\nstep\n";
  for (int i = 0; i < 2; ++i) endless += "0.scratch->1.scratch:0-40000\n";
  EXPECT_THAT(error_of(endless), HasSubstr("this is 2 of 80002"));
}

// No algorithm of ours goes below the least that the busiest port must move, and some reach it.
TEST(Puzzle, TheLeastOfTheBusiestPortHoldsForEveryAlgorithm) {
  std::size_t reached = 0;
  for (const Algorithm& algorithm : all_algorithms())
    for (const std::uint32_t ranks : {2u, 3u, 4u, 8u}) {
      const CollectiveSpec spec{.kind = algorithm.collective, .ranks = ranks};
      const auto plan = make_plan(algorithm, spec, {});
      if (!plan) continue;
      const auto schedule = build_schedule(*plan);
      if (!schedule || schedule->agents() > 0) continue;
      const sim::Payload payload{ranks * 840u, ElementType::float32};
      const auto least = sim::least_port_bytes(spec, payload);
      const auto busiest = busiest_port(*schedule, payload).bytes;
      EXPECT_LE(least, busiest) << algorithm.name << " " << ranks;
      reached += least == busiest;
    }
  EXPECT_GT(reached, 20u);
}

}  // namespace
}  // namespace ringside::lessons
