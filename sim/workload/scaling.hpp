#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "sim/topology.hpp"
#include "sim/workload/memory.hpp"
#include "sim/workload/step.hpp"

namespace ringside::sim {

/// Strong: a step has as many samples on any number of GPUs. Weak: each replica has.
enum class Scaling : std::uint8_t { strong, weak };

/// A machine whose first `gpus` GPUs take part.
using MachineOf = std::function<Result<Topology>(std::uint32_t gpus)>;
/// Told before each simulation: how many are done, of how many, and what comes next.
using OnProgress = std::function<void(std::size_t done, std::size_t of, const std::string& next)>;

struct ScalingRequest {
  Model model{};
  Gpu gpu{};
  MachineOf machine{};
  std::vector<std::uint32_t> gpus{};  ///< counts, ascending
  Scaling mode = Scaling::weak;
  /// All but `data` and `micro_batches`, which follow from the count and the batch.
  Parallelism parallelism{};
  /// The least ZeRO stage and recomputation are taken that fit at most counts; what is given
  /// in `parallelism` otherwise.
  bool choose_zero = false, choose_recompute = false;
  /// Samples a step; weak: on the first count. 0: a micro-batch for each replica, strong: of the
  /// last count.
  std::uint64_t global_batch = 0;
  std::string algorithm = "best";  ///< as GroupTimes::make
  OnProgress on_progress{};
};

struct ScalingPoint {
  std::uint32_t gpus = 0;
  Parallelism parallelism{};
  std::string left_out{};  ///< why there is no step: does not fit, cannot be divided
  MemoryUse memory{};      ///< zero where it cannot be divided
  TrainingStep step{};
  double samples_per_second = 0;
  double speedup = 0;     ///< over the first point with a step, times that point's GPUs
  double efficiency = 0;  ///< speedup over GPUs

  bool runs() const { return left_out.empty(); }
};

/// Why more GPUs stop helping.
enum class Limit : std::uint8_t { none, latency, bandwidth, bubble, memory, batch };
std::string_view name(Limit limit);

/// The last count worth having: from it to the next, less than half of what is added helps.
struct Knee {
  std::optional<std::size_t> point{};  ///< of ScalingCurve::points
  Limit limit = Limit::none;
  std::string sentence{};  ///< for people; also where there is no knee
};

struct ScalingCurve {
  std::vector<ScalingPoint> points{};  ///< as the counts
  Knee knee{};
  std::vector<std::string> notes{};  ///< what was chosen
};

/// Error: none of the counts runs (why the last does not), or what simulate_step refuses.
Result<ScalingCurve> scale(const ScalingRequest& request);

/// `1-4096`: doubled from the first up to the last, which is always there; `8,16,24`; `64`.
/// Ascending and from 1 to 65,536, or one sentence.
Result<std::vector<std::uint32_t>> parse_gpu_counts(std::string_view text);

}  // namespace ringside::sim
