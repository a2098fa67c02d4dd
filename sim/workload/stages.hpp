#pragma once

#include <cstdint>
#include <vector>

#include "sim/workload/model.hpp"

namespace ringside::sim {

/// `count` layers in a row of one kind (an index of Model::layers).
struct Stretch {
  std::uint32_t layer = 0, count = 0;
};
using Stage = std::vector<Stretch>;

/// A model cut into `stages` (at most its depth) pieces in forward order. As Megatron-LM cuts: the
/// layers that are repeated are dealt out evenly (the first stages take one more where they do not
/// come out even), what precedes them goes first, what follows them last. Without repeated layers,
/// or fewer of them than stages, all layers are dealt out alike.
std::vector<Stage> cut_into_stages(const Model& model, std::uint32_t stages);

}  // namespace ringside::sim
