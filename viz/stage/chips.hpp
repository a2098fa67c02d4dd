#pragma once

#include <vector>

#include "viz/stage/scene.hpp"

namespace ringside::stage {

/// A chunk on its way, as it is drawn.
struct Chip {
  TransferId id;
  Point at;
  double progress = 0;  ///< along its way, 0..1: it starts and arrives gently
};
/// All that are under way, by id, in the middle of their ways.
std::vector<Chip> chips_on_their_ways(const StagedRun& run, const Scene& scene, TimePoint now);
/// The same where they give way to each other. `run` is the one that the scene was made for. A
/// function of time alone, and a steady one.
std::vector<Chip> chips_at(const StagedRun& run, const Scene& scene, TimePoint now);

/// Progress as it is drawn.
constexpr double eased(double u) {
  return u * u * (3 - 2 * u);
}

/// The largest size at which no chip covers another at any of many moments of the run, and the
/// ways that fit it: sets chip_size, chip, ways and nudges.
void size_chips(Scene& scene, const StagedRun& run, double unit);

}  // namespace ringside::stage
