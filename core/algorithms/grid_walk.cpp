#include "core/algorithms/grid_walk.hpp"

#include "core/algorithms/cost.hpp"
#include "core/algorithms/ring_walk.hpp"

namespace ringside::algorithms {
namespace {

/// One line of the grid, and the part of the vector that its ranks share.
struct Line {
  Group ranks;
  RingLoad load;
};

std::uint32_t product(std::span<const std::uint32_t> sides) {
  std::uint32_t ranks = 1;
  for (const auto side : sides) ranks *= side;
  return ranks;
}

/// The lines along side `d` that any of the first `heard` ranks are in. The sides after it have
/// been scattered already: their coordinates say which part of the vector a line works on.
std::vector<Line> lines_along(std::span<const std::uint32_t> sides, std::size_t d,
                              std::uint32_t heard) {
  const auto ranks = product(sides), stride = product(sides.subspan(d + 1));
  std::vector<Line> lines;
  for (std::uint32_t first = 0; first < heard; ++first) {
    if (first / stride % sides[d] != 0) continue;
    std::uint32_t begin = 0, length = ranks, rest = first;
    for (std::size_t i = sides.size(); --i > d; rest /= sides[i]) {
      length /= sides[i];
      begin += rest % sides[i] * length;
    }
    lines.push_back(
        {{first, stride, sides[d]}, RingLoad{.first = begin, .length = length / sides[d]}});
  }
  return lines;
}

}  // namespace

void tell_grid_all_reduce(std::span<const std::uint32_t> sides, TransferSink& sink) {
  const auto heard = sink.heard(product(sides));
  Buffer own = Buffer::input;
  for (std::size_t d = sides.size(); d-- > 0;) {
    const auto lines = lines_along(sides, d, heard);
    for (std::int64_t s = 0; s < std::int64_t{sides[d]} - 1; ++s, sink.next_step())
      for (const Line& line : lines)
        reduce_scatter_step(line.ranks, {sides[d], s}, line.load, own, sink);
    if (sides[d] > 1) own = Buffer::output;
  }
  for (std::size_t d = 0; d < sides.size(); ++d) {
    const auto lines = lines_along(sides, d, heard);
    for (std::int64_t s = 0; s < std::int64_t{sides[d]} - 1; ++s, sink.next_step())
      for (const Line& line : lines) all_gather_step(line.ranks, {sides[d], s}, line.load, sink);
  }
  if (own == Buffer::input) sink.copy(input(0, 0), output(0, 0));
}

Orbit grid_orbit(std::span<const std::uint32_t> sides) {
  std::uint32_t groups = 1;
  for (const auto side : sides)
    if (groups == 1) groups = side;
  return {.ranks = product(sides) / groups, .groups = groups, .blocks = groups};
}

Duration predict_grid_all_reduce(std::span<const std::uint32_t> sides, Bytes size,
                                 const LinkCost& link) {
  Duration time;
  std::uint64_t parts = 1;
  for (std::size_t d = sides.size(); d-- > 0;) {
    parts *= sides[d];
    time += 2 * (std::int64_t{sides[d]} - 1) * message(part(size, parts), link);
  }
  return time;
}

}  // namespace ringside::algorithms
