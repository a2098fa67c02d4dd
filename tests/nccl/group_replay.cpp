#include "tests/nccl/group_replay.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <deque>
#include <map>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "core/binding.hpp"
#include "core/reduce.hpp"

namespace ringside::nccl {
namespace {

/// One run of a plan on memory of this process.
class GroupReplay {
 public:
  GroupReplay(const Work& work, const Memory& memory, const GroupedPlan& plan, std::uint64_t seed)
      : work_(work), plan_(plan), random_(seed), areas_(plan.ranks.size()) {
    const bool in_place = work.schedule->spec().in_place;
    for (std::size_t r = 0; r < areas_.size(); ++r) {
      const auto of = [](std::size_t size) {
        return std::vector<std::byte>(size, std::byte{0xa5});
      };
      const auto& [input, output] = memory.ranks[r];
      const auto& bytes = plan.bytes[r];
      areas_[r] = {of(in_place ? 0 : input.size()),
                   of(output.size()),
                   of(bytes.scratch),
                   of(bytes.scaled),
                   of(bytes.landing),
                   {}};
      if (!in_place) std::ranges::copy(input, areas_[r][0].begin());
      std::ranges::copy(output, areas_[r][1].begin());
    }
  }

  /// Empty, or what went wrong.
  std::string run() {
    at_.assign(plan_.ranks.size(), {});
    posted_.clear();
    for (std::uint32_t left = 1; left > 0;) {
      left = 0;
      std::vector<std::uint32_t> able;
      for (std::uint32_t r = 0; r < at_.size(); ++r) {
        const bool has_ended = at_[r].turn == plan_.ranks[r].turns.size();
        left += !has_ended;
        if (!has_ended && (!at_[r].has_posted || at_[r].pending == 0)) able.push_back(r);
      }
      if (left > 0 && able.empty()) return "all ranks wait for ever";
      if (!able.empty()) advance(able[random_() % able.size()]);
      if (!fault_.empty()) return fault_;
    }
    for (const auto& [pair, queues] : posted_)
      if (!queues.sends.empty() || !queues.receives.empty()) return "an end has no other end";
    return {};
  }

  void copy_outputs(const Memory& memory) {
    for (std::size_t r = 0; r < areas_.size(); ++r)
      std::ranges::copy(areas_[r][1], memory.ranks[r].output.begin());
  }

 private:
  struct Progress {
    std::size_t turn = 0;
    bool has_posted = false;
    std::size_t pending = 0;  // ends of the group that no other end has met
  };
  struct Posted {
    const MessageEnd* end;
    std::size_t turn;
    std::vector<std::byte> sent{};  // if read already
  };
  struct Queues {
    std::deque<Posted> sends, receives;
    std::pair<std::size_t, std::size_t> last{SIZE_MAX, SIZE_MAX};  // turns of the last match
  };

  /// Enters the group of the turn, or, if that is over, does the turn's work and goes on.
  void advance(std::uint32_t rank) {
    Progress& at = at_[rank];
    const RankTurns& own = plan_.ranks[rank];
    if (!at.has_posted) {
      at.has_posted = true;
      at.pending = own.ends_of(at.turn).size();
      check_group(own.ends_of(at.turn), rank);
      for (const MessageEnd& end : own.ends_of(at.turn))
        if (fault_.empty()) post(rank, end);
      return;
    }
    for (const LocalWork& work : own.work_of(at.turn)) apply(rank, work);
    at = {at.turn + 1, false, 0};
  }

  /// In a group nothing may be received where something else is received or sent from.
  void check_group(std::span<const MessageEnd> ends, std::uint32_t rank) {
    for (std::size_t i = 0; i < ends.size(); ++i)
      for (std::size_t j = 0; j < ends.size(); ++j) {
        const MessageEnd &a = ends[i], &b = ends[j];
        if (i != j && !a.sends && a.at.area == b.at.area && a.at.offset < b.at.offset + b.bytes &&
            b.at.offset < a.at.offset + a.bytes)
          fault_ = "rank " + std::to_string(rank) + " uses in one group what the group receives";
      }
  }

  void post(std::uint32_t rank, const MessageEnd& end) {
    if (!is_inside(end.at, rank, end.bytes)) return;
    const auto pair = end.sends ? std::pair(rank, end.peer) : std::pair(end.peer, rank);
    Queues& queues = posted_[pair];
    Posted posted{&end, at_[rank].turn};
    if (end.sends && random_() % 2 == 0) posted.sent = bytes_at(end.at, end.bytes);
    (end.sends ? queues.sends : queues.receives).push_back(std::move(posted));
    while (!queues.sends.empty() && !queues.receives.empty() && fault_.empty())
      match(queues, pair.first, pair.second);
  }

