#pragma once

#include <cstdint>
#include <vector>

#include "core/schedule.hpp"

namespace ringside {

/// Answers whether a schedule's dependencies, followed transitively, put one event before another.
/// Direct dependencies are found at once; only a missing one costs a search, kept between the steps
/// of the two events. Order on a connection does not count: no executor owes it to *data*.
class EventOrder {
 public:
  explicit EventOrder(const Schedule& schedule) : schedule_(schedule) {}

  /// True if `me` is forced to happen after `dependency.on` in the way its kind says.
  bool holds(TransferId me, Dependency dependency);

 private:
  using Event = std::uint64_t;  // 2 * transfer + (0 read, 1 commit)
  bool reachable(Event goal, Event start);
  bool visit(Event event);

  const Schedule& schedule_;
  std::vector<std::uint32_t> step_of_;  // made at the first search
  std::vector<std::uint32_t> seen_;     // by event: the search that met it last
  std::vector<Event> queue_;
  std::uint32_t search_ = 0;
};

}  // namespace ringside
