#include <algorithm>
#include <map>
#include <tuple>

#include "core/assert.hpp"
#include "core/program.hpp"

namespace ringside {
namespace {

/// Where an event of a transfer went: one instruction of one lane.
struct Home {
  std::uint32_t lane = 0, instruction = 0;
  friend constexpr auto operator<=>(const Home&, const Home&) = default;
};

Place place(const Slot& slot) {
  return {slot.buffer, slot.chunk};
}

/// Events are lowered in the order that respects every dependency: step by step, first the reads,
/// then the commits in told order. Each lane takes its own in that order, so no circle can form.
class Lowering {
 public:
  explicit Lowering(const Schedule& schedule)
      : schedule_(schedule),
        read_(schedule.transfers().size()),
        commit_(read_.size()),
        is_atomic_(read_.size(), false) {
    program_.spec = schedule.spec();
    program_.chunks = schedule.chunks();
    program_.agents = schedule.agents();
    program_.ranks.resize(schedule.participants());
  }

  Program run() && {
    for (std::uint32_t id = 0; id < read_.size(); ++id) is_atomic_[id] = schedule_[{id}].is_local();
    for (std::uint32_t s = 0; s < schedule_.steps(); ++s) find_torn({s});
    for (std::uint32_t s = 0; s < schedule_.steps(); ++s) {
      const auto begin = schedule_.step_begin({s}).value, end = schedule_.step_end({s}).value;
      for (auto id = begin; id < end; ++id)
        if (!is_atomic_[id]) lower_read({id});
      for (auto id = begin; id < end; ++id) lower_commit({id});
    }
    const auto depth = needed_fifo_depth(program_);
    RS_ASSERT(depth.has_value(), "a schedule cannot deadlock");
    program_.fifo_depth = *depth;
    return std::move(program_);
  }

 private:
  enum class Role : std::uint8_t { local, sender, receiver };

  /// A local transfer reads and commits in one instruction, unless one told before it in its step
  /// overwrites what it reads: then its read must come with the step's other reads.
  void find_torn(Step step) {
    const auto begin = schedule_.step_begin(step), end = schedule_.step_end(step);
    for (auto id = begin; id < end; ++id.value)
      for (const Dependency& d : schedule_.dependencies(id))
        if (d.kind == DependencyKind::war && d.on > id) is_atomic_[d.on.value] = false;
  }

  std::uint32_t lane(Rank rank, Role role, Rank peer, ChannelId channel) {
    auto& lanes = program_.ranks[rank.value];
    const auto [at, is_new] = lane_of_.try_emplace(std::tuple(rank, role, peer, channel),
                                                   static_cast<std::uint32_t>(lanes.size()));
    if (is_new) {
      Lane fresh{{}, {}, channel, {}};
      if (role == Role::sender) fresh.to = peer;
      if (role == Role::receiver) fresh.from = peer;
      lanes.push_back(std::move(fresh));
    }
    return at->second;
  }

  /// Appends an instruction after those it must wait for; all but the last get a wait of their own.
  Home append(Rank rank, std::uint32_t at, Instruction instruction, std::vector<Home> after) {
    auto& instructions = program_.ranks[rank.value][at].instructions;
    std::sort(after.begin(), after.end());
    std::vector<After> needed;  // the last of each other lane
    for (const Home& home : after) {
      if (home.lane == at) continue;
      if (!needed.empty() && needed.back().lane == home.lane) needed.pop_back();
      needed.push_back({home.lane, home.instruction});
    }
    for (std::size_t i = 0; i + 1 < needed.size(); ++i)
      instructions.push_back({Opcode::wait, {}, {}, {}, 1, needed[i]});
    if (!needed.empty()) instruction.after = needed.back();
    instructions.push_back(instruction);
    return {at, static_cast<std::uint32_t>(instructions.size()) - 1};
  }

  void lower_read(TransferId id) {
    const Transfer& t = schedule_[id];
    std::vector<Home> after;
    for (const Dependency& d : schedule_.dependencies(id))
      if (d.kind == DependencyKind::raw) after.push_back(commit_[d.on.value]);
    const auto rank = t.src().rank;
    read_[id.value] =
        append(rank, lane(rank, Role::sender, t.dst().rank, t.channel()),
               {Opcode::send, place(t.src()), {}, {}, t.chunks(), {}}, std::move(after));
  }

  void lower_commit(TransferId id) {
    const Transfer& t = schedule_[id];
    const bool atomic = is_atomic_[id.value], copies = t.action() == Action::copy;
    std::vector<Home> after;
    for (const Dependency& d : schedule_.dependencies(id)) {
      if (d.kind == DependencyKind::raw && !atomic) continue;
      after.push_back(d.kind == DependencyKind::war ? read_[d.on.value] : commit_[d.on.value]);
    }
    Instruction instruction{atomic ? (copies ? Opcode::copy : Opcode::reduce)
                                   : (copies ? Opcode::receive : Opcode::receive_reduce),
                            place(t.src()),
                            place(t.with()),
                            place(t.dst()),
                            t.chunks(),
                            {}};
    const auto rank = t.dst().rank;
    const auto at = lane(rank, atomic ? Role::local : Role::receiver, t.src().rank, t.channel());
    commit_[id.value] = append(rank, at, instruction, std::move(after));
    if (atomic) read_[id.value] = commit_[id.value];
  }

  const Schedule& schedule_;
  Program program_;
  std::vector<Home> read_, commit_;
  std::vector<bool> is_atomic_;
  std::map<std::tuple<Rank, Role, Rank, ChannelId>, std::uint32_t> lane_of_;
};

}  // namespace

Program lower(const Schedule& schedule) {
  return Lowering(schedule).run();
}

}  // namespace ringside
