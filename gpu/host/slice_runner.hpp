#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "core/backend.hpp"
#include "gpu/host/arithmetic.hpp"
#include "gpu/host/fusion.hpp"
#include "gpu/host/slice_plan.hpp"

namespace ringside::host {

/// Does the slices of a plan, any of them on any worker: threads of one process, or processes that
/// see each other's memory. Slices touch different bytes, so they need no order among them.
class SliceRunner {
 public:
  /// `workers` of this object: each has a room of its own. What the plan points at outlives this.
  SliceRunner(const Work& work, SlicePlan plan, std::uint32_t workers);

  std::uint64_t slices() const { return plan_.slices; }
  std::uint64_t bytes() const { return plan_.bytes; }
  /// How many slices a worker should take at once where `sharers` share them out.
  std::uint64_t batch(std::uint32_t sharers) const;
  /// Slices [first, last).
  void run(std::uint32_t worker, std::uint64_t first, std::uint64_t last);

 private:
  struct Slice {
    std::uint64_t first, width;  // elements
    std::uint32_t worker;
  };
  void run(const Strand& strand, const Slice& slice);
  void apply(const Operation& op, const Slice& slice);
  std::byte* at(const Place& place, const Slice& slice);

  SlicePlan plan_;
  std::vector<std::optional<Fusion>> fusions_;  // by strand
  std::size_t element_;
  std::uint32_t ranks_;
  Arithmetic arithmetic_;
  std::uint64_t scalar_;
  std::vector<std::vector<std::byte>> rooms_;  // by worker
};

}  // namespace ringside::host
