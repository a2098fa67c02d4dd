#pragma once

#include <cstdint>

#include "core/element.hpp"
#include "core/result.hpp"
#include "core/units.hpp"
#include "sim/workload/model.hpp"

namespace ringside::sim {

enum class PipelineSchedule : std::uint8_t {
  gpipe,        ///< all forward, then all backward (Huang et al. 2019)
  one_f_one_b,  ///< one forward, one backward (Narayanan et al. 2019)
  interleaved,  ///< the same, a GPU holding several stretches of layers (Narayanan et al. 2021)
};
/// What is computed again in the backward pass instead of being kept (Korthikanti et al. 2022).
enum class Recompute : std::uint8_t { none, selective, full };
enum class Optimizer : std::uint8_t { adam, sgd };  ///< sgd: with momentum

/// How a training step is spread over data * tensor * pipeline GPUs. `expert` divides `data`: the
/// experts of a layer lie on that many of the GPUs that hold the same layers.
struct Parallelism {
  std::uint32_t data = 1, tensor = 1, pipeline = 1, expert = 1;
  std::uint32_t zero = 0;          ///< stage 0 to 3 (Rajbhandari et al. 2020)
  bool sequence_parallel = false;  ///< of what tensor parallelism does not split
  PipelineSchedule pipeline_schedule = PipelineSchedule::one_f_one_b;
  std::uint32_t interleave = 1;     ///< stretches of layers a GPU holds; more than 1: interleaved
  std::uint32_t micro_batches = 1;  ///< of each replica, each step
  std::uint32_t micro_batch_samples = 1;
  Bytes bucket = 25_MiB;  ///< of gradients that travel together (DDP's default)
  Recompute recompute = Recompute::none;
  ElementType type = ElementType::bfloat16;
  Optimizer optimizer = Optimizer::adam;

  std::uint64_t gpus() const { return std::uint64_t{data} * tensor * pipeline; }
  std::uint64_t samples() const {
    return std::uint64_t{data} * micro_batches * micro_batch_samples;
  }
};

/// One sentence where this cannot be done to that model: a degree of 0, heads that `tensor` does
/// not divide, more stages than layers, experts that `expert` does not divide, ...
Result<void> check(const Parallelism& parallelism, const Model& model);

}  // namespace ringside::sim
