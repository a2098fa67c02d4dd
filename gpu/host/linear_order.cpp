#include "gpu/host/linear_order.hpp"

#include <algorithm>

namespace ringside::host {
namespace {

bool overlap(const Slot& a, const Slot& b, std::uint32_t chunks) {
  const auto [first, second] = std::minmax(a.chunk.value, b.chunk.value);
  return a.rank == b.rank && a.buffer == b.buffer && second - first < chunks;
}

/// Whether `id` has to wait for something that has not happened yet when it is told.
bool must_split(const Schedule& schedule, TransferId id, const std::vector<bool>& split) {
  const Transfer& t = schedule[id];
  if (overlap(t.src(), t.dst(), t.chunks()) && t.src() != t.dst()) return true;
  const auto step_begin = schedule.step_begin(schedule.step(id));
  return std::ranges::any_of(schedule.dependencies(id), [&](const Dependency& d) {
    if (d.kind == DependencyKind::war) return d.on > id;
    // A commit of this step that was itself put off.
    return d.kind == DependencyKind::waw && d.on >= step_begin && split[d.on.value];
  });
}

}  // namespace

std::vector<Event> linear_order(const Schedule& schedule) {
  std::vector<Event> order;
  order.reserve(schedule.transfers().size());
  std::vector<bool> split(schedule.transfers().size());
  for (std::uint32_t step = 0; step < schedule.steps(); ++step) {
    const auto begin = schedule.step_begin({step}), end = schedule.step_end({step});
    for (auto id = begin; id < end; ++id.value) {
      split[id.value] = must_split(schedule, id, split);
      order.push_back({id, split[id.value] ? Phase::read : Phase::whole});
    }
    for (auto id = begin; id < end; ++id.value)
      if (split[id.value]) order.push_back({id, Phase::commit});
  }
  return order;
}

bool last_chunk_first(const Transfer& t) {
  return t.has_separate_operand() && overlap(t.with(), t.dst(), t.chunks()) &&
         t.with().chunk < t.dst().chunk;
}

}  // namespace ringside::host
