#include "gpu/calibrate/rounds.hpp"

namespace ringside::calibrate {

std::vector<std::vector<Pair>> rounds(std::uint32_t ranks) {
  const std::uint32_t seats = ranks + ranks % 2;  // with an odd number, one seat means a rest
  std::vector<std::vector<Pair>> all;
  for (std::uint32_t turn = 0; turn + 1 < seats; ++turn) {
    // The last seat stays; the others move on by one around the circle.
    const auto at = [&](std::uint32_t seat) { return (seat + turn) % (seats - 1); };
    std::vector<Pair> round;
    if (seats == ranks) round.push_back({{at(0)}, {seats - 1}});
    for (std::uint32_t i = 1; i < seats / 2; ++i) round.push_back({{at(i)}, {at(seats - 1 - i)}});
    all.push_back(std::move(round));
  }
  return all;
}

}  // namespace ringside::calibrate
