#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "sim/topology.hpp"

namespace ringside::sim {

/// A map of a topology onto itself, every figure included: the proof that ranks are joined as those
/// are that they are carried to. By DeviceId and LinkId; `nowhere` for what no rank's traffic
/// reaches.
struct Automorphism {
  static constexpr std::uint32_t nowhere = UINT32_MAX;
  std::vector<std::uint32_t> device, link;
  std::vector<bool> keeps_order;  ///< by device: of the links that leave it, by id
};

/// The one that carries rank r to image[r], a permutation of all ranks. Found by following all
/// links from the ranks on; switches may stay where they are. Error, one sentence, where two
/// devices that would have to be alike are not, as with a slow link. Takes time in proportion to
/// the links, less where it fails.
Result<Automorphism> automorphism(const Topology& topology, std::span<const std::uint32_t> image);

}  // namespace ringside::sim
