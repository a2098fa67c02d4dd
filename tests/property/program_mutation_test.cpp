// Programs with one mistake in them, judged twice: by check(), and by running them on numbers with
// lanes taking turns at random. Whatever check() calls proven must come out right every time;
// whatever it calls a deadlock must get stuck, and a wrong result must be wrong.

#include <gmock/gmock.h>

#include <algorithm>
#include <deque>
#include <map>
#include <random>

#include "core/engine.hpp"
#include "core/program.hpp"

namespace ringside {
namespace {

/// What became of one run.
enum class Outcome : std::uint8_t { right, wrong, stuck };

/// Runs a program on numbers, whose turn it is being chance. Knows nothing of schedules.
class RandomRun {
 public:
  RandomRun(const Program& program, std::uint32_t seed) : program_(program), chance_(seed) {
    const auto& spec = program.spec;
    for (const Slot& slot : precondition(spec, program.chunks))
      slots_[slot] = weight(slot.rank, slot.chunk);
    std::vector<std::pair<std::uint32_t, std::uint32_t>> lanes;
    for (std::uint32_t r = 0; r < program.ranks.size(); ++r)
      for (std::uint32_t l = 0; l < program.ranks[r].size(); ++l) lanes.push_back({r, l});
    for (bool moved = true; moved;) {
      moved = false;
      std::shuffle(lanes.begin(), lanes.end(), chance_);
      for (const auto& [rank, lane] : lanes)  // some lanes dash ahead
        for (auto turns = chance_() % 4; turns > 0 && step(rank, lane); --turns) moved = true;
      if (!moved)
        for (const auto& [rank, lane] : lanes) moved = step(rank, lane) || moved;
    }
    for (const auto& [rank, lane] : lanes)
      if (next_[{rank, lane}] < program.ranks[rank][lane].instructions.size())
        outcome_ = Outcome::stuck;
    if (outcome_ == Outcome::right && !is_right()) outcome_ = Outcome::wrong;
  }
  Outcome outcome() const { return outcome_; }

 private:
  using Value = std::optional<std::uint64_t>;
  using Message = std::vector<Value>;

  bool is_barrier() const { return program_.spec.kind == CollectiveKind::barrier; }
  std::uint64_t weight(Rank rank, ChunkId chunk) const {
    return is_barrier() ? std::uint64_t{1} << rank.value
                        : std::mt19937_64(rank.value * 1000 + chunk.value)();
  }
  std::uint64_t add(std::uint64_t a, std::uint64_t b) const { return is_barrier() ? a | b : a + b; }

  Value& at(std::uint32_t rank, const Place& place, std::uint32_t i) {
    const bool shared = program_.spec.in_place && place.buffer == Buffer::input;
    return slots_[{{rank}, shared ? Buffer::output : place.buffer, {place.chunk.value + i}}];
  }
  std::deque<Message>& queue(std::uint32_t from, std::uint32_t to, ChannelId channel) {
    return queues_[{from, to, channel.value}];
  }

  /// False if the lane is done or has to wait.
  bool step(std::uint32_t rank, std::uint32_t number) {
    const Lane& lane = program_.ranks[rank][number];
    auto& next = next_[{rank, number}];
    if (next == lane.instructions.size()) return false;
    const Instruction& i = lane.instructions[next];
    if (i.after && next_[{rank, i.after->lane}] <= i.after->instruction) return false;
    if (receives(i.op) && queue(lane.from->value, rank, lane.channel).empty()) return false;
    if (sends(i.op) && queue(rank, lane.to->value, lane.channel).size() >= program_.fifo_depth)
      return false;
    ++next;
    if (i.op != Opcode::wait) execute(i, lane, rank);
    return true;
  }

  void execute(const Instruction& i, const Lane& lane, std::uint32_t rank) {
    Message data;
    if (receives(i.op)) {
      auto& from = queue(lane.from->value, rank, lane.channel);
      data = from.front();
      from.pop_front();
    } else {
      for (std::uint32_t c = 0; c < i.chunks; ++c) data.push_back(at(rank, i.src, c));
    }
    const bool adds = i.op == Opcode::reduce || i.op == Opcode::receive_reduce ||
                      i.op == Opcode::receive_reduce_send ||
                      i.op == Opcode::receive_reduce_copy_send;
    for (std::uint32_t c = 0; c < i.chunks; ++c) {
      const auto operand = adds ? at(rank, i.operand, c) : Value(0);
      if (!data[c] || !operand) outcome_ = Outcome::wrong;  // used what nobody wrote
      data[c] = add(data[c].value_or(0), operand.value_or(0));
      if (i.op != Opcode::send && i.op != Opcode::receive_reduce_send) at(rank, i.dst, c) = data[c];
    }
    if (sends(i.op)) queue(rank, lane.to->value, lane.channel).push_back(data);
  }

  bool is_right() {
    for (const Expectation& e : postcondition(program_.spec, program_.chunks)) {
      std::uint64_t sum = 0;
      for (std::uint32_t i = 0; i < e.count; ++i)
        sum = add(sum, weight({e.first.value + i}, e.from_chunk));
      if (slots_[e.slot] != sum) return false;
    }
    return true;
  }

