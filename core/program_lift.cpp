#include "core/program_lift.hpp"

#include <algorithm>
#include <deque>
#include <unordered_map>

#include "core/schedule_builder.hpp"

namespace ringside {
namespace {

/// On all ranks together; a larger story would not fit into memory.
constexpr std::uint64_t max_slots = std::uint64_t{1} << 26;

/// A transfer of the story, in the step it was given.
struct Told {
  Transfer transfer;
  std::uint32_t step;
  Executed read, commit;
};

/// A message in a queue: read, not yet committed. Its step is at least `least`, because of what it
/// read; at most `most`, because its source has been overwritten since in that step.
struct Message {
  Slot src;
  Executed read;
  std::uint32_t least, most = UINT32_MAX;
};

/// What bounds the steps of those who use a slot next.
struct History {
  std::uint32_t after_write = 0;       // who reads must come in this step or later
  std::uint32_t last_use = 0;          // who writes must come in this step or later
  std::vector<std::size_t> in_flight;  // messages that read it and are not committed
};

/// Follows one execution and gives each transfer the first step that the rule of the step allows:
/// reading after the step that wrote, writing not before the steps that read or wrote.
class Lifter {
 public:
  Lifter(const Program& program, const LaneTable& lanes) : program_(program), lanes_(lanes) {}

  std::vector<Told> follow(const Execution& execution) && {
    queue_.resize(lanes_.size());
    free_scratch_.assign(program_.ranks.size(), 0);
    for (std::uint32_t lane = 0; lane < lanes_.size(); ++lane)
      for (const Instruction& i : lanes_[lane].instructions) reserve_scratch(lanes_.rank(lane), i);
    for (const Executed& at : execution.order) execute(at);
    std::stable_sort(told_.begin(), told_.end(),
                     [](const Told& a, const Told& b) { return a.step < b.step; });
    return std::move(told_);
  }

 private:
  void reserve_scratch(Rank rank, const Instruction& i) {
    auto& free = free_scratch_[rank.value];
    for (const Place& place : {i.src, i.operand, i.dst})
      if (i.op != Opcode::wait && place.buffer == Buffer::scratch)
        free = std::max(free, place.chunk.value + i.chunks);
  }
  Slot fresh_scratch(Rank rank, std::uint32_t chunks) {
    auto& free = free_scratch_[rank.value];
    const Slot slot{rank, Buffer::scratch, {free}};
    if (free < max_slots) free += chunks;  // beyond that the story is refused anyway
    return slot;
  }
  Slot slot(Rank rank, const Place& place) const {
    const bool shared = program_.spec.in_place && place.buffer == Buffer::input;
    return {rank, shared ? Buffer::output : place.buffer, place.chunk};
  }
  History& history(Slot slot, std::uint32_t i) {
    slot.chunk.value += i;
    return histories_[key(slot)];
  }
  static std::uint64_t key(const Slot& slot) {
    return (std::uint64_t{slot.rank.value} * 3 + static_cast<unsigned>(slot.buffer)) << 32 |
           slot.chunk.value;
  }

  void execute(const Executed& at) {
    const Lane& lane = lanes_[at.lane];
    const Instruction& i = lane.instructions[at.instruction];
    if (i.op == Opcode::wait) return;
    const auto rank = lanes_.rank(at.lane);
    const Slot src = slot(rank, i.src), operand = slot(rank, i.operand);
    Slot dst = slot(rank, i.dst);
    switch (i.op) {
      case Opcode::send:
        return send(at, src, i.chunks);
      case Opcode::copy:
      case Opcode::receive:
      case Opcode::receive_send:
        commit(at, taken(at, src, i), Transfer::copy({}, dst, i.chunks, lane.channel));
        break;
      case Opcode::receive_reduce_send:
        dst = fresh_scratch(rank, i.chunks);
        [[fallthrough]];
      default:
        commit(at, taken(at, src, i), Transfer::reduce({}, operand, dst, i.chunks, lane.channel));
    }
    if (sends(i.op)) send(at, dst, i.chunks);
  }

  /// Reads `src`: the transfer that does so cannot be told before what wrote it.
  std::size_t read(const Executed& at, const Slot& src, std::uint32_t chunks) {
    Message message{src, at, 0};
    for (std::uint32_t c = 0; c < chunks; ++c) {
      History& held = history(src, c);
      message.least = std::max(message.least, held.after_write);
      held.in_flight.push_back(messages_.size());
    }
    messages_.push_back(message);
    return messages_.size() - 1;
  }
  void send(const Executed& at, const Slot& src, std::uint32_t chunks) {
    queue_[lanes_.receiver(at.lane)].push_back(read(at, src, chunks));
  }
  /// The message that an instruction works on: from its queue, or read on the spot.
  std::size_t taken(const Executed& at, const Slot& src, const Instruction& i) {
    if (!receives(i.op)) return read(at, src, i.chunks);
    auto& queue = queue_[at.lane];
    const auto message = queue.front();
    queue.pop_front();
    return message;
  }

