#include "gpu/host/slice_runner.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

namespace ringside::host {
namespace {

// 32 KiB of each chunk: long enough that memory is read ahead, short enough to end together.
constexpr std::uint64_t longest_batch = 64;

}  // namespace

SliceRunner::SliceRunner(const Work& work, SlicePlan plan, std::uint32_t workers)
    : plan_(std::move(plan)),
      element_(size_of(work.type).count),
      ranks_(work.schedule->spec().ranks),
      arithmetic_(arithmetic({work.type, work.op})),
      scalar_(convert_scalar(work.mulsum_scalar, work.type)),
      rooms_(workers, std::vector<std::byte>(plan_.room)) {
  for (const Strand& strand : plan_.strands)
    fusions_.push_back(arithmetic_.combine ? fuse(plan_, strand) : std::nullopt);
}

std::uint64_t SliceRunner::batch(std::uint32_t sharers) const {
  return std::clamp<std::uint64_t>(plan_.slices / (4 * sharers), 1, longest_batch);
}

void SliceRunner::run(std::uint32_t worker, std::uint64_t first, std::uint64_t last) {
  const auto begins_after = [](std::uint64_t n, const Strand& s) { return n < s.first_slice; };
  auto next = std::upper_bound(plan_.strands.begin(), plan_.strands.end(), first, begins_after);
  while (first < last) {
    while (next != plan_.strands.end() && next->first_slice <= first) ++next;
    const Strand& strand = *(next - 1);
    const auto end = std::min(last, strand.first_slice + strand.slices());
    const auto& fusion = fusions_[static_cast<std::size_t>(next - 1 - plan_.strands.begin())];
    const auto begin = (first - strand.first_slice) * strand.width;
    if (fusion)
      arithmetic_.combine(fusion->targets, fusion->sources, begin,
                          std::min(strand.elements, begin + (end - first) * strand.width));
    else
      for (auto at = begin; first < end; ++first, at += strand.width)
        run(strand, {at, strand.width, worker});
    first = end;
  }
}

void SliceRunner::run(const Strand& strand, const Slice& slice) {
  for (auto i = strand.first; i < strand.last; ++i) apply(plan_.operations[i], slice);
}

std::byte* SliceRunner::at(const Place& place, const Slice& slice) {
  if (place.chunk != nullptr) return place.chunk + slice.first * element_;
  return rooms_[slice.worker].data() + place.number * slice.width * element_;
}

void SliceRunner::apply(const Operation& op, const Slice& slice) {
  if (op.elements <= slice.first) return;
  const auto elements = std::min(slice.width, op.elements - slice.first);
  auto* target = at(op.target, slice);
  const auto* source = at(op.source, slice);
  switch (op.kind) {
    case Operation::Kind::copy:
      std::memcpy(target, source, elements * element_);
      break;
    case Operation::Kind::reduce:
      arithmetic_.reduce(target, at(op.with, slice), source, elements);
      break;
    case Operation::Kind::scale:
      arithmetic_.scale(target, source, elements, scalar_);
      break;
    case Operation::Kind::divide:
      arithmetic_.divide(target, elements, ranks_);
      break;
  }
}

}  // namespace ringside::host
