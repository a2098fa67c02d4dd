#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "core/backend.hpp"
#include "gpu/cuda/stream_plan.hpp"

// What streams and events may do with a plan, knowing nothing of how it was made: operations of a
// stream run in order, and an operation waits for those it names if they were enqueued before it,
// as an event that is not recorded yet holds nobody back.

namespace ringside::cuda {

/// Operation `i` is forced to wait for `wait`.
inline bool holds(const StreamPlan& plan, std::uint32_t i, std::uint32_t wait) {
  return wait < i && plan.operations[wait].is_awaited;
}

/// A mistake made in a plan before it is run.
using Tamper = std::function<void(StreamPlan&)>;
using Placing = std::function<Placement(std::uint32_t participants)>;

/// A backend whose devices are this process's memory, and whose streams go as `seed` says.
class ReplayBackend final : public Backend {
 public:
  ReplayBackend(Placing place, std::uint64_t seed, Tamper tamper = {}, SliceLimits limits = {})
      : place_(std::move(place)), seed_(seed), tamper_(std::move(tamper)), limits_(limits) {}
  std::string_view name() const override { return "replay"; }
  Capabilities capabilities() const override { return {.agents = true, .real_bytes = true}; }
  Result<std::unique_ptr<Prepared>> prepare(const Work& work, Memory& memory,
                                            const RunOptions&) override;

 private:
  Placing place_;
  std::uint64_t seed_;
  Tamper tamper_;
  SliceLimits limits_;
};

/// Two operations that touch the same bytes, one of them writing, in whatever order streams like:
/// the first such pair, as a sentence; empty if there is none.
std::string first_race(const StreamPlan& plan);

}  // namespace ringside::cuda
