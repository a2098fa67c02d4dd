#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "core/backend.hpp"
#include "gpu/host/arithmetic.hpp"
#include "gpu/mpi/local_plan.hpp"

namespace ringside::mpi {

/// Where the places of one rank lie, and what is done to them before and after a schedule.
class RankMemory {
 public:
  /// Allocates what the plan needs beyond the rank's own buffers, which outlive this.
  RankMemory(const LocalPlan& plan, const Work& work, const Memory::RankBuffers& given);

  /// mulsum: inputs are scaled; out of place a copy of them, so that the source stays as it was.
  void begin();
  /// avg: results are divided.
  void end();

  /// Inputs too come without const, so that there is one kind of place; schedules never write them.
  std::byte* at(Place place) const {
    return base_[static_cast<std::size_t>(place.buffer)] + place.offset;
  }
  std::byte* staging() { return staging_.data(); }
  /// Where this rank's shares of the transfers' values are added: target = with (op) source.
  void reduce(std::byte* target, const std::byte* with, const std::byte* source,
              std::size_t bytes) const {
    arithmetic_.reduce(target, with, source, bytes / element_);
  }

 private:
  std::span<const Unit> divided_;
  std::size_t element_;
  std::uint32_t ranks_;
  ElementType type_;
  host::Arithmetic arithmetic_;
  bool scales_;
  std::uint64_t scalar_ = 0;
  Memory::RankBuffers given_;
  std::vector<std::byte> scaled_, scratch_, staging_;
  std::byte* base_[3];  // by Buffer
};

}  // namespace ringside::mpi
