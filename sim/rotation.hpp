#pragma once

#include <cstdint>
#include <vector>

#include "sim/topology.hpp"

namespace ringside::sim {

/// A map of a topology onto itself, every figure included, that carries rank r to r + G (modulo N):
/// the proof that each group of G ranks is joined as the next one is. By DeviceId and LinkId;
/// `nowhere` for what no rank's traffic reaches.
struct Rotation {
  static constexpr std::uint32_t nowhere = UINT32_MAX;
  std::vector<std::uint32_t> device, link;
};

/// Found by following all links from the ranks on; switches may stay where they are. Error, one
/// sentence, where two devices that would have to be alike are not, as with a slow link. Takes time
/// in proportion to the links, less where it fails.
Result<Rotation> rotation_by(const Topology& topology, std::uint32_t ranks);

}  // namespace ringside::sim