  void match(Queues& queues, std::uint32_t from, std::uint32_t to) {
    const Posted send = queues.sends.front(), receive = queues.receives.front();
    queues.sends.pop_front();
    queues.receives.pop_front();
    if (send.end->bytes != receive.end->bytes) fault_ = "the ends differ in length";
    const std::pair turns(send.turn, receive.turn);
    if ((turns.first == queues.last.first) != (turns.second == queues.last.second))
      fault_ = "the ends are grouped in two ways";
    queues.last = turns;
    if (!fault_.empty()) return;
    const auto data = send.sent.empty() ? bytes_at(send.end->at, send.end->bytes) : send.sent;
    std::memcpy(area(receive.end->at).data() + receive.end->at.offset, data.data(), data.size());
    --at_[from].pending;
    --at_[to].pending;
  }

  std::vector<std::byte>& area(const cuda::Place& place) {
    return areas_[place.owner][static_cast<std::size_t>(place.area)];
  }
  std::vector<std::byte> bytes_at(const cuda::Place& place, std::uint64_t bytes) {
    const auto* const from = area(place).data() + place.offset;
    return {from, from + bytes};
  }
  bool is_inside(const cuda::Place& place, std::uint32_t rank, std::uint64_t bytes) {
    const bool is = place.owner == rank && bytes > 0 && place.offset + bytes <= area(place).size();
    if (!is) fault_ = "rank " + std::to_string(rank) + " leaves its memory";
    return is;
  }

  void apply(std::uint32_t rank, const LocalWork& work) {
    const auto& [dst, with, src, bytes] = work.piece;
    const bool combines = work.kind == cuda::OperationKind::reduce;
    if (!is_inside(dst, rank, bytes) || !is_inside(src, rank, bytes) ||
        (combines && !is_inside(with, rank, bytes)))
      return;
    const auto target = std::span(area(dst)).subspan(dst.offset, bytes);
    const auto source = std::span(area(src)).subspan(src.offset, bytes);
    if (combines)
      return reduce_into(target, std::span(area(with)).subspan(with.offset, bytes), source,
                         {work_.type, work_.op});
    std::memmove(target.data(), source.data(), source.size());
    if (work.kind == cuda::OperationKind::scale) scale(target, work_.type, work_.mulsum_scalar);
    if (work.kind == cuda::OperationKind::divide)
      divide(target, work_.type, work_.schedule->spec().ranks);
  }

  const Work& work_;
  const GroupedPlan& plan_;
  std::mt19937_64 random_;
  std::vector<std::array<std::vector<std::byte>, 6>> areas_;  // by rank and Area
  std::vector<Progress> at_;
  std::map<std::pair<std::uint32_t, std::uint32_t>, Queues> posted_;  // by sender and receiver
  std::string fault_;
};

class GroupReplayBackend final : public Backend {
 public:
  GroupReplayBackend(std::uint64_t seed, std::uint32_t most, GroupTamper tamper)
      : seed_(seed), most_(most), tamper_(std::move(tamper)) {}
  std::string_view name() const override { return "group replay"; }
  Capabilities capabilities() const override { return {.real_bytes = true}; }
  Result<std::unique_ptr<Prepared>> prepare(const Work& work, Memory& memory,
                                            const RunOptions&) override {
    RS_TRY(check_binding(work, memory));
    auto plan = plan_groups(work, most_);
    if (tamper_) tamper_(plan);
    return std::make_unique<Replayed>(work, memory, std::move(plan), seed_);
  }

 private:
  struct Replayed final : Prepared {
    Replayed(const Work& w, Memory& m, GroupedPlan p, std::uint64_t from)
        : work(w), memory(m), plan(std::move(p)), seed(from) {}
    Result<Measurement> run(int iterations) override {
      GroupReplay replay(work, memory, plan, seed++);
      for (int i = 0; i < iterations; ++i)
        if (const auto fault = replay.run(); !fault.empty()) return gone_wrong(fault);
      replay.copy_outputs(memory);
      return Measurement{};
    }
    Work work;
    Memory memory;
    GroupedPlan plan;
    std::uint64_t seed;
  };

  std::uint64_t seed_;
  std::uint32_t most_;
  GroupTamper tamper_;
};

}  // namespace

std::unique_ptr<Backend> make_group_replay(std::uint64_t seed, std::uint32_t most,
                                           GroupTamper tamper) {
  return std::make_unique<GroupReplayBackend>(seed, most, std::move(tamper));
}

}  // namespace ringside::nccl
