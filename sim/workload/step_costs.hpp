#pragma once

#include <cstdint>
#include <vector>

#include "sim/workload/gpu.hpp"
#include "sim/workload/model.hpp"
#include "sim/workload/parallelism.hpp"
#include "sim/workload/siblings.hpp"
#include "sim/workload/stages.hpp"

namespace ringside::sim {

/// One layer, one micro-batch, on one GPU.
struct LayerCost {
  Duration forward{}, backward{};
  std::uint64_t shared = 0, expert = 0;  ///< parameters on this GPU: every replica's, or experts'
  Bytes output{};                        ///< of a micro-batch, whole
  std::uint32_t forward_reduces = 0, backward_reduces = 0;  ///< all-reduces of `output`
  Bytes exchanged{};  ///< in an all-to-all to the experts, or back; 0: none
};

/// All that a step's simulation wants to know of what is trained, and how.
struct StepCosts {
  std::vector<LayerCost> layers;  ///< by Model::layers
  std::vector<Stage> pieces;      ///< of stage s: s, s + pipeline, ...
  Bytes element{};                ///< one parameter, gradient or activation
  Bytes updated{};                ///< read and written to update one parameter
  Bandwidth memory{};             ///< 0: updating takes no time

  /// Errors: as simulate_step().
  static Result<StepCosts> make(const Model& model, const Gpu& gpu, const Parallelism& p);
};

}  // namespace ringside::sim
