#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/backend.hpp"

namespace ringside::host {

// A collective as straight-line code for one thread, to be run on a slice of every chunk at a time.
// Chunks that never meet in one place, by whatever detours, are strands of their own: a slice of
// one strand is so little memory that it stays in the nearest cache while all its operations are
// done.

/// Where an operation reads or writes: a chunk in a rank's buffer, or a slice in the room that the
/// thread keeps for itself (scratch, landing areas, scaled inputs).
struct Place {
  std::byte* chunk = nullptr;  ///< its first byte; null: in the room
  std::uint32_t number = 0;    ///< which slice of the room
};

struct Operation {
  enum class Kind : std::uint8_t {
    copy,    ///< target = source
    reduce,  ///< target = with (op) source
    scale,   ///< target = source * scalar (mulsum)
    divide,  ///< target = target / ranks (avg)
  };
  Kind kind = Kind::copy;
  Place target, with, source;
  std::uint64_t elements = 0;  ///< of the chunk
};

/// Chunks that meet, and all that is done with them.
struct Strand {
  std::uint32_t first = 0, last = 0;  ///< operations [first, last)
  std::uint64_t elements = 0;         ///< of its longest chunk
  std::uint64_t width = 0;            ///< elements of a slice
  std::uint64_t first_slice = 0;      ///< slices of all strands are numbered through
  std::uint64_t slices() const { return (elements + width - 1) / width; }
};

struct SlicePlan {
  std::vector<Operation> operations;
  std::vector<Strand> strands;
  std::uint64_t slices = 0;
  std::size_t room = 0;     ///< bytes that each thread needs for itself
  std::uint64_t bytes = 0;  ///< in ranks' buffers that the plan touches, each counted once
};

/// The schedule, in its linear order. `memory` as check_binding() asks.
SlicePlan plan_schedule(const Work& work, const Memory& memory);
/// What the collective promises, each promised chunk straight from everybody's inputs, added in the
/// order of ranks.
SlicePlan plan_direct(const Work& work, const Memory& memory);

/// Gathers operations by place; build() finds the strands.
class SlicePlanner {
 public:
  using Number = std::uint32_t;  ///< of a place

  explicit SlicePlanner(ElementType type) : element_(size_of(type).count) {}
  Number chunk(std::byte* at) { return add({at, 0}); }
  Number room() { return add({}); }
  void copy(Number from, Number to, std::uint64_t elements);
  void reduce(Number from, Number with, Number into, std::uint64_t elements);  // NOLINT
  void scale(Number from, Number to, std::uint64_t elements);
  void divide(Number place, std::uint64_t elements);
  SlicePlan build() &&;

 private:
  struct Told {
    Operation::Kind kind;
    Number target, with, source;
    std::uint64_t elements;
  };
  Number add(Place place);
  Number root(Number place);
  void join(Number a, Number b);
  std::vector<Number> sort_by_strand();
  void add_strand(SlicePlan& plan, std::uint32_t first, std::uint32_t last);
  Operation placed(const Told& told) const;

  std::size_t element_;
  std::vector<Place> places_;
  std::vector<Number> parent_;  // a forest: places of one tree belong to one strand
  std::vector<bool> counted_;   // places that the strand at hand has met
  std::vector<Told> told_;
};

}  // namespace ringside::host
