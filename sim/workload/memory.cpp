#include "sim/workload/memory.hpp"

#include <algorithm>

#include "core/suggest.hpp"
#include "sim/workload/stages.hpp"

namespace ringside::sim {
namespace {

std::uint64_t share(std::uint64_t whole, std::uint64_t among) {
  return whole / among + (whole % among > 0 ? 1 : 0);
}

MemoryUse operator+(const MemoryUse& a, const MemoryUse& b) {
  return {a.parameters + b.parameters, a.gradients + b.gradients, a.optimizer + b.optimizer,
          a.activations + b.activations, std::max(a.gathered, b.gathered)};
}

/// Bytes of optimizer for a weight.
std::uint64_t optimizer_bytes(const Parallelism& p) {
  const std::uint64_t element = size_of(p.type).count,
                      states = p.optimizer == Optimizer::adam ? 2 : 1;
  // 16 bits and less train on a float copy, and keep their moments in float.
  return element <= 2 ? 4 + 4 * states : element * states;
}

/// One layer's weights on a GPU, before ZeRO; experts are fewer GPUs' common property.
struct Weights {
  std::uint64_t common = 0, experts = 0;
};
Weights weights_of(const Layer& layer, const Parallelism& p) {
  const std::uint64_t tensor = layer.splits_by_tensor ? p.tensor : 1;
  return {share(layer.parameters - layer.expert_parameters, tensor),
          share(layer.expert_parameters, tensor * p.expert)};
}

MemoryUse states_of(const Weights& weights, const Parallelism& p) {
  Parallelism experts = p;
  experts.data = p.data / p.expert;
  return model_states(weights.common, p) + model_states(weights.experts, experts);
}

/// What a layer keeps of one sample. Recomputed in full, it keeps its input alone.
Bytes kept(const Layer& layer, std::uint64_t input_elements, const Parallelism& p) {
  const std::uint64_t tensor = layer.splits_by_tensor ? p.tensor : 1;
  const std::uint64_t sequence = p.sequence_parallel ? tensor : 1;
  if (p.recompute == Recompute::full)
    return {share(input_elements * size_of(p.type).count, sequence)};
  Bytes all{share(layer.split.in(p.type).count, tensor) +
            share(layer.replicated.in(p.type).count, sequence)};
  if (p.recompute == Recompute::none) all += {share(layer.scores.in(p.type).count, tensor)};
  return all;
}

/// Micro-batches whose activations a stage holds at once, in micro-batches of all its layers
/// (Narayanan et al. 2021, section 2.2; interleaved, on the first stage p + (p - 1) / v of them:
/// Korthikanti et al. 2022, section 4.2.3).
double in_flight(const Parallelism& p, std::uint32_t stage) {
  const double batches = p.micro_batches;
  if (p.pipeline_schedule == PipelineSchedule::gpipe) return batches;
  const double from_here = p.pipeline - stage;
  if (p.pipeline_schedule == PipelineSchedule::one_f_one_b || p.interleave == 1)
    return std::min(batches, from_here);
  const double stretches = p.interleave, stages = p.pipeline;
  return std::min(batches, (2 * from_here - 1 + (stretches - 1) * stages) / stretches);
}

MemoryUse use_of(const Model& model, const Parallelism& p, const Stage& stage,
                 std::uint32_t number) {
  MemoryUse use;
  Bytes sample{}, within{};  // kept of one sample; of the one layer that is being recomputed
  std::uint64_t largest = 0;
  for (const auto& [index, count] : stage) {
    const Layer& layer = model.layers[index];
    const std::uint64_t input =
        index == 0 ? 0 : model.layers[layer.repeat > 1 ? index : index - 1].output_elements;
    sample += count * kept(layer, input, p);
    if (p.recompute == Recompute::full) {
      Parallelism once = p;
      once.recompute = Recompute::none;
      within = std::max(within, kept(layer, input, once));
    }
    Weights weights = weights_of(layer, p);
    largest = std::max(largest, weights.common + weights.experts);
    weights.common *= count;
    weights.experts *= count;
    use = use + states_of(weights, p);
  }
  const double samples = in_flight(p, number) * p.micro_batch_samples;
  constexpr double most = 0x1p62;  // read_model bounds a sample's, nobody the samples
  const double bytes = samples * static_cast<double>(sample.count) +
                       p.micro_batch_samples * static_cast<double>(within.count);
  use.activations = {static_cast<std::uint64_t>(std::min(bytes, most))};
  if (p.zero == 3 && p.data > 1) use.gathered = {2 * largest * size_of(p.type).count};
  return use;
}

}  // namespace

MemoryUse model_states(std::uint64_t parameters, const Parallelism& p) {
  const std::uint64_t element = size_of(p.type).count;
  const auto split = [&](std::uint64_t bytes, std::uint32_t from) {
    return Bytes{p.zero >= from ? share(bytes, p.data) : bytes};
  };
  return {split(element * parameters, 3), split(element * parameters, 2),
          split(optimizer_bytes(p) * parameters, 1)};
}

Result<MemoryUse> memory_use(const Model& model, const Parallelism& p) {
  RS_TRY(check(p, model));
  const auto stages = cut_into_stages(model, p.pipeline);
  MemoryUse fullest;
  for (std::uint32_t s = 0; s < stages.size(); ++s) {
    const auto use = use_of(model, p, stages[s], s);
    if (use.total() > fullest.total()) fullest = use;
  }
  return fullest;
}

}  // namespace ringside::sim
