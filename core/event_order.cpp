#include "core/event_order.hpp"

#include <algorithm>

namespace ringside {
namespace {

constexpr std::uint64_t read_of(TransferId id) {
  return 2 * std::uint64_t{id.value};
}
constexpr std::uint64_t commit_of(TransferId id) {
  return read_of(id) + 1;
}
/// The two events that a dependency orders.
constexpr std::uint64_t earlier(Dependency d) {
  return d.kind == DependencyKind::war ? read_of(d.on) : commit_of(d.on);
}
constexpr std::uint64_t later(TransferId me, Dependency d) {
  return d.kind == DependencyKind::raw ? read_of(me) : commit_of(me);
}

}  // namespace

bool EventOrder::holds(TransferId me, Dependency dependency) {
  const auto given = schedule_.dependencies(me);
  return std::binary_search(given.begin(), given.end(), dependency) ||
         reachable(earlier(dependency), later(me, dependency));
}

bool EventOrder::visit(Event event) {
  if (seen_[event] == search_) return false;
  seen_[event] = search_;
  queue_.push_back(event);
  return true;
}

/// Walks backwards from `start`. Every edge comes from the same step or an earlier one, so what
/// lies in a step before the goal's need not be followed.
bool EventOrder::reachable(Event goal, Event start) {
  if (step_of_.empty()) {
    for (std::uint32_t s = 0; s < schedule_.steps(); ++s)
      step_of_.resize(schedule_.step_end({s}).value, s);
    seen_.assign(2 * step_of_.size(), 0);
  }
  ++search_;
  queue_.clear();
  visit(start);
  for (std::size_t next = 0; next < queue_.size(); ++next) {
    const Event at = queue_[next];
    if (at == goal) return true;
    const TransferId id{static_cast<std::uint32_t>(at / 2)};
    const bool is_commit = at % 2 != 0;
    if (step_of_[id.value] < step_of_[goal / 2]) continue;
    if (is_commit) visit(read_of(id));
    for (const Dependency& d : schedule_.dependencies(id))
      if (later(id, d) == at) visit(earlier(d));
  }
  return false;
}

}  // namespace ringside
