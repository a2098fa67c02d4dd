#include "gpu/host/slice_plan.hpp"

#include <algorithm>

namespace ringside::host {
namespace {

// Eight cache lines of every chunk of a strand: so short that many streams of memory advance side
// by side, which is what hides its latency, and long enough for a loop. Measured on ranks' buffers
// of 64 MiB: with 512 bytes, eight ranks are as fast as two; with 4 KiB, half as fast.
constexpr std::size_t slice_bytes = 512;

}  // namespace

SlicePlanner::Number SlicePlanner::add(Place place) {
  const auto number = static_cast<Number>(places_.size());
  places_.push_back(place);
  parent_.push_back(number);
  return number;
}

SlicePlanner::Number SlicePlanner::root(Number place) {
  while (parent_[place] != place) place = parent_[place] = parent_[parent_[place]];
  return place;
}

void SlicePlanner::join(Number a, Number b) {
  parent_[root(a)] = root(b);
}

void SlicePlanner::copy(Number from, Number to, std::uint64_t elements) {
  told_.push_back({Operation::Kind::copy, to, to, from, elements});
  join(from, to);
}

void SlicePlanner::reduce(Number from, Number with, Number into, std::uint64_t elements) {
  told_.push_back({Operation::Kind::reduce, into, with, from, elements});
  join(from, into);
  join(with, into);
}

void SlicePlanner::scale(Number from, Number to, std::uint64_t elements) {
  told_.push_back({Operation::Kind::scale, to, to, from, elements});
  join(from, to);
}

void SlicePlanner::divide(Number place, std::uint64_t elements) {
  told_.push_back({Operation::Kind::divide, place, place, place, elements});
}

/// Operations strand by strand, each strand's in told order; returns where each strand ends.
std::vector<SlicePlanner::Number> SlicePlanner::sort_by_strand() {
  std::vector<Number> strand(places_.size(), UINT32_MAX), ends;
  for (const Told& told : told_) {
    auto& number = strand[root(told.target)];
    if (number == UINT32_MAX) number = static_cast<Number>(ends.size()), ends.push_back(0);
    ++ends[number];
  }
  for (std::size_t i = 1; i < ends.size(); ++i) ends[i] += ends[i - 1];
  std::vector<Told> sorted(told_.size());
  std::vector<Number> next(ends.size(), 0);
  for (std::size_t i = 1; i < ends.size(); ++i) next[i] = ends[i - 1];
  for (const Told& told : told_) sorted[next[strand[root(told.target)]]++] = told;
  told_ = std::move(sorted);
  return ends;
}

void SlicePlanner::add_strand(SlicePlan& plan, std::uint32_t first, std::uint32_t last) {
  Strand strand{
      .first = first, .last = last, .width = slice_bytes / element_, .first_slice = plan.slices};
  std::uint32_t chunks = 0, rooms = 0;
  for (auto i = first; i < last; ++i) {
    strand.elements = std::max(strand.elements, told_[i].elements);
    for (const Number place : {told_[i].target, told_[i].with, told_[i].source}) {
      if (counted_[place]) continue;
      counted_[place] = true;
      if (places_[place].chunk == nullptr)
        places_[place].number = rooms++;
      else
        ++chunks;
    }
  }
  plan.slices += strand.slices();
  plan.room = std::max(plan.room, rooms * strand.width * element_);
  plan.bytes += chunks * strand.elements * element_;
  plan.strands.push_back(strand);
}

Operation SlicePlanner::placed(const Told& told) const {
  return {told.kind, places_[told.target], places_[told.with], places_[told.source], told.elements};
}

SlicePlan SlicePlanner::build() && {
  SlicePlan plan;
  counted_.assign(places_.size(), false);
  std::uint32_t begin = 0;
  for (const auto end : sort_by_strand()) {
    add_strand(plan, begin, end);
    begin = end;
  }
  plan.operations.reserve(told_.size());
  for (const Told& told : told_) plan.operations.push_back(placed(told));
  return plan;
}

}  // namespace ringside::host
