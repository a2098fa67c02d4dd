#include "sim/workload/step_costs.hpp"

#include <cmath>

namespace ringside::sim {
namespace {

/// What a GPU computes in one pass of a layer, and moves beside that.
struct Pass {
  double flops = 0, traffic = 0;
};

class Speed {
 public:
  Speed(double flops, Bandwidth memory)
      : flops_(flops), memory_(static_cast<double>(memory.bytes_per_second)) {}

  Result<Duration> time(const Layer& layer, Pass pass) const {
    const double moving = memory_ > 0 ? pass.traffic / memory_ : 0;
    const double picoseconds = std::round((pass.flops / flops_ + moving) * 1e12);
    constexpr double most = 1e17;  // a day: sums of thousands must stay on the clock
    if (picoseconds >= 0 && picoseconds < most)
      return Duration{static_cast<std::int64_t>(picoseconds)};
    return bad_request("layer " + layer.name + " computes for more than a day");
  }

 private:
  double flops_, memory_;
};

/// Split in `parts`, the fullest part.
std::uint64_t part(std::uint64_t whole, std::uint64_t parts) {
  return (whole + parts - 1) / parts;
}

/// Adam reads and writes momentum, variance and a parameter in 4 bytes each, SGD has no variance;
/// both read the gradient, and write the parameter in the type it computes in where that is
/// narrower.
Bytes updated_bytes(const Parallelism& p, Bytes element) {
  const std::uint64_t wide = p.optimizer == Optimizer::adam ? 3 : 2;
  return Bytes{2 * wide * 4} + element + (element < 4_B ? element : 0_B);
}

}  // namespace

Result<StepCosts> StepCosts::make(const Model& model, const Gpu& gpu, const Parallelism& p) {
  RS_TRY(check(p, model));
  RS_ASSIGN(const double flops, achieved_flops(gpu, p.type));
  const Speed speed(flops, gpu.memory_bandwidth);
  StepCosts costs;
  costs.element = size_of(p.type);
  costs.updated = updated_bytes(p, costs.element);
  costs.memory = gpu.memory_bandwidth;
  costs.pieces = cut_into_stages(model, p.pipeline * p.interleave);
  for (const Layer& layer : model.layers) {
    const std::uint64_t split = layer.splits_by_tensor ? p.tensor : 1;
    const double samples = static_cast<double>(p.micro_batch_samples) / static_cast<double>(split);
    LayerCost cost;
    const Pass forward{samples * layer.forward_flops, samples * layer.forward_traffic};
    Pass backward{samples * layer.backward_flops, samples * layer.backward_traffic};
    if (p.recompute == Recompute::selective) backward.traffic += forward.traffic;
    RS_ASSIGN(cost.forward, speed.time(layer, forward));
    RS_ASSIGN(cost.backward, speed.time(layer, backward));
    cost.expert = part(layer.expert_parameters, split * p.expert);
    cost.shared = part(layer.parameters - layer.expert_parameters, split);
    cost.output = std::uint64_t{p.micro_batch_samples} * layer.output_elements * costs.element;
    if (split > 1) {
      cost.forward_reduces = layer.forward_all_reduces;
      cost.backward_reduces = layer.backward_all_reduces;
    }
    if (layer.experts > 0 && p.expert > 1)
      cost.exchanged =
          Bytes{layer.experts_per_token * cost.output.count / (p.sequence_parallel ? split : 1)};
    costs.layers.push_back(cost);
  }
  return costs;
}

}  // namespace ringside::sim
