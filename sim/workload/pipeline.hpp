#pragma once

#include <cstdint>
#include <vector>

#include "sim/workload/parallelism.hpp"

namespace ringside::sim {

/// One micro-batch through one piece of the model that a GPU holds, one way.
struct Turn {
  bool is_forward = true;
  std::uint32_t micro_batch = 0;
  std::uint32_t piece = 0;  ///< of those the stage holds; of the model: piece * pipeline + stage
  friend bool operator==(const Turn&, const Turn&) = default;
};

/// What a stage does, in this order. GPipe (Huang et al. 2019): all forward, then all backward,
/// the latest first. 1F1B (Narayanan et al. 2019): pipeline - stage - 1 forward, then one forward
/// and one backward in turn, then what is left. Interleaved (Narayanan et al. 2021, section 2.2.2):
/// the same with `pipeline` micro-batches at a time through each piece.
std::vector<Turn> turns(const Parallelism& parallelism, std::uint32_t stage);

}  // namespace ringside::sim
