#include "core/program_run.hpp"

#include <algorithm>
#include <deque>
#include <map>
#include <tuple>

namespace ringside {

LaneTable::LaneTable(const Program& program) : words_(program.words) {
  std::map<std::tuple<Rank, Rank, ChannelId>, std::pair<std::uint32_t, std::uint32_t>> ends;
  for (std::uint32_t r = 0; r < program.ranks.size(); ++r) {
    first_of_rank_.push_back(size());
    for (const Lane& lane : program.ranks[r]) {
      const auto has = [&](bool (*does)(Opcode)) {
        return std::any_of(lane.instructions.begin(), lane.instructions.end(),
                           [&](const Instruction& i) { return does(i.op); });
      };
      const auto end = [&](Rank from, Rank to) -> auto& {
        return ends.try_emplace({from, to, lane.channel}, none, none).first->second;
      };
      if (lane.to && has(sends)) end({r}, *lane.to).first = size();
      if (lane.from && has(receives)) end(*lane.from, {r}).second = size();
      lanes_.push_back(&lane);
      rank_.push_back({r});
    }
  }
  receiver_.assign(size(), none);
  sender_.assign(size(), none);
  for (const auto& [connection, lanes] : ends) {
    if (lanes.first != none) receiver_[lanes.first] = lanes.second;
    if (lanes.second != none) sender_[lanes.second] = lanes.first;
  }
}

namespace {

class Runner {
 public:
  Runner(const LaneTable& lanes, std::uint32_t depth)
      : lanes_(lanes),
        depth_(depth),
        next_(lanes.size(), 0),
        in_queue_(lanes.size(), 0),
        listed_(lanes.size(), false),
        waiting_for_(lanes.size()) {}

  Execution run() && {
    for (std::uint32_t lane = 0; lane < lanes_.size(); ++lane) list(lane);
    while (!ready_.empty()) {
      const auto lane = ready_.front();
      ready_.pop_front();
      listed_[lane] = false;
      if (done(lane)) continue;
      if (blocker(lane) == LaneTable::none)
        step(lane);
      else if (const auto& after = current(lane).after)
        waiting_for_[lanes_.awaited(lane, *after)].push_back(lane);  // told when that one moves
    }
    for (std::uint32_t lane = 0; lane < lanes_.size(); ++lane)
      if (!done(lane)) {
        find_circle(lane);
        break;
      }
    return std::move(execution_);
  }

 private:
  bool done(std::uint32_t lane) const { return next_[lane] == lanes_[lane].instructions.size(); }
  const Instruction& current(std::uint32_t lane) const {
    return lanes_[lane].instructions[next_[lane]];
  }

  /// The lane that this one must wait for before its next instruction, if any.
  std::uint32_t blocker(std::uint32_t lane) const {
    const Instruction& i = current(lane);
    if (i.after) {
      const auto awaited = lanes_.awaited(lane, *i.after);
      if (next_[awaited] <= i.after->instruction) return awaited;
    }
    if (receives(i.op) && in_queue_[lane] == 0) return lanes_.sender(lane);
    if (sends(i.op) && in_queue_[lanes_.receiver(lane)] >= depth_) return lanes_.receiver(lane);
    return LaneTable::none;
  }

  void list(std::uint32_t lane) {
    if (listed_[lane]) return;
    listed_[lane] = true;
    ready_.push_back(lane);
  }

  void step(std::uint32_t lane) {
    const auto op = current(lane).op;
    execution_.order.push_back({lane, next_[lane]++});
    if (receives(op)) {
      --in_queue_[lane];
      list(lanes_.sender(lane));
    }
    if (sends(op)) {
      ++in_queue_[lanes_.receiver(lane)];
      list(lanes_.receiver(lane));
    }
    list(lane);
    for (const auto waiting : std::exchange(waiting_for_[lane], {})) list(waiting);
  }

  void find_circle(std::uint32_t lane) {
    std::vector<std::uint32_t> path;
    auto seen = path.end();
    while ((seen = std::find(path.begin(), path.end(), lane)) == path.end()) {
      path.push_back(lane);
      lane = blocker(lane);
    }
    for (; seen != path.end(); ++seen) execution_.circle.push_back({*seen, next_[*seen]});
  }

  const LaneTable& lanes_;
  std::uint32_t depth_;
  std::vector<std::uint32_t> next_;      // instruction of each lane
  std::vector<std::uint32_t> in_queue_;  // messages on their way to each lane
  std::vector<bool> listed_;
  std::vector<std::vector<std::uint32_t>> waiting_for_;
  std::deque<std::uint32_t> ready_;
  Execution execution_;
};

std::string describe(const LaneTable& lanes, const Executed& at) {
  const Lane& lane = lanes[at.lane];
  const Instruction& i = lane.instructions[at.instruction];
  const Words& words = lanes.words();
  const auto op =
      words.opcodes.empty() ? name(i.op) : words.opcodes[static_cast<std::size_t>(i.op)];
  const auto peer = [&](const char* way, Rank rank) {
    return way + std::string(words.rank) + " " + std::to_string(rank.value);
  };
  std::string text =
      to_string(lanes.position(at.lane, at.instruction), words) + " (" + std::string(op);
  if (receives(i.op)) text += peer(" from ", *lane.from);
  if (sends(i.op)) text += peer(" to ", *lane.to);
  return text + ")";
}

}  // namespace

Execution run(const LaneTable& lanes, std::uint32_t fifo_depth) {
  return Runner(lanes, fifo_depth).run();
}

std::string describe_circle(const LaneTable& lanes, const std::vector<Executed>& circle) {
  constexpr std::size_t most = 4;  // who waits for whom is clear by then
  std::string text = describe(lanes, circle[0]) + " waits";
  if (circle.size() == 1) return text + " for itself";
  for (std::size_t i = 1; i < std::min(circle.size(), most); ++i)
    text += (i == 1 ? " for " : ", that for ") + describe(lanes, circle[i]);
  if (circle.size() > most)
    text += ", and so on over " + std::to_string(circle.size()) + " " +
            std::string(lanes.words().lane) + "s";
  return text + ", and that for the first";
}

}  // namespace ringside
