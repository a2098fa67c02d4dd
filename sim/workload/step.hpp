#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "sim/workload/gpu.hpp"
#include "sim/workload/group_times.hpp"
#include "sim/workload/model.hpp"
#include "sim/workload/parallelism.hpp"

namespace ringside::sim {

/// What a GPU does in a training step.
enum class Activity : std::uint8_t {
  forward,
  recompute,  ///< activations that were not kept, on the way back
  backward,
  update,            ///< the optimizer
  tensor_reduce,     ///< all-reduces of layers that tensor parallelism splits
  expert_exchange,   ///< all-to-alls to the experts and back
  gradient_reduce,   ///< all-reduce, or under ZeRO reduce-scatter
  parameter_gather,  ///< ZeRO's all-gather
  send_activations,  ///< to the next stage
  send_gradients,    ///< to the stage before
};
inline constexpr std::size_t activity_count = 10;
std::string_view name(Activity activity);  ///< `forward` ... `send gradients`
constexpr bool computes(Activity activity) {
  return activity <= Activity::update;
}

/// The streams of a GPU, each doing one thing at a time.
enum class StreamKind : std::uint8_t { compute, layers, replicas, next, previous };
inline constexpr std::size_t stream_count = 5;
std::string_view name(StreamKind stream);  ///< `compute` `tensor and expert groups` ...

/// One thing that every GPU of a stage did, from `begin` to `end` (longer than it takes alone where
/// communication was crowded).
struct StepSpan {
  std::uint32_t stage = 0;
  StreamKind stream = StreamKind::compute;
  Activity activity = Activity::forward;
  std::uint32_t micro_batch = 0;
  std::uint32_t layer = 0;  ///< of Model::layers, the first where several are one span
  TimePoint begin{}, end{};
};

/// How a GPU spends a step: the three add up to the step's time. Exposed: nothing is computed while
/// one of its messages, or one it is sent, is on its way. Bubble: neither.
struct TimeShares {
  Duration compute{}, exposed{}, bubble{};
};

struct TrainingStep {
  Duration time{};
  TimeShares shares{};  ///< averaged over all GPUs
  std::vector<TimeShares> stages{};
  Duration communication{};  ///< hidden or not: what a GPU's messages take, averaged
  std::array<Bytes, activity_count> sent{};  ///< that leave a GPU, averaged, by activity
  std::vector<StepSpan> timeline{};          ///< by stage, stream and time
};

/// One step of training, simulated: every stage stands for the GPUs that hold its layers, which all
/// do the same; communication takes what GroupTimes finds. GPU stage * (data * tensor) +
/// replica * tensor + shard is rank of that number: tensor innermost, then (inside data) expert,
/// pipeline outermost, as Megatron-LM has it. docs/training-step.md says what is modelled and what
/// is not. Errors: what check(parallelism, model) refuses, a GPU without a peak for the type, more
/// GPUs than the machine has.
Result<TrainingStep> simulate_step(const Model& model, const Gpu& gpu,
                                   const Parallelism& parallelism, GroupTimes& times);

}  // namespace ringside::sim
