#include "sim/workload/lanes.hpp"

#include <algorithm>
#include <queue>
#include <tuple>

#include "core/assert.hpp"

namespace ringside::sim {
namespace {

__extension__ typedef unsigned __int128 Left;  // picoseconds, in parts of 2^16

constexpr unsigned speed_bits = 16;
constexpr std::uint64_t full_speed = 1u << speed_bits, all_of_it = 1u << 16;

}  // namespace

class LanesRun {
 public:
  explicit LanesRun(const Lanes& lanes);
  std::vector<Interval> run();

 private:
  struct Running {
    Left left = 0;
    TimePoint since{};
    std::uint64_t speed = full_speed;
    std::uint32_t turn = 0;  ///< ends announced before the latest count no more
  };
  using End = std::tuple<std::int64_t, std::uint32_t, std::uint32_t>;  // when, task, turn

  const Task& task(std::uint32_t id) const { return lanes_.tasks_[id]; }
  std::span<const Claim> claims(std::uint32_t id) const {
    if (task(id).load == Task::none) return {};
    return lanes_.loads_[task(id).load];
  }
  void start(std::uint32_t id);
  void finish(std::uint32_t id);
  void share_anew();
  void announce(std::uint32_t id);
  void advance(std::uint32_t id);

  const Lanes& lanes_;
  std::vector<std::uint32_t> next_, next_at_, waits_for_;  // edges by their first task; by task
  std::vector<Running> running_;                           // by task
  std::vector<Interval> intervals_;
  std::vector<std::uint64_t> claimed_;          // by resource
  std::vector<std::vector<std::uint32_t>> on_;  // by resource: tasks that claim some of it
  std::vector<std::uint32_t> changed_;          // resources whose claims changed just now
  std::priority_queue<End, std::vector<End>, std::greater<>> ends_;
  TimePoint now_{};
};

LanesRun::LanesRun(const Lanes& lanes)
    : lanes_(lanes),
      next_(lanes.edges_.size()),
      next_at_(lanes.tasks_.size() + 1),
      waits_for_(lanes.tasks_.size()),
      running_(lanes.tasks_.size()),
      intervals_(lanes.tasks_.size()),
      claimed_(lanes.resources_),
      on_(lanes.resources_) {
  for (const auto& edge : lanes.edges_) {
    ++next_at_[edge.from + 1];
    ++waits_for_[edge.to];
  }
  for (std::size_t t = 0; t < lanes.tasks_.size(); ++t) next_at_[t + 1] += next_at_[t];
  auto place = next_at_;
  for (const auto& edge : lanes.edges_) next_[place[edge.from]++] = edge.to;
}

void LanesRun::announce(std::uint32_t id) {
  Running& r = running_[id];
  const auto rest = static_cast<std::int64_t>((r.left + r.speed - 1) / r.speed);
  ends_.push({now_.picoseconds + rest, id, ++r.turn});
}

void LanesRun::advance(std::uint32_t id) {
  Running& r = running_[id];
  const auto done = Left(now_.picoseconds - r.since.picoseconds) * r.speed;
  r.left -= std::min(r.left, done);
  r.since = now_;
}

void LanesRun::start(std::uint32_t id) {
  intervals_[id].begin = now_;
  Running& r = running_[id];
  r.left = Left(task(id).work.picoseconds) << speed_bits;
  r.since = now_;
  for (const Claim& claim : claims(id)) {
    claimed_[claim.resource] += claim.share;
    on_[claim.resource].push_back(id);
    changed_.push_back(claim.resource);
  }
  announce(id);
}

void LanesRun::finish(std::uint32_t id) {
  intervals_[id].end = now_;
  ++running_[id].turn;
  for (const Claim& claim : claims(id)) {
    claimed_[claim.resource] -= claim.share;
    std::erase(on_[claim.resource], id);
    changed_.push_back(claim.resource);
  }
  for (auto e = next_at_[id]; e < next_at_[id + 1]; ++e)
    if (--waits_for_[next_[e]] == 0) start(next_[e]);
}

void LanesRun::share_anew() {
  for (const auto resource : changed_)
    for (const auto id : on_[resource]) {
      std::uint64_t crowd = all_of_it;
      for (const Claim& claim : claims(id)) crowd = std::max(crowd, claimed_[claim.resource]);
      const auto speed = std::max<std::uint64_t>(1, full_speed * all_of_it / crowd);
      if (speed == running_[id].speed) continue;
      advance(id);
      running_[id].speed = speed;
      announce(id);
    }
  changed_.clear();
}

std::vector<Interval> LanesRun::run() {
  std::size_t ended = 0;
  for (std::uint32_t id = 0; id < waits_for_.size(); ++id)
    if (waits_for_[id] == 0) start(id);
  share_anew();
  while (!ends_.empty()) {
    now_ = {std::get<0>(ends_.top())};
    while (!ends_.empty() && std::get<0>(ends_.top()) == now_.picoseconds) {
      const auto [when, id, turn] = ends_.top();
      ends_.pop();
      if (turn != running_[id].turn) continue;
      finish(id);
      ++ended;
    }
    share_anew();
  }
  RS_ASSERT(ended == lanes_.tasks_.size(), "every task comes after tasks added before it");
  return std::move(intervals_);
}

std::uint32_t Lanes::add_load(std::vector<Claim> claims) {
  loads_.push_back(std::move(claims));
  return static_cast<std::uint32_t>(loads_.size() - 1);
}

TaskId Lanes::add(const Task& task, std::span<const TaskId> after) {
  const auto id = static_cast<std::uint32_t>(tasks_.size());
  tasks_.push_back(task);
  auto& last = last_of_[task.lane];
  if (last != nobody) edges_.push_back({last, id});
  for (const TaskId before : after) edges_.push_back({before.value, id});
  last = id;
  return {id};
}

std::vector<Interval> Lanes::run() const {
  return LanesRun(*this).run();
}

}  // namespace ringside::sim
