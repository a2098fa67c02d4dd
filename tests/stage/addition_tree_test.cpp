// How outputs are added up: against the sums that real bytes give, and the classic that shows it.

#include "viz/stage/addition_tree.hpp"

#include <gmock/gmock.h>

#include <cmath>
#include <cstring>
#include <set>

#include "core/backend.hpp"
#include "core/mutation.hpp"
#include "core/replay.hpp"
#include "core/schedule_builder.hpp"
#include "tests/stage/runs.hpp"

namespace ringside::stage {
namespace {

using testing::Each;
using testing::ElementsAre;

constexpr ElementType types[] = {ElementType::float32, ElementType::float16, ElementType::bfloat16};

Schedule all_reduce(const char* algorithm, std::uint32_t ranks) {
  const auto plan = make_plan(**find_algorithm(CollectiveKind::all_reduce, algorithm),
                              {.kind = CollectiveKind::all_reduce, .ranks = ranks}, {});
  return *build_schedule(*plan);
}

/// What every chunk of the output becomes on rank 0.
std::vector<double> sums(const Schedule& schedule, ElementType type) {
  const auto parts = telling_parts(schedule.spec().ranks, type);
  const Additions additions(schedule);
  std::vector<double> result;
  for (std::uint32_t c = 0; c < schedule.chunks(); ++c)
    result.push_back(evaluate(additions.tree(output(0, c)), parts, type).rounded.back());
  return result;
}

TEST(AdditionTree, OfTheClassicDependsOnTheAlgorithm) {
  EXPECT_THAT(telling_parts(4, ElementType::float32), ElementsAre(1e8, 1, -1e8, 1));
  for (const ElementType type : types) {
    EXPECT_THAT(sums(all_reduce("ring", 4), type), ElementsAre(0, 1, 0, 1)) << name(type);
    EXPECT_THAT(sums(all_reduce("binomial_tree", 4), type), Each(0)) << name(type);
  }
  EXPECT_THAT(sums(all_reduce("ring", 4), ElementType::float64), Each(2));
}

TEST(AdditionTree, ShowsTheSameAdditionsInDouble) {
  const Additions additions(all_reduce("ring", 4));
  const auto parts = telling_parts(4, ElementType::float32);
  for (std::uint32_t c = 0; c < 4; ++c) {
    const auto tree = additions.tree(output(2, c));
    EXPECT_EQ(evaluate(tree, parts, ElementType::float32).in_double.back(), 2);
  }
}

TEST(AdditionTree, NamesRankAndStepOfARingsAdditions) {
  const Schedule schedule = all_reduce("ring", 5);
  const auto tree = Additions(schedule).tree(output(3, 2));
  // Chunk 2 begins on rank 3 and is added to on ranks 4, 0, 1, 2 in steps 0 to 3.
  std::vector<std::uint32_t> ranks, steps;
  for (const Addition& at : tree) {
    if (at.is_part()) continue;
    ranks.push_back(at.rank.value);
    steps.push_back(schedule.step(at.by).value);
    EXPECT_TRUE(tree[at.held].is_part());
  }
  EXPECT_THAT(ranks, ElementsAre(4, 0, 1, 2));
  EXPECT_THAT(steps, ElementsAre(0, 1, 2, 3));
}

TEST(AdditionTree, HasEveryPromisedPartOnceInEveryAlgorithm) {
  for (const auto& [name, schedule] : all_told(1, 9)) {
    SCOPED_TRACE(name);
    const Additions additions(schedule);
    for (const auto& wanted : postcondition(schedule.spec(), schedule.chunks())) {
      if (wanted.each_at_least_once) continue;
      const auto tree = additions.tree(wanted.slot);
      std::multiset<std::uint32_t> ranks, expected;
      for (const Addition& at : tree)
        if (at.is_part()) {
          EXPECT_EQ(at.chunk, wanted.from_chunk);
          ranks.insert(at.rank.value);
        }
      for (std::uint32_t r = 0; r < wanted.count; ++r) expected.insert(wanted.first.value + r);
      ASSERT_EQ(ranks, expected) << to_string(wanted.slot);
      ASSERT_EQ(tree.size(), 2 * wanted.count - 1);
    }
  }
}

TEST(AdditionTree, AddsUpToWhatTheReplaySaysEvenWhereSchedulesAreBroken) {
  std::uint32_t broken = 0;
  for (const auto& [name, schedule] : all_told(4, 5))
    for (std::size_t m = 0; m < mutation_count; ++m) {
      const auto mutant = mutate(schedule, static_cast<Mutation>(m), 1);
      if (!mutant || mutant->schedule.spec().kind != CollectiveKind::all_reduce) continue;
      SCOPED_TRACE(name + ": " + mutant->what);
      ++broken;
      const Schedule& wrong = mutant->schedule;
      const Additions additions(wrong);
      Replay replay(wrong);
      replay.seek(replay.length());
      for (const Slot& slot : slots_of(wrong)) {
        const auto tree = additions.tree(slot);
        ASSERT_EQ(tree.empty(), !replay.at(slot).has_value()) << to_string(slot);
        std::vector<double> values;
        for (const Addition& at : tree)
          values.push_back(at.is_part() ? demonstration_value(at.rank, at.chunk)
                                        : values[at.held] + values[at.came]);
        if (tree.empty()) continue;
        ASSERT_EQ(values.back(), replay.at(slot)->value) << to_string(slot);
      }
    }
  EXPECT_GT(broken, 30u);
}

/// What the reference backend makes of the parts, one element a chunk: all ranks' outputs.
std::vector<std::vector<double>> executed(const Schedule& schedule,
                                          const std::vector<double>& parts, ElementType type) {
  const auto ranks = schedule.spec().ranks, chunks = schedule.chunks();
  const auto element = size_of(type).count;
  std::vector<std::vector<std::byte>> in(ranks), out(ranks);
  Memory memory;
  for (std::uint32_t r = 0; r < ranks; ++r) {
    in[r].resize(element * chunks);
    out[r].resize(element * chunks);
    for (std::uint32_t c = 0; c < chunks; ++c) {
      store_bits(&in[r][c * element], type, encode_float(parts[r], type));
      store_bits(&out[r][c * element], type, encode_float(parts[r], type));
    }
    const bool in_place = schedule.spec().in_place;
    memory.ranks.push_back({in_place ? std::span<const std::byte>(out[r]) : in[r], out[r]});
  }
  const auto backend = make_reference_backend();
  const Work work{.schedule = &schedule, .count = chunks, .type = type, .op = ReduceOp::sum};
  EXPECT_TRUE((*backend->prepare(work, memory, {}))->run(1).has_value());
  std::vector<std::vector<double>> values(ranks);
  for (std::uint32_t r = 0; r < ranks; ++r)
    for (std::uint32_t c = 0; c < chunks; ++c)
      values[r].push_back(decode_float(load_bits(&out[r][c * element], type), type));
  return values;
}

TEST(AdditionTree, RoundsAsRealBytesDo) {
  std::uint32_t compared = 0;
  for (const auto& [name, schedule] : all_told(2, 8)) {
    if (schedule.spec().kind != CollectiveKind::all_reduce) continue;
    SCOPED_TRACE(name);
    std::vector<double> parts;
    for (std::uint32_t r = 0; r < schedule.spec().ranks; ++r) parts.push_back(1 / (r + 3.0));
    const Additions additions(schedule);
    for (const ElementType type : types) {
      const auto values = executed(schedule, parts, type);
      for (std::uint32_t c = 0; c < schedule.chunks(); ++c) {
        const auto outputs = additions.outputs({c});
        ASSERT_EQ(outputs.size(), schedule.spec().ranks);
        bool identical = true;
        for (const auto& [rank, tree] : outputs) {
          ASSERT_EQ(evaluate(tree, parts, type).rounded.back(), values[rank.value][c]);
          identical &= values[rank.value][c] == values[0][c];
          ++compared;
        }
        EXPECT_EQ(are_identical(outputs, parts, type), identical);
      }
    }
  }
  EXPECT_GT(compared, 1000u);
}

TEST(AdditionTree, SaysWhenRanksDisagree) {
  // Each rank adds what it hears to its own part, so each adds in another order: rank 0 gets
  // ((1e8 + 1) - 1e8) + 1 = 1, rank 2 ((-1e8 + 1e8) + 1) + 1 = 2, rank 3 ((1 + 1e8) + 1) - 1e8 = 0.
  ScheduleBuilder builder({.kind = CollectiveKind::all_reduce, .ranks = 4}, 1);
  for (std::uint32_t r = 0; r < 4; ++r) builder.copy(input(r, 0), output(r, 0));
  builder.next_step();
  for (std::uint32_t r = 0; r < 4; ++r)
    for (std::uint32_t from = 0; from < 4; ++from)
      if (from != r) builder.reduce(input(from, 0), output(r, 0));
  const Schedule schedule = *std::move(builder).build();
  const auto outputs = Additions(schedule).outputs({0});
  const auto parts = telling_parts(4, ElementType::float32);
  std::vector<double> values;
  for (const auto& [rank, tree] : outputs)
    values.push_back(evaluate(tree, parts, ElementType::float32).rounded.back());
  EXPECT_THAT(values, ElementsAre(1, 1, 2, 0));
  EXPECT_FALSE(are_identical(outputs, parts, ElementType::float32));
  EXPECT_TRUE(are_identical(outputs, parts, ElementType::float64));
}

TEST(AdditionTree, StandsWithTheWholeOnTop) {
  for (const char* algorithm : {"ring", "binomial_tree", "recursive_doubling"}) {
    const Schedule schedule = all_reduce(algorithm, 8);
    const auto tree = Additions(schedule).tree(output(3, 0));
    const auto standing = stand(tree);
    ASSERT_EQ(standing.size(), 15u);
    std::set<double> columns;
    for (std::size_t at = 0; at < tree.size(); ++at) {
      if (tree[at].is_part()) {
        EXPECT_EQ(standing[at].level, 0u);
        columns.insert(standing[at].column);
      } else {
        EXPECT_GT(standing[at].level, standing[tree[at].held].level);
        EXPECT_GT(standing[at].level, standing[tree[at].came].level);
      }
      EXPECT_LE(standing[at].level, standing.back().level);
    }
    EXPECT_EQ(columns, (std::set<double>{0, 1, 2, 3, 4, 5, 6, 7}));
    EXPECT_EQ(standing.back().level, std::string(algorithm) == "ring" ? 7u : 3u) << algorithm;
  }
}

}  // namespace
}  // namespace ringside::stage
