#include <algorithm>
#include <deque>

#include "core/program_lift.hpp"
#include "core/verifier.hpp"

namespace ringside {
namespace {

/// Which instructions every execution runs in the same order: those of a lane, those that a wait
/// joins, a send and its receive. What a full queue holds back is not relied upon: another queue
/// may be deeper.
class InstructionOrder {
 public:
  InstructionOrder(const LaneTable& lanes, const Execution& execution)
      : lanes_(lanes), sequence_(lanes.size()), sent_by_(lanes.size()), reached_(lanes.size(), 0) {
    std::vector<std::deque<std::uint32_t>> queue(lanes.size());
    for (std::uint32_t lane = 0; lane < lanes.size(); ++lane) {
      sequence_[lane].resize(lanes[lane].instructions.size());
      sent_by_[lane].assign(sequence_[lane].size(), LaneTable::none);
    }
    for (std::size_t i = 0; i < execution.order.size(); ++i) {
      const auto [lane, instruction] = execution.order[i];
      const auto op = lanes[lane].instructions[instruction].op;
      sequence_[lane][instruction] = i;
      if (receives(op)) {
        sent_by_[lane][instruction] = queue[lane].front();
        queue[lane].pop_front();
      }
      if (sends(op)) queue[lanes.receiver(lane)].push_back(instruction);
    }
  }

  /// True if `first` ends before `second` begins in every execution, or is the same. Walks
  /// backwards, lane by lane; nothing that ran before `first` can lead back to it.
  bool is_forced(const Executed& first, const Executed& second) {
    for (const auto lane : touched_) reached_[lane] = 0;
    touched_.clear();
    todo_.clear();
    reach(second.lane, second.instruction);
    while (!todo_.empty()) {
      if (reached_[first.lane] > first.instruction) return true;
      const auto [lane, from, to] = todo_.front();
      todo_.pop_front();
      for (auto next = to; next > from && sequence_[lane][next - 1] >= sequence_of(first); --next) {
        const auto i = next - 1;
        const auto& after = lanes_[lane].instructions[i].after;
        if (after) reach(lanes_.awaited(lane, *after), after->instruction);
        if (sent_by_[lane][i] != LaneTable::none) reach(lanes_.sender(lane), sent_by_[lane][i]);
      }
    }
    return reached_[first.lane] > first.instruction;
  }

 private:
  struct Stretch {
    std::uint32_t lane, from, to;
  };
  std::size_t sequence_of(const Executed& at) const { return sequence_[at.lane][at.instruction]; }
  void reach(std::uint32_t lane, std::uint32_t instruction) {
    if (reached_[lane] > instruction) return;
    if (reached_[lane] == 0) touched_.push_back(lane);
    todo_.push_back({lane, reached_[lane], instruction + 1});
    reached_[lane] = instruction + 1;
  }

  const LaneTable& lanes_;
  std::vector<std::vector<std::size_t>> sequence_;   // when each instruction ran
  std::vector<std::vector<std::uint32_t>> sent_by_;  // of a receive: the sender's instruction
  std::vector<std::uint32_t> reached_, touched_;     // of the search under way
  std::deque<Stretch> todo_;
};

/// Judges a program that ends by the story it tells.
class Judgement {
 public:
  Judgement(const LaneTable& lanes, const Execution& execution, const Lifted& lifted,
            std::size_t limit)
      : lanes_(lanes), lifted_(lifted), limit_(limit), order_(lanes, execution) {}

  std::vector<Fault> run() && {
    for (std::uint32_t id = 0; id < lifted_.read.size() && found_.size() < limit_; ++id)
      for (const Dependency& d : lifted_.schedule.dependencies({id})) ordered({id}, d);
    for (const Violation& v : verify(lifted_.schedule, limit_)) values(v);
    if (found_.size() > limit_) found_.resize(limit_);
    return std::move(found_);
  }

 private:
  std::string at(const Executed& executed) const {
    return to_string(lanes_.position(executed.lane, executed.instruction), lanes_.words());
  }