  /// `target` lacks its source only.
  void commit(const Executed& at, std::size_t id, const Transfer& target) {
    const Message message = messages_[id];
    retire(id, target.chunks());
    auto step = earliest(message.least, target);
    auto src = message.src;
    auto read = message.read;
    auto channel = target.channel();
    if (step > message.most) {  // its source no longer holds it by then: keep it on the way
      const Slot kept = fresh_scratch(target.dst().rank, target.chunks());
      tell(Transfer::copy(src, kept, target.chunks(), channel), message.least, read, at);
      src = kept;
      read = at;
      step = std::max(step, message.least + 1);
    }
    const Transfer whole =
        target.action() == Action::copy
            ? Transfer::copy(src, target.dst(), target.chunks(), channel)
            : Transfer::reduce(src, target.with(), target.dst(), target.chunks(), channel);
    tell(whole, step, read, at);
    remember(whole, step);
  }

  /// The message has been told: it no longer bounds others by itself, but by its step.
  void retire(std::size_t id, std::uint32_t chunks) {
    for (std::uint32_t c = 0; c < chunks; ++c) {
      auto& flying = history(messages_[id].src, c).in_flight;
      flying.erase(std::remove(flying.begin(), flying.end(), id), flying.end());
    }
  }

  std::uint32_t earliest(std::uint32_t least, const Transfer& t) {
    for (std::uint32_t c = 0; c < t.chunks(); ++c) {
      const History& target = history(t.dst(), c);
      least = std::max(least, target.last_use);
      for (const auto id : target.in_flight) least = std::max(least, messages_[id].least);
      if (t.has_separate_operand()) least = std::max(least, history(t.with(), c).after_write);
    }
    return least;
  }

  void remember(const Transfer& t, std::uint32_t step) {
    const auto used = [&](const Slot& slot, std::uint32_t c) {
      auto& last = history(slot, c).last_use;
      last = std::max(last, step);
    };
    for (std::uint32_t c = 0; c < t.chunks(); ++c) {
      used(t.src(), c);
      if (t.has_separate_operand()) used(t.with(), c);
    }
    for (std::uint32_t c = 0; c < t.chunks(); ++c) {
      History& target = history(t.dst(), c);
      for (const auto id : target.in_flight)
        messages_[id].most = std::min(messages_[id].most, step);
      target = {step + 1, step, {}};
    }
  }

  void tell(const Transfer& t, std::uint32_t step, const Executed& read, const Executed& commit) {
    if (t.action() == Action::copy && t.src() == t.dst()) return;  // already there
    told_.push_back({t, step, read, commit});
  }

  const Program& program_;
  const LaneTable& lanes_;
  std::vector<std::uint32_t> free_scratch_;  // by rank: the first chunk that nobody names
  std::vector<Message> messages_;
  std::vector<std::deque<std::size_t>> queue_;  // by receiving lane
  std::unordered_map<std::uint64_t, History> histories_;
  std::vector<Told> told_;
};

}  // namespace

Result<Lifted> lift(const Program& program, const LaneTable& lanes, const Execution& execution) {
  const auto told = Lifter(program, lanes).follow(execution);
  ScheduleBuilder builder(program.spec, program.chunks, program.agents);
  Lifted lifted;
  std::uint64_t scratch = 0;
  for (std::size_t i = 0; i < told.size(); ++i) {
    const Transfer& t = told[i].transfer;
    if (i > 0 && told[i].step != told[i - 1].step) builder.next_step();
    builder.add(t);
    for (const Slot& slot : {t.src(), t.dst()})
      if (slot.buffer == Buffer::scratch)
        scratch = std::max(scratch, std::uint64_t{slot.chunk.value} + t.chunks());
    lifted.read.push_back(told[i].read);
    lifted.commit.push_back(told[i].commit);
  }
  if (program.ranks.size() * (2 * std::uint64_t{program.chunks} + scratch) > max_slots)
    return bad_request("the program is too large: its story needs more than " +
                       std::to_string(max_slots) + " slots");
  RS_ASSIGN(lifted.schedule, std::move(builder).build());
  return lifted;
}

}  // namespace ringside
