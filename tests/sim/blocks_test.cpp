#include "sim/blocks.hpp"

#include <gmock/gmock.h>

#include "core/formats/msccl_rules.hpp"
#include "sim/cluster.hpp"

namespace ringside::sim {
namespace {

using testing::HasSubstr;

/// 10 GB/s a block, 1 us a step, 2 us a hop; launch 5 us, wires and GPUs out of the way.
BlockFigures simple_figures() {
  BlockFigures figures;
  for (auto& of : figures.of) of = {10_GBps, 0_us, 2_us, 1_us};
  figures.local = 20_GBps;
  figures.device = 10'000_GBps;
  figures.launch = 5_us;
  figures.wait = 0_us;
  return figures;
}

Topology mesh() {
  auto topology = *make_cluster(*load_system("mi300x"), {});
  for (Link& link : topology.links) link.bandwidth = 10'000_GBps;
  return topology;
}

/// Rank 0 sends `chunks` to rank 1, which sends them on to rank 2, if `far`.
Program line(std::uint32_t chunks, bool far) {
  Program program{.spec = {.kind = CollectiveKind::broadcast, .ranks = 8},
                  .chunks = chunks,
                  .fifo_depth = 2,
                  .ranks = std::vector<std::vector<Lane>>(8),
                  .words = msccl_words};
  const Place in{Buffer::input, {0}}, out{Buffer::output, {0}};
  program.ranks[0] = {{Rank{1}, {}, {}, {{.op = Opcode::send, .src = in, .chunks = chunks}}}};
  program.ranks[1] = {{{}, Rank{0}, {}, {{.op = Opcode::receive, .dst = out, .chunks = chunks}}}};
  if (!far) return program;
  Lane& through = program.ranks[1][0];
  through.to = Rank{2};
  through.instructions.push_back({.op = Opcode::send, .src = out, .chunks = chunks});
  program.ranks[2] = {{{}, Rank{1}, {}, {{.op = Opcode::receive, .dst = out, .chunks = chunks}}}};
  return program;
}

Duration time(const Program& program, Bytes chunk, Protocol protocol,
              const BlockFigures& figures = simple_figures()) {
  const auto run = run_blocks(program, {chunk, protocol}, mesh(), figures);
  EXPECT_TRUE(run) << run.error().message;
  return run.value_or(Duration{});
}

TEST(Blocks, UnderLlTheReceiverReadsAlong) {
  // 20 kB take 2 us a side; the receiver ends a hop after the sender, or later for its own step.
  EXPECT_EQ(time(line(1, false), {20'000}, Protocol::ll), 5_us + (1_us + 2_us) + 2_us);
  EXPECT_EQ(time(line(1, true), {20'000}, Protocol::ll), 5_us + 2 * (3_us + 2_us));
}

TEST(Blocks, UnderSimpleASliceIsTakenWhenItIsWhole) {
  // 20 kB are one slice: sent, seen, taken. 200 kB are two, and the second waits for nobody.
  EXPECT_EQ(time(line(1, false), {20'000}, Protocol::simple), 5_us + 3_us + 2_us + 3_us);
  EXPECT_EQ(time(line(1, false), {200'000}, Protocol::simple),
            5_us + 1_us + 10_us + 2_us + 1_us + 10_us + 10_us);
}

TEST(Blocks, TakeAPeriodForEachSliceOfTheChunks) {
  const auto of = [](std::uint64_t loops) {
    return time(line(1, true), loops * fifo(Protocol::simple).slice, Protocol::simple);
  };
  const auto period = of(60) - of(59);
  // Rank 1 receives and sends 2 MiB at 10 GB/s, with a step's start each.
  EXPECT_NEAR(period.microseconds(), 2 * (2097152 / 10e3 + 1), 0.01);
  EXPECT_NEAR((of(1000) - of(60)).microseconds(), 940 * period.microseconds(), 0.1);
  const auto half =
      time(line(1, true), 1000 * fifo(Protocol::simple).slice - Bytes{1u << 20}, Protocol::simple);
  EXPECT_NEAR((of(1000) - half).microseconds(), period.microseconds() / 2, 5);
}

TEST(Blocks, ShareALinkAndTheirGpu) {
  auto program = line(1, false);
  for (std::uint32_t c = 1; c < 4; ++c)
    for (const std::uint32_t r : {0u, 1u}) {
      program.ranks[r].push_back(program.ranks[r][0]);
      program.ranks[r].back().channel = {c};
    }
  auto figures = simple_figures();
  const auto alone = time(line(1, false), 2_MiB, Protocol::simple, figures);
  EXPECT_EQ(time(program, 2_MiB, Protocol::simple, figures), alone);
  figures.device = 20_GBps;  // four blocks of 10 GB/s
  EXPECT_GT(time(program, 2_MiB, Protocol::simple, figures), alone + 150_us);
  figures = simple_figures();
  figures.link = 0.002;  // 20 GB/s
  EXPECT_GT(time(program, 2_MiB, Protocol::simple, figures), alone + 150_us);
}

TEST(Blocks, WaitForEverWhereAStepIsMoreMessagesThanAFifoHolds) {
  // Both ranks send 8 chunks before they receive any: of 512 KiB, four go in one message.
  Program program{.spec = {.kind = CollectiveKind::send_recv, .ranks = 8},
                  .chunks = 8,
                  .fifo_depth = 2,
                  .ranks = std::vector<std::vector<Lane>>(8),
                  .words = msccl_words};
  for (std::uint32_t r = 0; r < 2; ++r)
    program.ranks[r] = {{Rank{1 - r},
                         Rank{1 - r},
                         {},
                         {{.op = Opcode::send, .src = {}, .chunks = 8},
                          {.op = Opcode::receive, .dst = {Buffer::output, {}}, .chunks = 8}}}};
  EXPECT_TRUE(run_blocks(program, {512_KiB, Protocol::simple}, mesh(), simple_figures()));
  const auto stuck = run_blocks(program, {1_MiB, Protocol::simple}, mesh(), simple_figures());
  ASSERT_FALSE(stuck);
  EXPECT_THAT(stuck.error().message,
              HasSubstr("gpu 0, tb 0, step 0 waits for ever: a step is 4 messages, and a "
                        "connection holds 2"));
}

TEST(Blocks, OfAGenerationWithoutFiguresAreRefused) {
  EXPECT_TRUE(block_figures("cdna3"));
  const auto none = block_figures("turing");
  ASSERT_FALSE(none);
  EXPECT_THAT(none.error().message, HasSubstr("no figures for thread blocks of turing GPUs"));
}

}  // namespace
}  // namespace ringside::sim
