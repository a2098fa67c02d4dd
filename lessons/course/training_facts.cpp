#include "lessons/course/training_facts.hpp"

#include <fmt/format.h>

#include <cmath>

#include "sim/shapes.hpp"
#include "sim/workload/memory.hpp"
#include "sim/workload/step.hpp"

namespace ringside::lessons {
namespace {

using namespace sim;
using Numbers = std::span<const double>;

constexpr double most_gpus = 1e6, most_bytes = 1e15, most_seconds = 1e4;
constexpr double most_simulated = 256, most_parts = 1024;  // a moment, even 256 x 1024 of them

Result<std::uint32_t> count(double value, std::string_view what, double most) {
  if (!(value >= 1 && value <= most && std::floor(value) == value))
    return bad_request(fmt::format("{} is a whole number from 1 to {}, not {}", what, most, value));
  return static_cast<std::uint32_t>(value);
}
Result<double> size(double value, std::string_view what, double most) {
  if (!(value > 0 && value <= most))
    return bad_request(fmt::format("{} is above 0 and at most {}, not {}", what, most, value));
  return value;
}

/// Its FLOPs are picoseconds; the optimizer takes no time.
Gpu plain_gpu() {
  Gpu gpu{.name = "plain"};
  for (const auto type : {ElementType::float32, ElementType::bfloat16}) gpu.peak_flops[type] = 1e12;
  gpu.achieved = 1;
  return gpu;
}

struct Wires {
  double bandwidth = 100e9, latency = 0;
};
Result<TrainingStep> step(const Layer& layer, const Parallelism& parallelism,
                          const Wires& wires = {}) {
  Model model{.name = "plain"};
  model.layers = {layer};
  model.heads = parallelism.tensor;
  const Bandwidth bandwidth{static_cast<std::uint64_t>(wires.bandwidth)};
  const Duration latency{std::llround(wires.latency * 1e12)};
  RS_ASSIGN(const Topology ring, make_shape({.kind = ShapeKind::ring,
                                             .ranks = parallelism.gpus(),
                                             .bandwidth = bandwidth,
                                             .latency = latency}));
  RS_ASSIGN(GroupTimes times, GroupTimes::make(ring, "ring"));
  return simulate_step(model, plain_gpu(), parallelism, times);
}

double sent(const TrainingStep& step, Activity activity) {
  return static_cast<double>(step.sent[static_cast<std::size_t>(activity)].count);
}

/// n GPUs, backward pass, bytes of gradients, buckets that fill evenly, bandwidth, latency.
Result<double> bucket_step(Numbers given) {
  Parallelism parallelism{.type = ElementType::float32};
  RS_ASSIGN(parallelism.data, count(given[0], "the number of GPUs", most_simulated));
  RS_ASSIGN(const double backward, size(given[1], "the backward pass", most_seconds));
  RS_ASSIGN(const double bytes, size(given[2], "the size of all gradients", most_bytes));
  RS_ASSIGN(const std::uint32_t buckets, count(given[3], "the number of buckets", most_parts));
  RS_ASSIGN(const double bandwidth, size(given[4], "the bandwidth", most_bytes));
  RS_ASSIGN(const double latency, size(given[5], "the latency", 1));
  Layer layer{.name = "bucket", .repeat = buckets};
  layer.parameters = static_cast<std::uint64_t>(bytes / buckets / 4);
  layer.backward_flops = std::round(backward * 1e12 / buckets);
  parallelism.bucket = Bytes{4 * layer.parameters};
  RS_ASSIGN(const TrainingStep done, step(layer, parallelism, {bandwidth, latency}));
  return done.time.seconds();
}

/// ZeRO stage (0: plain data parallelism), n GPUs, bytes of the parameters in 16 bits.
Result<double> zero_sent(Numbers given) {
  Parallelism parallelism;
  RS_ASSIGN(const std::uint32_t stage, count(given[0] + 1, "the ZeRO stage and one", 4));
  parallelism.zero = stage - 1;
  RS_ASSIGN(parallelism.data, count(given[1], "the number of GPUs", most_simulated));
  RS_ASSIGN(const double bytes, size(given[2], "the size of the parameters", most_bytes));
  // In pieces that the GPUs divide evenly; nothing overlaps, and only bytes are asked for.
  const auto whole = std::uint64_t{parallelism.data} * parallelism.data;
  Layer layer{.name = "layer"};
  layer.parameters =
      std::max<std::uint64_t>(1, static_cast<std::uint64_t>(bytes / 2) / whole) * whole;
  layer.backward_flops = layer.forward_flops = 1e9;
  parallelism.bucket = Bytes{2 * layer.parameters};
  RS_ASSIGN(const TrainingStep done, step(layer, parallelism));
  return sent(done, Activity::gradient_reduce) + sent(done, Activity::parameter_gather);
}

/// ZeRO stage, n GPUs, parameters: bytes of them, their gradients and Adam on one GPU.
Result<double> zero_memory(Numbers given) {
  Parallelism parallelism;
  RS_ASSIGN(const std::uint32_t stage, count(given[0] + 1, "the ZeRO stage and one", 4));
  parallelism.zero = stage - 1;
  RS_ASSIGN(parallelism.data, count(given[1], "the number of GPUs", most_gpus));
  RS_ASSIGN(const double parameters, size(given[2], "the number of parameters", most_bytes));
  return static_cast<double>(
      model_states(static_cast<std::uint64_t>(parameters), parallelism).total().count);
}

/// t GPUs that split a transformer's layer, bytes of one activation: sent for it in a step.
Result<double> tensor_sent(Numbers given) {
  Parallelism parallelism;
  RS_ASSIGN(parallelism.tensor, count(given[0], "the number of GPUs", most_simulated));
  RS_ASSIGN(const double bytes, size(given[1], "the size of an activation", most_bytes));
  Layer layer{.name = "block", .parameters = parallelism.tensor};
  layer.forward_flops = layer.backward_flops = 1e9;
  layer.output_elements = static_cast<std::uint64_t>(bytes / 2);
  layer.splits_by_tensor = true;
  layer.forward_all_reduces = layer.backward_all_reduces = 2;  // Shoeybi et al. 2019, section 3
  RS_ASSIGN(const TrainingStep done, step(layer, parallelism));
  return sent(done, Activity::tensor_reduce);
}

/// p stages, m micro-batches, all forward and then all backward: the share of the step in which a
/// GPU waits.
Result<double> pipeline_bubble(Numbers given) {
  Parallelism parallelism{.pipeline_schedule = PipelineSchedule::gpipe};
  RS_ASSIGN(parallelism.pipeline, count(given[0], "the number of stages", 128));
  RS_ASSIGN(parallelism.micro_batches, count(given[1], "the number of micro-batches", most_parts));
  Layer layer{.name = "layer", .repeat = parallelism.pipeline};
  layer.forward_flops = 1e9;
  layer.backward_flops = 2e9;
  RS_ASSIGN(const TrainingStep done, step(layer, parallelism));
  return done.shares.bubble.seconds() / done.time.seconds();
}

}  // namespace

std::span<const TrainingFact> training_facts() {
  constexpr Unit none = Unit::none;
  static const TrainingFact all[] = {
      {"bucket_step",
       {none, Unit::time, Unit::bytes, none, Unit::bandwidth, Unit::time},
       Unit::time,
       "n GPUs in a ring, a backward pass, gradients in so many buckets, wires: when all is summed",
       bucket_step},
      {"zero_sent",
       {none, none, Unit::bytes},
       Unit::bytes,
       "ZeRO stage, GPUs, bytes of the parameters in 16 bits: sent by a GPU in a step",
       zero_sent},
      {"zero_memory",
       {none, none, none},
       Unit::bytes,
       "ZeRO stage, GPUs, parameters: what a GPU holds of model and optimizer",
       zero_memory},
      {"tensor_sent",
       {none, Unit::bytes},
       Unit::bytes,
       "GPUs that split a layer, bytes of an activation: sent by a GPU for it in a step",
       tensor_sent},
      {"pipeline_bubble",
       {none, none},
       none,
       "stages, micro-batches: the share of a GPipe step in which a GPU waits",
       pipeline_bubble},
  };
  return all;
}

}  // namespace ringside::lessons
