#include "viz/stage/phases.hpp"

#include <algorithm>
#include <vector>

namespace ringside::stage {
namespace {

/// The first step that copies, if before it steps only reduce and from it on only copy.
std::optional<Step> first_of_copies(const Schedule& schedule) {
  std::optional<Step> second;
  for (TransferId id{0}; id.value < schedule.transfers().size(); ++id.value) {
    const Transfer& t = schedule[id];
    if (t.is_local()) continue;
    const bool reduces = t.action() == Action::reduce;
    if (reduces && second) return {};
    if (!reduces && !second) second = schedule.step(id);
    if (reduces != (schedule.step(id) < second.value_or(Step{UINT32_MAX}))) return {};
  }
  return second;
}

}  // namespace

std::optional<Phases> find_phases(const Schedule& schedule, const Story& story) {
  if (schedule.spec().kind != CollectiveKind::all_reduce) return {};
  const auto second = first_of_copies(schedule);
  if (!second || second->value == 0) return {};
  std::vector<std::optional<Rank>> owner(schedule.chunks());  // who has the whole sum first
  for (TransferId id{0}; id < schedule.step_begin(*second); ++id.value)
    for (std::uint32_t i = 0; i < schedule[id].chunks(); ++i) {
      const PartsId parts = story.result(id, i).parts;
      if (story.count(parts) < story.complete() || story.repeats(parts)) continue;
      auto& known = owner[story.chunk(parts).value];
      if (known && *known != schedule[id].dst().rank) return {};
      known = schedule[id].dst().rank;
    }
  std::vector<std::size_t> owned(schedule.participants(), 0);
  for (const auto& rank : owner) {
    if (!rank) return {};
    ++owned[rank->value];
  }
  if (std::ranges::find(owned, owner.size()) != owned.end())
    return Phases{Phases::Kind::reduce_broadcast, *second};
  if (std::ranges::any_of(owned, [&](std::size_t n) { return n != owned.front(); })) return {};
  return Phases{Phases::Kind::scatter_gather, *second};
}

}  // namespace ringside::stage
