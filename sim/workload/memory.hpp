#pragma once

#include <string>

#include "core/result.hpp"
#include "core/units.hpp"
#include "sim/workload/gpu.hpp"
#include "sim/workload/parallelism.hpp"

namespace ringside::sim {

/// What a GPU must hold. The framework's own (CUDA context, NCCL's buffers, fragmentation) is not
/// in here.
struct MemoryUse {
  Bytes parameters{}, gradients{}, optimizer{};
  Bytes activations{};
  Bytes gathered{};  ///< under ZeRO-3: whole layers, the one in use and the one fetched ahead
  Bytes total() const { return parameters + gradients + optimizer + activations + gathered; }
};

/// Parameters, gradients and optimizer of `parameters` weights on one of `data` GPUs. ZeRO
/// (Rajbhandari et al. 2020, section 3.1 and figure 1): in 16 bits 2 + 2 + 12 bytes a weight
/// (Adam: float copy, momentum, variance), of which stage 1 splits the 12, stage 2 the gradients,
/// stage 3 all. Wider types need no copy: Adam 2 elements, SGD 1. Shares round up.
MemoryUse model_states(std::uint64_t parameters, const Parallelism& parallelism);

/// Of the fullest GPU, on whichever stage it lies. Activations as Korthikanti et al. 2022, for as
/// many micro-batches as its schedule has in flight there. Error: as check(parallelism, model).
Result<MemoryUse> memory_use(const Model& model, const Parallelism& parallelism);

/// Empty if it fits; else one sentence: how much too much, and the least change that would make it
/// fit (recomputation, ZeRO, tensor or pipeline parallelism), or that none of these does.
Result<std::string> does_not_fit(const Model& model, const Parallelism& parallelism,
                                 const Gpu& gpu);

}  // namespace ringside::sim
