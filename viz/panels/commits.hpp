#pragma once

#include <memory>
#include <vector>

#include "viz/stage/staged_run.hpp"

namespace ringside::panels {

/// How much of a run is committed: what every slot holds changes with it alone.
class Commits {
 public:
  /// Another number for another run or another number of commits by then: the version of a picture.
  std::uint64_t by(const stage::StagedRun& run, TimePoint now);

 private:
  std::weak_ptr<const stage::Timeline> of_;
  std::vector<TimePoint> times_;
  std::uint64_t runs_ = 0;
};

}  // namespace ringside::panels