  void ordered(TransferId id, const Dependency& d) {
    const auto& first =
        d.kind == DependencyKind::war ? lifted_.read[d.on.value] : lifted_.commit[d.on.value];
    const auto& second =
        d.kind == DependencyKind::raw ? lifted_.read[id.value] : lifted_.commit[id.value];
    if (order_.is_forced(first, second)) return;
    const char* verb = d.kind == DependencyKind::raw   ? " reads what "
                       : d.kind == DependencyKind::war ? " overwrites what "
                                                       : " changes what ";
    const char* other = d.kind == DependencyKind::war ? " reads" : " writes or adds to";
    found_.push_back({FaultKind::race, lanes_.position(second.lane, second.instruction),
                      at(second) + verb + at(first) + other + ", and nothing puts one first"});
  }

  void values(const Violation& v) {
    if (v.transfer.value == UINT32_MAX) {
      const auto kind =
          v.kind == ViolationKind::uninitialised ? FaultKind::undefined : FaultKind::result;
      found_.push_back({kind, {v.slot.rank, 0, 0}, to_string(v, lifted_.schedule)});
      return;
    }
    const Transfer& t = lifted_.schedule[v.transfer];
    const bool is_source = v.slot.rank == t.src().rank && v.slot.buffer == t.src().buffer &&
                           v.slot.chunk.value - t.src().chunk.value < t.chunks();
    const auto& where = (is_source ? lifted_.read : lifted_.commit)[v.transfer.value];
    const auto slot = to_string(v.slot);
    const auto part = "rank " + std::to_string(v.contributor.value) + "'s chunk " +
                      std::to_string(v.contributor_chunk.value);
    const auto fault = [&](FaultKind kind, const std::string& what) {
      found_.push_back({kind, lanes_.position(where.lane, where.instruction), what});
    };
    switch (v.kind) {
      case ViolationKind::uninitialised:
        return fault(FaultKind::undefined, at(where) + " uses " + slot + ", which holds no value");
      case ViolationKind::outside:
        return fault(FaultKind::malformed,
                     at(where) + " names " + slot + ", which the collective does not give it");
      case ViolationKind::missing:
        return fault(FaultKind::result,
                     slot + ", last written by " + at(where) + ", lacks " + part);
      case ViolationKind::repeated:
        return fault(FaultKind::result, slot + ", last written by " + at(where) + ", holds " +
                                            part + " more than once");
      case ViolationKind::wrong:
        return fault(FaultKind::result, slot + ", last written by " + at(where) + ", holds " +
                                            part + ", which does not belong there");
      case ViolationKind::race:
        return fault(FaultKind::race, at(where) + " overwrites " + slot + " while it uses it");
    }
  }

  const LaneTable& lanes_;
  const Lifted& lifted_;
  std::size_t limit_;
  InstructionOrder order_;
  std::vector<Fault> found_;
};

}  // namespace

Result<Schedule> lift(const Program& program) {
  if (const auto faults = well_formedness(program, 1); !faults.empty())
    return gone_wrong(faults[0].what);
  const LaneTable lanes(program);
  const auto execution = run(lanes, program.fifo_depth);
  if (!execution.circle.empty()) return gone_wrong(describe_circle(lanes, execution.circle));
  RS_ASSIGN(auto lifted, lift(program, lanes, execution));
  return std::move(lifted.schedule);
}

std::vector<Fault> check(const Program& program, std::size_t limit) {
  if (auto faults = well_formedness(program, limit); !faults.empty()) return faults;
  const LaneTable lanes(program);
  const auto execution = run(lanes, program.fifo_depth);
  if (!execution.circle.empty()) {
    const auto& first = execution.circle[0];
    return {{FaultKind::deadlock, lanes.position(first.lane, first.instruction),
             describe_circle(lanes, execution.circle)}};
  }
  const auto lifted = lift(program, lanes, execution);
  if (!lifted) return {{FaultKind::malformed, {}, lifted.error().message}};
  return Judgement(lanes, execution, *lifted, limit).run();
}

}  // namespace ringside
