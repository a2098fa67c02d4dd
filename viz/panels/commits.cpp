#include "viz/panels/commits.hpp"

#include <algorithm>

namespace ringside::panels {

std::uint64_t Commits::by(const stage::StagedRun& run, TimePoint now) {
  if (of_.lock() != run.timeline) {
    of_ = run.timeline;
    times_.clear();
    for (const Span& span : run.spans) times_.push_back(span.commit);
    std::ranges::sort(times_);
    ++runs_;
  }
  const auto done = std::ranges::upper_bound(times_, now) - times_.begin();
  return runs_ << 32 | static_cast<std::uint64_t>(done);
}

}  // namespace ringside::panels
