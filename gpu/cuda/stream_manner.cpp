#include "gpu/cuda/stream_manner.hpp"

#include <algorithm>

namespace ringside::cuda {
namespace {

bool overlaps_its_source(const Transfer& t) {
  const Slot from = t.src(), to = t.dst();
  const auto [first, second] = std::minmax(from.chunk.value, to.chunk.value);
  return from != to && from.rank == to.rank && from.buffer == to.buffer &&
         second - first < t.chunks();
}

}  // namespace

bool is_on_one_device(const Transfer& t, const Placement& placement) {
  return placement.device_of[t.src().rank.value] == placement.device_of[t.dst().rank.value];
}

bool is_staged(const Transfer& t, const Placement& placement) {
  return !placement.peers.reaches(placement.device_of[t.src().rank.value],
                                  placement.device_of[t.dst().rank.value]);
}

std::vector<Manner> manners(const Schedule& schedule, const Placement& placement) {
  std::vector<Manner> all(schedule.transfers().size());
  TransferId step_begin{0}, step_end{0};
  for (TransferId id{0}; id.value < all.size(); ++id.value) {
    if (id >= step_end) {
      step_begin = id;
      step_end = schedule.step_end(schedule.step(id));
    }
    const Transfer& t = schedule[id];
    const bool is_adding = t.action() == Action::reduce && !is_on_one_device(t, placement);
    const bool takes_slices = is_adding || is_staged(t, placement);
    const bool is_late = std::ranges::any_of(schedule.dependencies(id), [&](const Dependency& d) {
      if (d.kind == DependencyKind::raw || d.on < step_begin) return false;
      return takes_slices || d.on > id || all[d.on.value] != Manner::at_once;
    });
    all[id.value] = is_late || overlaps_its_source(t) ? Manner::late
                    : takes_slices                    ? Manner::in_slices
                                                      : Manner::at_once;
  }
  return all;
}

}  // namespace ringside::cuda
