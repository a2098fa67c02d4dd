#include "core/program.hpp"

#include <gmock/gmock.h>

#include "core/engine.hpp"
#include "core/schedule_builder.hpp"
#include "core/verifier.hpp"
#include "tests/core/local_swap.hpp"

namespace ringside {
namespace {

using testing::Contains;
using testing::Field;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

auto is(FaultKind kind) {
  return Field(&Fault::kind, kind);
}

constexpr Place in(std::uint32_t chunk) {
  return {Buffer::input, {chunk}};
}
constexpr Place out(std::uint32_t chunk) {
  return {Buffer::output, {chunk}};
}

/// Two ranks swap inputs and add: on each a lane that sends, one that receives, one that is local.
Program exchange() {
  Program program{.spec = {.ranks = 2}, .ranks = {{}, {}}};
  for (std::uint32_t r = 0; r < 2; ++r) {
    const Rank peer{1 - r};
    program.ranks[r] = {
        {peer, {}, {}, {{.op = Opcode::send, .src = in(0)}}},
        {{}, peer, {}, {{.op = Opcode::receive_reduce, .operand = in(0), .dst = out(0)}}}};
  }
  return program;
}

TEST(Program, ProvesAnExchange) {
  EXPECT_THAT(check(exchange()), IsEmpty());
  const auto schedule = lift(exchange());
  ASSERT_TRUE(schedule);
  EXPECT_EQ(schedule->transfers().size(), 2u);
  EXPECT_THAT(verify(*schedule), IsEmpty());
}

TEST(Program, NamesAMissingReceive) {
  auto program = exchange();
  program.ranks[1][1].instructions.clear();
  const auto faults = check(program);
  ASSERT_THAT(faults, SizeIs(1));
  EXPECT_EQ(faults[0].kind, FaultKind::mismatch);
  EXPECT_EQ(faults[0].at, (Position{{0}, 0, 0}));
  EXPECT_EQ(faults[0].what,
            "rank 0, lane 0, instruction 0 sends a message that nobody receives: rank 0 sends 1 "
            "and rank 1 receives 0 on channel 0");
}

TEST(Program, NamesMessagesOfDifferentSizes) {
  auto program = exchange();
  program.chunks = 2;
  program.ranks[0][0].instructions[0].chunks = 2;
  EXPECT_THAT(check(program),
              Contains(Field(&Fault::what, HasSubstr("receives 1 chunk where rank 0, lane 0, "
                                                     "instruction 0 sends 2"))));
}

TEST(Program, NamesACircleOfWaits) {
  auto program = exchange();
  // Each rank sends only after it has received: nobody starts.
  for (auto& lanes : program.ranks) lanes[0].instructions[0].after = After{1, 0};
  const auto faults = check(program);
  ASSERT_THAT(faults, SizeIs(1));
  EXPECT_EQ(faults[0].kind, FaultKind::deadlock);
  EXPECT_EQ(faults[0].what,
            "rank 0, lane 0, instruction 0 (send to rank 1) waits for rank 0, lane 1, instruction "
            "0 (receive_reduce from rank 1), that for rank 1, lane 0, instruction 0 (send to rank "
            "0), that for rank 1, lane 1, instruction 0 (receive_reduce from rank 0), and that for "
            "the first");
  EXPECT_FALSE(needed_fifo_depth(program));

  auto alone = exchange();
  alone.ranks[0][0].instructions[0].after = After{0, 0};
  EXPECT_THAT(check(alone), Contains(is(FaultKind::deadlock)));
}

/// Rank 0 sends k chunks before it receives any, and so does rank 1, in one lane each.
Program both_send_first(std::uint32_t k) {
  Program program{
      .spec = {.kind = CollectiveKind::send_recv, .ranks = 2}, .chunks = k, .ranks = {{}, {}}};
  for (std::uint32_t r = 0; r < 2; ++r) {
    Lane lane{Rank{1 - r}, Rank{1 - r}, {}, {}};
    for (std::uint32_t c = 0; c < k; ++c)
      lane.instructions.push_back({.op = Opcode::send, .src = in(c)});
    for (std::uint32_t c = 0; c < k; ++c)
      lane.instructions.push_back({.op = Opcode::receive, .dst = out(c)});
    program.ranks[r] = {lane};
  }
  return program;
}

TEST(Program, NeedsAQueueAsDeepAsWhatIsSentAhead) {
  for (const std::uint32_t k : {1u, 2u, 3u, 7u, 16u}) {
    auto program = both_send_first(k);
    EXPECT_EQ(*needed_fifo_depth(program), k);
    program.fifo_depth = k;
    EXPECT_THAT(check(program), IsEmpty());
    program.fifo_depth = k - 1;
    if (k > 1) {
      EXPECT_THAT(check(program), Contains(is(FaultKind::deadlock)));
    }
  }
}

TEST(Program, FindsRacesThatQueuesWouldHide) {
  // Rank 0 forwards what it received, from another lane that does not wait for it.
  Program program{.spec = {.kind = CollectiveKind::broadcast, .ranks = 3, .root = {2}},
                  .ranks = {{}, {}, {}}};
  program.ranks[2] = {{Rank{0}, {}, {}, {{.op = Opcode::send, .src = in(0)}}},
                      {{}, {}, {}, {{.op = Opcode::copy, .src = in(0), .dst = out(0)}}}};
  program.ranks[0] = {
      {{}, Rank{2}, {}, {{.op = Opcode::receive, .dst = out(0)}}},
      {Rank{1}, {}, {}, {{.op = Opcode::send, .src = out(0), .after = After{0, 0}}}}};
  program.ranks[1] = {{{}, Rank{0}, {}, {{.op = Opcode::receive, .dst = out(0)}}}};
  EXPECT_THAT(check(program), IsEmpty());
  program.ranks[0][1].instructions[0].after.reset();
  EXPECT_THAT(check(program), testing::Not(IsEmpty()));
}

TEST(Program, RunsEveryFusedOpcode) {
  // A chain 0 -> 1 -> 2 -> 3 that adds on its way, and back as copies.
  const CollectiveSpec spec{.ranks = 4};
  Program program{.spec = spec, .ranks = std::vector<std::vector<Lane>>(4)};
  const auto lane = [](std::optional<Rank> to, std::optional<Rank> from, Instruction i) {
    return Lane{to, from, {}, {i}};
  };
  program.ranks[0] = {lane(Rank{1}, {}, {.op = Opcode::send, .src = in(0)}),
                      lane({}, Rank{1}, {.op = Opcode::receive, .dst = out(0)})};
  program.ranks[1] = {lane(Rank{2}, Rank{0}, {.op = Opcode::receive_reduce_send, .operand = in(0)}),
                      lane(Rank{0}, Rank{2}, {.op = Opcode::receive_send, .dst = out(0)})};
  program.ranks[2] = {lane(Rank{3}, Rank{1}, {.op = Opcode::receive_reduce_send, .operand = in(0)}),
                      lane(Rank{1}, Rank{3}, {.op = Opcode::receive_send, .dst = out(0)})};
  program.ranks[3] = {lane(
      Rank{2}, Rank{2}, {.op = Opcode::receive_reduce_copy_send, .operand = in(0), .dst = out(0)})};
  EXPECT_THAT(check(program), IsEmpty());
  program.ranks[2][0].instructions[0].operand = out(0);
  EXPECT_THAT(check(program), Contains(is(FaultKind::undefined)));
}

TEST(Program, ExchangesInPlaceWithinOneStep) {
  Program program{.spec = {.ranks = 2, .in_place = true}, .ranks = {{}, {}}};
  for (std::uint32_t r = 0; r < 2; ++r)
    program.ranks[r] = {{Rank{1 - r},
                         Rank{1 - r},
                         {},
                         {{.op = Opcode::send, .src = in(0)},
                          {.op = Opcode::receive_reduce, .operand = out(0), .dst = in(0)}}}};
  EXPECT_THAT(check(program), IsEmpty());
  EXPECT_EQ(lift(program)->steps(), 1u);
}

TEST(Program, KeepsAMessageThatItsQueueOutlives) {
  // Rank 0 sends scratch[0], then overwrites it; rank 1 takes that message only after two more
  // copies that follow from what overwrote it: no step can hold both the message's read and its
  // commit.
  Program program{
      .spec = {.kind = CollectiveKind::broadcast, .ranks = 2}, .fifo_depth = 2, .ranks = {{}, {}}};
  const Place s0{Buffer::scratch, {0}}, s1{Buffer::scratch, {1}};
  program.ranks[0] = {
      {Rank{1}, {}, {}, {{.op = Opcode::send, .src = s0, .after = After{1, 0}}}},
      {{},
       {},
       {},
       {{.op = Opcode::copy, .src = in(0), .dst = s0},
        {.op = Opcode::copy, .src = in(0), .dst = out(0)}}},
      {Rank{1}, {}, {1}, {{.op = Opcode::send, .src = in(0), .after = After{0, 0}}}},
      {{}, Rank{1}, {}, {{.op = Opcode::receive, .dst = s0, .after = After{0, 0}}}}};
  program.ranks[1] = {
      {{}, Rank{0}, {1}, {{.op = Opcode::receive, .dst = s1}}},
      {Rank{0}, {}, {}, {{.op = Opcode::send, .src = s1, .after = After{0, 0}}}},
      {{},
       {},
       {},
       {{.op = Opcode::copy, .src = s1, .dst = s0, .after = After{1, 0}},
        {.op = Opcode::copy, .src = s0, .dst = s1},
        {.op = Opcode::copy, .src = s0, .dst = out(0), .after = After{3, 0}}}},
      {{}, Rank{0}, {}, {{.op = Opcode::receive, .dst = s0, .after = After{2, 1}}}}};
  EXPECT_THAT(check(program), IsEmpty());
  EXPECT_EQ(lift(program)->transfers().size(), 9u);  // eight and the keeping
  EXPECT_THAT(verify(*lift(program)), IsEmpty());
  EXPECT_THAT(verify(*lift(program)), IsEmpty());
}

TEST(Program, OfAStepThatSendsTwiceBothWaysNeedsTwoMessages) {
  // Both ranks swap two slots, crosswise: each commit waits for the other message's read.
  ScheduleBuilder builder({.kind = CollectiveKind::all_reduce, .ranks = 2, .in_place = true}, 2);
  builder.reduce(output(0, 0), output(1, 0));
  builder.reduce(output(0, 1), output(1, 1));
  builder.reduce(output(1, 1), output(0, 1));
  builder.reduce(output(1, 0), output(0, 0));
  const auto schedule = std::move(builder).build();
  ASSERT_TRUE(schedule);
  auto program = lower(*schedule);
  EXPECT_EQ(program.fifo_depth, 2u);
  EXPECT_THAT(check(program), IsEmpty());
  program.fifo_depth = 1;
  EXPECT_THAT(check(program), Contains(is(FaultKind::deadlock)));
}

TEST(Program, OfALocalSwapSendsToItself) {
  const auto schedule = local_swap();
  ASSERT_TRUE(schedule);
  const auto program = lower(*schedule);
  EXPECT_THAT(check(program), IsEmpty());
  EXPECT_THAT(verify(*lift(program)), IsEmpty());
}

TEST(Program, RefusesWhatIsMalformed) {
  const auto what = [](auto change) {
    auto program = exchange();
    change(program);
    const auto faults = check(program);
    return faults.empty() ? "clean" : faults[0].what;
  };
  EXPECT_THAT(what([](Program& p) { p.ranks.pop_back(); }), HasSubstr("lanes for 1 rank, but 2"));
  EXPECT_THAT(what([](Program& p) { p.chunks = 0; }), HasSubstr("a positive multiple of 1"));
  EXPECT_THAT(what([](Program& p) { p.fifo_depth = 0; }), HasSubstr("at least one message"));
  EXPECT_THAT(what([](Program& p) { p.ranks[0][0].to = Rank{9}; }), HasSubstr("names rank 9"));
  EXPECT_THAT(what([](Program& p) { p.ranks[0][0].to.reset(); }), HasSubstr("names no rank"));
  EXPECT_THAT(what([](Program& p) { p.ranks[0][0].instructions[0].src = in(1); }),
              HasSubstr("reaches past the 1 chunk of input[1] on rank 0"));
  EXPECT_THAT(what([](Program& p) { p.ranks[0][1].instructions[0].dst = in(0); }),
              HasSubstr("writes to the input"));
  EXPECT_THAT(what([](Program& p) {
                p.ranks[0][0].instructions[0].after = After{7, 0};
              }),
              HasSubstr("waits for lane 7, instruction 0, which does not exist"));
  EXPECT_THAT(what([](Program& p) { p.ranks[0].push_back(p.ranks[0][0]); }),
              HasSubstr("sends on the connection that lane 0 sends on too"));
}

// ---- every algorithm

template <typename Visit>
void for_each_schedule(Visit visit) {
  for (const Algorithm& algorithm : all_algorithms())
    for (const std::uint32_t ranks : {1u, 2u, 3u, 4u, 5u, 8u, 9u})
      for (const bool in_place : {false, true}) {
        const auto plan =
            make_plan(algorithm, {algorithm.collective, ranks, {ranks / 2}, in_place}, {});
        if (!plan) continue;
        const auto schedule = build_schedule(*plan);
        ASSERT_TRUE(schedule) << schedule.error().message;
        SCOPED_TRACE(std::string(name(algorithm.collective)) + " " + std::string(algorithm.name) +
                     ", " + std::to_string(ranks) + " ranks" + (in_place ? ", in place" : ""));
        visit(*schedule);
      }
}

TEST(Program, OfEveryAlgorithmIsProvenAndLiftsToAProvenSchedule) {
  for_each_schedule([](const Schedule& schedule) {
    const auto program = lower(schedule);
    const auto faults = check(program);
    ASSERT_TRUE(faults.empty()) << faults[0].what;
    const auto again = lift(program);
    ASSERT_TRUE(again) << again.error().message;
    const auto found = verify(*again);
    ASSERT_TRUE(found.empty()) << to_string(found[0], *again);
    EXPECT_EQ(again->transfers().size(), schedule.transfers().size());
    EXPECT_LE(again->steps(), schedule.steps());
    auto deeper = program;
    deeper.fifo_depth += 8;
    EXPECT_TRUE(check(deeper).empty());
  });
}

/// Removes an instruction; waits for later ones of its lane move up.
void remove(std::vector<Lane>& lanes, std::uint32_t lane, std::uint32_t at) {
  auto& instructions = lanes[lane].instructions;
  instructions.erase(instructions.begin() + at);
  for (Lane& other : lanes)
    for (Instruction& i : other.instructions)
      if (i.after && i.after->lane == lane && i.after->instruction >= at) {
        if (i.after->instruction == 0)
          i.after.reset();
        else
          --i.after->instruction;
      }
}

TEST(Program, WithoutOneInstructionIsAMismatchOrAWrongResult) {
  for_each_schedule([](const Schedule& schedule) {
    if (schedule.spec().ranks == 1 || schedule.spec().in_place) return;  // may copy for nothing
    const auto program = lower(schedule);
    std::size_t turn = 0;
    for (std::size_t r = 0; r < program.ranks.size(); ++r)
      for (std::uint32_t l = 0; l < program.ranks[r].size(); ++l) {
        const auto& instructions = program.ranks[r][l].instructions;
        const auto at = static_cast<std::uint32_t>(turn++ % instructions.size());
        const auto op = instructions[at].op;
        if (op == Opcode::wait || turn > 60) continue;
        auto broken = program;
        remove(broken.ranks[r], l, at);
        const auto faults = check(broken);
        ASSERT_FALSE(faults.empty()) << to_string(Position{{static_cast<std::uint32_t>(r)}, l, at});
        if (sends(op) || receives(op)) {
          EXPECT_EQ(faults[0].kind, FaultKind::mismatch);
        }
      }
  });
}

}  // namespace
}  // namespace ringside
