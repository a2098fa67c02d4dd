// What thread blocks do, without a GPU: programs compiled from every algorithm, run block by block.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "core/guarded_memory.hpp"
#include "tests/conformance/backend_conformance.hpp"
#include "tests/cuda/interpreter_backend.hpp"

namespace ringside::cuda::interpreter {
namespace {

using conformance::Case;
using conformance::outputs_of;
using conformance::Report;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::Gt;

Schedule schedule_of(CollectiveKind kind, std::string_view algorithm, std::uint32_t ranks,
                     const Options& options = {}) {
  const auto* found = *find_algorithm(kind, algorithm);
  return build_proven(*make_plan(*found, {.kind = kind, .ranks = ranks}, options)).value();
}

/// Instructions of a rank's first channel, in words.
std::vector<std::string> words(const DeviceProgram& program, std::uint32_t rank) {
  const BlockProgram& block = program.blocks[rank * program.channels];
  std::vector<std::string> words;
  for (const Instruction& i : block.instructions) words.push_back(describe(i, block));
  return words;
}

TEST(Interpreter, DoesEveryAlgorithmRight) {
  RigBackend backend;
  const Report report = conformance::run_all(backend, {1, 2, 3, 4, 5, 6, 7, 8, 9});
  EXPECT_TRUE(report.failures.empty()) << summary(report);
  EXPECT_GT(report.cases, 100 * all_algorithms().size());
}

/// Ranks of one device take messages from where they lie.
TEST(Interpreter, DoesEveryAlgorithmRightOnSharedDevices) {
  for (const std::uint32_t ranks_a_device : {2, 17}) {
    RigBackend backend({.ranks_a_device = ranks_a_device});
    const Report report = conformance::run_all(backend, {2, 3, 4, 5, 6, 8, 9});
    EXPECT_TRUE(report.failures.empty()) << summary(report);
  }
}

TEST(Interpreter, DoesEveryAlgorithmRightWithoutFusing) {
  RigBackend backend({.fusing = {.on = false}});
  const Report report = conformance::run_all(backend, {2, 3, 4, 5, 8});
  EXPECT_TRUE(report.failures.empty()) << summary(report);
}

/// Every number of ranks up to 17, more thread blocks than there is work for, and as many windows
/// as can be: no order of turns ends in a deadlock.
TEST(Interpreter, NeverDeadlocks) {
  std::size_t programs = 0;
  for (const Algorithm& algorithm : all_algorithms())
    for (std::uint32_t n = 1; n <= 17; ++n) {
      const auto plan = make_plan(algorithm, {.kind = algorithm.collective, .ranks = n}, {});
      if (!plan) continue;
      const auto schedule = build_proven(*plan).value();
      const Work work{&schedule, 5 * n + 3, ElementType::float64};
      for (const bool fuses : {true, false}) {
        RigBackend backend({.fusing = {.on = fuses},
                            .cutting = {.ctas = n % 3 + 1, .longest_message = Bytes{16}},
                            .seed = n,
                            .ranks_a_device = n % 4 + 1});
        const auto outcome = execute(backend, work, {.iterations = 2});
        ASSERT_TRUE(outcome) << algorithm.name << " N=" << n << ": " << outcome.error().message;
        EXPECT_EQ(outcome->comparison.wrong, 0u) << algorithm.name << " N=" << n;
        ++programs;
      }
    }
  EXPECT_GT(programs, 20 * all_algorithms().size());
}

/// Whatever is fused, the same order of additions, so the same bits.
TEST(Interpreter, GivesTheReferencesBits) {
  const auto reference = make_reference_backend();
  RigBackend backend({.ranks_a_device = 3});
  for (const Algorithm& algorithm : all_algorithms())
    for (auto& c : conformance::cases_of(algorithm, {2, 3, 5, 8})) {
      if (!is_floating(c.problem.type) || algorithm.collective == CollectiveKind::barrier) continue;
      c.problem.count *= 11;
      if (c.problem.spec.in_place) continue;  // what is not promised may have been used
      EXPECT_EQ(outputs_of(backend, c), outputs_of(*reference, c)) << c.describe();
    }
}

/// Flags go on counting: other data come out of the same program, and nothing was reset.
TEST(Interpreter, RunsAgainOnOtherData) {
  for (const Algorithm& algorithm : all_algorithms()) {
    const Problem problem{.spec = {algorithm.collective, 4}, .count = 37};
    const auto schedule = build_proven(*make_plan(algorithm, problem.spec, {})).value();
    RigBackend backend({.ranks_a_device = 2});
    GuardedMemory memory(problem, owned_ranks(backend, 4));
    const auto prepared = backend.prepare({&schedule, problem.count}, memory.memory(), {});
    for (std::uint64_t seed = 1; seed <= 5; ++seed) {
      const DataSet data(problem, DataKind::exact, seed);
      memory.reset(data);
      ASSERT_TRUE((*prepared)->run(1)) << algorithm.name;
      EXPECT_EQ(memory.check(data).wrong, 0u) << algorithm.name << ", run " << seed;
    }
  }
}

TEST(InterpreterProgram, OfARingFusesAsNcclDoes) {
  const auto ring = schedule_of(CollectiveKind::all_reduce, "ring", 4);
  const auto program = compile({&ring, 64});
  for (std::uint32_t r = 0; r < 4; ++r)
    EXPECT_THAT(words(program, r),
                ElementsAre("send", "receive_reduce_send", "receive_reduce_send",
                            "receive_reduce_copy_send", "receive_send", "receive_send", "receive"));
  const auto plain = compile({&ring, 64}, {.fusing = {.on = false}});
  EXPECT_EQ(words(plain, 0).size(), 2u * 6u) << "a send and a receive each step";
}

/// Two shots: all parts of a rank's block are added, stored and sent to everyone in one pass.
TEST(InterpreterProgram, OfDirectAddsEverythingAtOnce) {
  const auto direct = schedule_of(CollectiveKind::all_reduce, "direct", 8);
  const auto program = compile({&direct, 64});
  const BlockProgram& block = program.blocks[3];
  std::vector<std::pair<std::uint32_t, std::uint32_t>> shapes;
  for (const Instruction& i : block.instructions)
    if (i.sources > 1) shapes.emplace_back(i.sources, i.targets);
  EXPECT_THAT(shapes, ElementsAre(std::pair(8u, 8u)));
  EXPECT_EQ(block.instructions.size(), 7u + 1u + 7u);
}

/// On one device nothing is copied on its way: of each chunk, one rank reads everybody's part and
/// writes the sum, which the others read and write.
TEST(InterpreterProgram, OfDirectMovesNothingTwiceOnOneDevice) {
  constexpr std::uint32_t n = 8;
  const auto direct = schedule_of(CollectiveKind::all_reduce, "direct", n);
  const auto program = compile({&direct, 64}, {.neighbours = [](Rank, Rank) { return true; }});
  for (const Connection& c : program.connections) EXPECT_TRUE(c.is_direct);
  for (const BlockProgram& block : program.blocks) {
    std::vector<std::pair<std::uint32_t, std::uint32_t>> shapes;
    for (const Instruction& i : block.instructions) shapes.emplace_back(i.sources, i.targets);
    std::vector<std::pair<std::uint32_t, std::uint32_t>> expected(n - 1, {1, 1});
    expected.insert(expected.begin(), {{0, 0}, {n, 1}});
    EXPECT_EQ(shapes, expected) << "offers its parts, adds up its chunk, takes the others";
  }
}

/// What two ranks exchange must get out of the way of the first that commits: that needs a FIFO.
TEST(InterpreterProgram, OfAnExchangeKeepsAFifoOneWay) {
  const auto* algorithm = *find_algorithm(CollectiveKind::all_reduce, "recursive_doubling");
  const auto doubling =
      build_proven(*make_plan(*algorithm, {.ranks = 8, .in_place = true}, {})).value();
  const auto program = compile({&doubling, 64}, {.neighbours = [](Rank, Rank) { return true; }});
  std::map<std::pair<Rank, Rank>, int> fifos;
  for (const Connection& c : program.connections)
    fifos[std::minmax(c.from, c.to)] += c.is_direct ? 0 : 1;
  for (const auto& [pair, count] : fifos) EXPECT_EQ(count, 1);
  EXPECT_EQ(fifos.size(), 12u);
}

TEST(InterpreterProgram, KeepsOperandsWithinBounds) {
  const auto direct = schedule_of(CollectiveKind::all_reduce, "direct", 40);
  for (const bool shares : {false, true}) {
    const auto program = compile({&direct, 80}, {.neighbours = [&](Rank, Rank) { return shares; }});
    for (const BlockProgram& block : program.blocks)
      for (const Instruction& i : block.instructions) {
        EXPECT_LE(i.sources, most_operands);
        EXPECT_LE(i.targets + i.offers, most_operands);
      }
  }
  static_assert(Fusing{}.most_operands == most_operands);
}

/// A value that passes through a rank and is overwritten there later is not stored.
TEST(InterpreterProgram, StoresNothingInVain) {
  const auto ring = schedule_of(CollectiveKind::all_reduce, "ring", 5);
  const auto program = compile({&ring, 64});
  std::uint64_t stores = 0;
  for (const BlockProgram& block : program.blocks)
    for (const Instruction& i : block.instructions)
      for (auto o = i.operands + i.sources; o < i.operands + i.sources + i.targets; ++o)
        stores += block.operands[o].site == Site::output ? 1 : 0;
  EXPECT_EQ(stores, 5u * 5u) << "each rank's five chunks once";
}

TEST(InterpreterProgram, HasSlotsForAllThatAStepSends) {
  const auto deep = schedule_of(CollectiveKind::all_reduce, "ring", 3, {.chunks = 15});
  EXPECT_EQ(compile({&deep, 64}).depth, 8u) << "five messages a step, as a power of two";
  EXPECT_EQ(compile({&deep, 64}, {.least_depth = 16}).depth, 16u);
}

TEST(InterpreterProgram, WaitsForOtherChannelsOnlyWhereDataCross) {
  const auto rings = schedule_of(CollectiveKind::all_reduce, "multi_ring", 5, {.channels = 2});
  for (const BlockProgram& block : compile({&rings, 64}).blocks)
    EXPECT_TRUE(block.waits.empty()) << "rings share nothing";
  const Work average{&rings, 64, ElementType::float32, ReduceOp::avg};
  for (const BlockProgram& block : compile(average).blocks)
    EXPECT_EQ(block.waits.size(), block.channel.value == 0 ? 1u : 0u)
        << "who divides waits for the other ring";
}

/// However little room FIFOs have: windows become shorter, messages are never cut.
TEST(InterpreterTables, FitFifosIntoTheirRoom) {
  const auto direct = schedule_of(CollectiveKind::all_to_all, "direct", 8);
  const Work work{&direct, 1'000'003, ElementType::bfloat16};
  for (const std::uint64_t mebibytes : {1, 4, 64}) {
    const auto program = compile(work);
    const std::vector<bool> staged(program.connections.size());
    const Tables tables(work, program, {.ctas = 8, .most_slots = Bytes{mebibytes << 20}}, staged);
    const Job& job = tables.job();
    for (const auto bytes : tables.footprint().slots) EXPECT_LE(bytes, (mebibytes << 20) * 5 / 4);
    EXPECT_GE(job.window * job.windows, 1'000'003u);
    EXPECT_LT(job.window * (job.windows - 1), 1'000'003u);
    EXPECT_EQ(job.window * 2 % 16, 0u) << "windows begin where vectors do";
  }
}

TEST(InterpreterTables, LayOutChunksAsCoreDoes) {
  for (const auto kind : {CollectiveKind::all_reduce, CollectiveKind::all_gather})
    for (const std::uint64_t count : {0, 1, 5, 23, 24}) {
      const auto ring = schedule_of(kind, "ring", 4);
      const Work work{&ring, count};
      const ChunkLayout core = layout_of(work);
      const auto program = compile(work);
      const Layout mine =
          Tables(work, program, {}, std::vector<bool>(program.connections.size())).job().layout;
      EXPECT_EQ(mine.longest(), core.longest());
      for (std::uint32_t c = 0; c < ring.chunks(); ++c) {
        EXPECT_EQ(mine.offset(c), core.offset({c}));
        EXPECT_EQ(mine.elements(c), core.elements({c}));
      }
    }
}

}  // namespace
}  // namespace ringside::cuda::interpreter
