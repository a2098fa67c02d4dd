#include "lessons/course/step_figures.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>

#include "sim/shapes.hpp"
#include "sim/workload/memory.hpp"
#include "sim/workload/step.hpp"

namespace ringside::lessons {
namespace {

/// Computes 10^12 FLOP/s: a FLOP is a picosecond.
sim::Gpu plain_gpu() {
  sim::Gpu gpu{.name = "plain"};
  for (const auto type : {ElementType::float32, ElementType::bfloat16}) gpu.peak_flops[type] = 1e12;
  gpu.achieved = 1;
  return gpu;
}

sim::Model alike(const sim::Layer& layer) {
  sim::Model model{.name = "layers alike"};
  model.layers = {layer};
  return model;
}

Result<sim::TrainingStep> step_of(const sim::Model& model, const sim::Parallelism& parallelism,
                                  const sim::ShapeRequest& machine) {
  RS_ASSIGN(const sim::Topology topology, sim::make_shape(machine));
  RS_ASSIGN(auto times, sim::GroupTimes::make(topology, "ring"));
  return sim::simulate_step(model, plain_gpu(), parallelism, times);
}

double all_sent(const sim::TrainingStep& step) {
  Bytes sum{};
  for (const Bytes bytes : step.sent) sum += bytes;
  return static_cast<double>(sum.count);
}

struct Limits {
  std::string_view name;
  double least = 1, most = 1024;
  bool is_whole = true;
};
constexpr double most_bytes = 1e15;

Result<void> within(std::span<const double> numbers, std::span<const Limits> limits) {
  for (std::size_t i = 0; i < limits.size(); ++i) {
    const auto& [name, least, most, is_whole] = limits[i];
    if (numbers[i] >= least && numbers[i] <= most &&
        (!is_whole || numbers[i] == std::floor(numbers[i])))
      continue;
    return bad_request(fmt::format("{} is {}; expected {} from {} to {}", name, numbers[i],
                                   is_whole ? "a whole number" : "a number", least, most));
  }
  return {};
}

std::uint32_t whole(double number) {
  return static_cast<std::uint32_t>(number);
}

Result<double> bucket_step(std::span<const double> numbers) {
  constexpr std::array limits{
      Limits{"ranks", 2}, Limits{"backward", 1e-9, 1e3, false}, Limits{"bytes", 4, 1e12, false},
      Limits{"buckets"},  Limits{"bandwidth", 1e3, 1e15},       Limits{"latency", 0, 1, false}};
  RS_TRY(within(numbers, limits));
  const double ranks = numbers[0], backward = numbers[1], bytes = numbers[2];
  const double buckets = numbers[3], bandwidth = numbers[4], latency = numbers[5];
  const auto elements = static_cast<std::uint64_t>(std::ceil(bytes / buckets / 4));
  const sim::Layer layer{.name = "layer",
                         .repeat = whole(buckets),
                         .parameters = elements,
                         .backward_flops = std::round(backward / buckets * 1e12)};
  const sim::Parallelism parallelism{
      .data = whole(ranks), .bucket = {4 * elements}, .type = ElementType::float32};
  RS_ASSIGN(const auto step,
            step_of(alike(layer), parallelism,
                    {.ranks = whole(ranks),
                     .bandwidth = {static_cast<std::uint64_t>(bandwidth)},
                     .latency = {static_cast<std::int64_t>(std::round(latency * 1e12))}}));
  return step.time.seconds();
}

Result<double> zero_sent(std::span<const double> numbers) {
  constexpr std::array limits{Limits{"stage", 0, 3}, Limits{"ranks", 2},
                              Limits{"bytes", 64, most_bytes, false}};
  RS_TRY(within(numbers, limits));
  constexpr std::uint32_t layers = 4;
  const sim::Layer layer{.name = "layer",
                         .repeat = layers,
                         .parameters = static_cast<std::uint64_t>(numbers[2] / 2 / layers),
                         .forward_flops = 1e9,
                         .backward_flops = 2e9};
  RS_ASSIGN(const auto step,
            step_of(alike(layer), {.data = whole(numbers[1]), .zero = whole(numbers[0])},
                    {.ranks = whole(numbers[1])}));
  return all_sent(step);
}

Result<double> zero_memory(std::span<const double> numbers) {
  constexpr std::array limits{Limits{"stage", 0, 3}, Limits{"ranks"},
                              Limits{"parameters", 1, most_bytes}};
  RS_TRY(within(numbers, limits));
  const auto use = sim::model_states(static_cast<std::uint64_t>(numbers[2]),
                                     {.data = whole(numbers[1]), .zero = whole(numbers[0])});
  return static_cast<double>(use.total().count);
}

/// Shoeybi et al. 2019, section 3: two all-reduces of the activations forward, two backward.
Result<double> tensor_sent(std::span<const double> numbers) {
  constexpr std::array limits{Limits{"ranks", 2}, Limits{"bytes", 2, 1e12, false}};
  RS_TRY(within(numbers, limits));
  const sim::Layer block{.name = "block",
                         .parameters = 1'000'000,
                         .forward_flops = 1e9,
                         .backward_flops = 2e9,
                         .output_elements = static_cast<std::uint64_t>(numbers[1] / 2),
                         .splits_by_tensor = true,
                         .forward_all_reduces = 2,
                         .backward_all_reduces = 2};
  sim::Model model = alike(block);
  model.heads = whole(numbers[0]);
  RS_ASSIGN(const auto step,
            step_of(model, {.tensor = whole(numbers[0])}, {.ranks = whole(numbers[0])}));
  return all_sent(step);
}

Result<double> pipeline_bubble(std::span<const double> numbers) {
  constexpr std::array limits{Limits{"stages"}, Limits{"micro_batches", 1, 4096}};
  RS_TRY(within(numbers, limits));
  const sim::Layer layer{
      .name = "layer", .repeat = whole(numbers[0]), .forward_flops = 1e6, .backward_flops = 2e6};
  RS_ASSIGN(const auto step, step_of(alike(layer),
                                     {.pipeline = whole(numbers[0]),
                                      .pipeline_schedule = sim::PipelineSchedule::gpipe,
                                      .micro_batches = whole(numbers[1])},
                                     {.ranks = whole(numbers[0])}));
  return step.shares.bubble.seconds() / step.time.seconds();
}

constexpr std::array figures{
    StepFigure{"bucket_step", "ranks, backward, bytes, buckets, bandwidth, latency", 6,
               bucket_step},
    StepFigure{"zero_sent", "stage, ranks, bytes", 3, zero_sent},
    StepFigure{"zero_memory", "stage, ranks, parameters", 3, zero_memory},
    StepFigure{"tensor_sent", "ranks, bytes", 2, tensor_sent},
    StepFigure{"pipeline_bubble", "stages, micro_batches", 2, pipeline_bubble},
};

}  // namespace

std::span<const StepFigure> step_figures() {
  return figures;
}

}  // namespace ringside::lessons
