#pragma once

#include <cstddef>
#include <span>
#include <string_view>

#include "core/result.hpp"
#include "core/schedule.hpp"

// What expressions of lessons may ask of training and of floats: simulated, so that a formula in a
// lesson has something to be held against.

namespace ringside::lessons {

/// `of` takes as many numbers as `arguments` names: bytes, seconds, bytes/s, plain numbers. The
/// models behind them are the plainest that show the effect: layers alike, an optimizer that takes
/// no time (sim/workload/step.hpp simulates them). Errors: a number out of range, by its name.
struct StepFigure {
  std::string_view name, arguments;
  std::size_t count = 0;  ///< of arguments
  Result<double> (*of)(std::span<const double> numbers) = nullptr;
};

/// - `bucket_step(ranks, backward, bytes, buckets, bandwidth, latency)`: when the last of equal
///   buckets is all-reduced on a ring, each as soon as backward has made it; seconds.
/// - `zero_sent(stage, ranks, bytes)`: what leaves a GPU in a step of that ZeRO stage (0: plain
/// data
///   parallelism); `bytes` of parameters, in bfloat16.
/// - `zero_memory(stage, ranks, parameters)`: bytes of weights, gradients and optimizer on a GPU.
/// - `tensor_sent(ranks, bytes)`: what a transformer layer makes each GPU of a tensor group send,
/// of
///   activations of so many bytes.
/// - `pipeline_bubble(stages, micro_batches)`: share of a GPipe step that a GPU idles.
std::span<const StepFigure> step_figures();

/// The float nearest to it.
double float32(double value);

/// What rank 0 ends with in `chunk` of an all-reduce if rank r starts with parts[r] in all chunks
/// and every addition is rounded to float, as ranks do it.
Result<double> float_sum(const Schedule& schedule, ChunkId chunk, std::span<const double> parts);

}  // namespace ringside::lessons
