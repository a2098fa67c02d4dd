#pragma once

#include <cstdint>
#include <initializer_list>
#include <span>
#include <vector>

#include "core/ids.hpp"
#include "core/units.hpp"

namespace ringside::sim {

using TaskId = Id<struct TaskTag>;

/// A share of something that several tasks may want at once, in parts of 2^16 of all there is.
struct Claim {
  std::uint32_t resource = 0, share = 0;
};

struct Task {
  std::uint32_t lane = 0;
  Duration work{};            ///< how long it takes if nobody slows it down
  std::uint32_t load = none;  ///< what add_load() returned: its claims while it runs
  static constexpr std::uint32_t none = UINT32_MAX;
};

struct Interval {
  TimePoint begin, end;
};

/// Tasks on lanes, as kernels on streams: those of one lane run one at a time, in the order in
/// which they were added; each begins once those before it in its lane and all that it comes
/// `after` have ended.
///
/// Where what running tasks claim of a resource adds up to more than all of it, each gets its claim
/// over that sum: fluid sharing, in proportion. A task goes at the speed of its most crowded
/// resource. One that is never crowded takes exactly its work.
class Lanes {
 public:
  explicit Lanes(std::uint32_t lanes, std::uint32_t resources)
      : last_of_(lanes, nobody), resources_(resources) {}

  std::uint32_t add_load(std::vector<Claim> claims);
  /// `after` names tasks that have been added.
  TaskId add(const Task& task, std::span<const TaskId> after);
  TaskId add(const Task& task, std::initializer_list<TaskId> after = {}) {
    return add(task, std::span(after.begin(), after.size()));
  }
  std::span<const Task> tasks() const { return tasks_; }

  /// When each task ran, by id.
  std::vector<Interval> run() const;

 private:
  friend class LanesRun;
  static constexpr std::uint32_t nobody = UINT32_MAX;
  struct Edge {
    std::uint32_t from, to;
  };
  std::vector<Task> tasks_;
  std::vector<Edge> edges_;
  std::vector<std::uint32_t> last_of_;  // by lane
  std::vector<std::vector<Claim>> loads_;
  std::uint32_t resources_;
};

}  // namespace ringside::sim
