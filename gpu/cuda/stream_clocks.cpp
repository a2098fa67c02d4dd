#include "gpu/cuda/stream_clocks.hpp"

#include <algorithm>
#include <functional>

namespace ringside::cuda {
namespace {

/// Above so many numbers, what an awaited operation knew is forgotten: waits that it implies are
/// made all the same.
constexpr std::size_t most_kept = std::size_t{1} << 26;

std::uint32_t known(const std::vector<std::uint32_t>& clock, std::uint32_t stream) {
  return stream < clock.size() ? clock[stream] : 0;
}

}  // namespace

std::uint32_t StreamClocks::add_stream() {
  now_.emplace_back();
  return static_cast<std::uint32_t>(now_.size()) - 1;
}

void StreamClocks::merge(Clock& into, const Clock& from) {
  if (into.size() < from.size()) into.resize(from.size());
  for (std::size_t i = 0; i < from.size(); ++i) into[i] = std::max(into[i], from[i]);
}

std::vector<std::uint32_t> StreamClocks::enqueue(std::uint32_t stream,
                                                 std::vector<std::uint32_t>& needed) {
  // An operation can imply only what was enqueued before it: the latest first.
  std::sort(needed.begin(), needed.end(), std::greater<>{});
  Clock& clock = now_[stream];
  std::vector<std::uint32_t> waits;
  for (const auto other : needed) {
    if (known(clock, stream_of_[other]) > other) continue;
    waits.push_back(other);
    merge(clock, at_end_[other]);
  }
  const auto number = static_cast<std::uint32_t>(stream_of_.size());
  if (clock.size() <= stream) clock.resize(stream + 1);
  clock[stream] = number + 1;
  stream_of_.push_back(stream);
  if (operations_ * now_.size() <= most_kept) {
    at_end_.push_back(clock);
  } else {
    at_end_.emplace_back(stream + 1)[stream] = number + 1;
  }
  return waits;
}

}  // namespace ringside::cuda
