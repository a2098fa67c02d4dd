#pragma once

#include <cstdint>
#include <memory>
#include <memory_resource>
#include <span>
#include <vector>

#include "core/engine.hpp"

namespace ringside::training {

/// One collective on a vector of floats on every worker, done again and again: told, proven and
/// prepared once, its buffers where the backend wants them. Workers are ranks.
class Exchange {
 public:
  /// Out of place: what went in is still there afterwards. Where ranks are processes, all of them
  /// call this and run() at the same point. Errors are the engine's.
  static Result<Exchange> make(Backend& backend, const Plan& plan, std::uint64_t count,
                               const RunOptions& options);

  /// Empty where this process does not own the rank, or the collective gives it no such buffer.
  std::span<float> input(Rank rank) { return inputs_[rank.value]; }
  std::span<const float> output(Rank rank) const { return outputs_[rank.value]; }
  /// Once. An error of one process is an error of all.
  Result<Measurement> run();
  const std::shared_ptr<const Schedule>& schedule() const { return schedule_; }

 private:
  using Floats = std::pmr::vector<float>;
  Exchange(Backend& backend, Schedule schedule);
  void allocate(const CollectiveSpec& spec, std::uint64_t count, std::pmr::memory_resource& from);

  Backend* backend_;
  std::shared_ptr<const Schedule> schedule_;
  std::vector<Floats> inputs_, outputs_;  ///< by rank
  std::unique_ptr<Memory> memory_;
  std::unique_ptr<Prepared> prepared_;
};

}  // namespace ringside::training