  const Program& program_;
  std::mt19937 chance_;
  std::map<Slot, Value> slots_;
  std::map<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>, std::deque<Message>> queues_;
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::size_t> next_;
  Outcome outcome_ = Outcome::right;
};

/// check() and chance must agree; returns what check() said first, or nothing.
std::optional<FaultKind> judged_twice(const Program& program, const std::string& what) {
  const auto faults = check(program);
  const auto has = [&](FaultKind kind) {
    return std::any_of(faults.begin(), faults.end(),
                       [&](const Fault& f) { return f.kind == kind; });
  };
  if (has(FaultKind::mismatch)) return FaultKind::mismatch;
  for (std::uint32_t seed = 0; seed < 6; ++seed) {
    const auto outcome = RandomRun(program, seed).outcome();
    if (faults.empty()) {
      EXPECT_EQ(outcome, Outcome::right) << what;
    } else if (has(FaultKind::deadlock)) {
      EXPECT_EQ(outcome, Outcome::stuck) << what << ": " << faults[0].what;
    } else if (!has(FaultKind::race) && !has(FaultKind::malformed)) {
      EXPECT_EQ(outcome, Outcome::wrong) << what << ": " << faults[0].what;
    }
  }
  if (faults.empty()) return {};
  return faults[0].kind;
}

template <typename Visit>
void for_each_program(Visit visit) {
  for (const Algorithm& algorithm : all_algorithms())
    for (const std::uint32_t ranks : {2u, 3u, 4u, 6u})
      for (const bool in_place : {false, true}) {
        const auto plan =
            make_plan(algorithm, {algorithm.collective, ranks, {ranks - 1}, in_place}, {});
        if (!plan) continue;
        const auto schedule = build_schedule(*plan);
        ASSERT_TRUE(schedule) << schedule.error().message;
        if (schedule->transfers().size() > 400) continue;  // the small ones show it all
        SCOPED_TRACE(std::string(name(algorithm.collective)) + " " + std::string(algorithm.name) +
                     ", " + std::to_string(ranks) + " ranks" + (in_place ? ", in place" : ""));
        visit(lower(*schedule));
      }
}

/// A few instructions of a program, spread evenly.
std::vector<Position> sample(const Program& program, std::size_t most) {
  std::vector<Position> all, chosen;
  for (std::uint32_t r = 0; r < program.ranks.size(); ++r)
    for (std::uint32_t l = 0; l < program.ranks[r].size(); ++l)
      for (std::uint32_t i = 0; i < program.ranks[r][l].instructions.size(); ++i)
        all.push_back({{r}, l, i});
  for (std::size_t i = 0; i < std::min(most, all.size()); ++i)
    chosen.push_back(all[i * all.size() / std::min(most, all.size())]);
  return chosen;
}
std::vector<Instruction>& lane_at(Program& program, const Position& at) {
  return program.ranks[at.rank.value][at.lane].instructions;
}

TEST(ProgramMutation, IntactProgramsComeOutRightWhoeverGoesFirst) {
  for_each_program([](const Program& program) {
    EXPECT_EQ(judged_twice(program, "intact"), std::nullopt);
    auto deep = program;
    deep.fifo_depth = 100;  // nothing may rest on a queue being full
    EXPECT_EQ(judged_twice(deep, "deep"), std::nullopt);
  });
}

TEST(ProgramMutation, AForgottenWaitIsARaceUnlessItsOrderIsImplied) {
  std::map<std::optional<FaultKind>, int> seen;
  for_each_program([&](const Program& program) {
    for (const Position& at : sample(program, 24)) {
      auto broken = program;
      auto& after = lane_at(broken, at)[at.instruction].after;
      if (!after) continue;
      after.reset();
      ++seen[judged_twice(broken, "no wait at " + to_string(at))];
    }
  });
  EXPECT_GT(seen[FaultKind::race] + seen[FaultKind::undefined], 100);
}

TEST(ProgramMutation, SwappedInstructionsAreCaughtUnlessHarmless) {
  std::map<std::optional<FaultKind>, int> seen;
  for_each_program([&](const Program& program) {
    for (const Position& at : sample(program, 24)) {
      auto broken = program;
      auto& lane = lane_at(broken, at);
      if (at.instruction + 1 == lane.size()) continue;
      std::swap(lane[at.instruction], lane[at.instruction + 1]);
      ++seen[judged_twice(broken, "swapped at " + to_string(at))];
    }
  });
  EXPECT_GT(seen[FaultKind::result], 10);
}

TEST(ProgramMutation, WaitsInACircleAreADeadlock) {
  int circles = 0;
  for_each_program([&](const Program& program) {
    for (const Position& at : sample(program, 16)) {
      // Whom at waits for now waits for at.
      const auto awaited = program.ranks[at.rank.value][at.lane].instructions[at.instruction].after;
      if (!awaited) continue;
      auto broken = program;
      const Position other{at.rank, awaited->lane, awaited->instruction};
      lane_at(broken, other)[other.instruction].after = After{at.lane, at.instruction};
      EXPECT_EQ(judged_twice(broken, "circle at " + to_string(at)), FaultKind::deadlock);
      ++circles;
    }
  });
  EXPECT_GT(circles, 100);
}

TEST(ProgramMutation, ALostReceiveIsAMismatch) {
  for_each_program([&](const Program& program) {
    for (const Position& at : sample(program, 8)) {
      auto broken = program;
      auto& instruction = lane_at(broken, at)[at.instruction];
      if (!receives(instruction.op)) continue;
      instruction.op = Opcode::wait;
      EXPECT_EQ(judged_twice(broken, "no receive at " + to_string(at)), FaultKind::mismatch);
    }
  });
}

}  // namespace
}  // namespace ringside
