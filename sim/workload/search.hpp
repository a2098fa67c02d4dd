#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "sim/workload/scaling.hpp"

namespace ringside::sim {

/// Which split of so many GPUs is the fastest for a model.
struct SearchRequest {
  Model model{};
  Gpu gpu{};
  MachineOf machine{};
  std::uint32_t gpus = 1;
  std::uint32_t most_tensor = 8;   ///< GPUs of a node: tensor parallelism stays inside
  std::uint64_t global_batch = 0;  ///< 0: a sample for each GPU
  /// What no candidate changes: type, optimizer, bucket, sequence_parallel, schedule.
  Parallelism parallelism{};
  std::string algorithm = "best";
  std::size_t keep = 5;
  OnProgress on_progress{};
};

struct SearchResult {
  std::vector<ScalingPoint> best{};  ///< the fastest `keep`, fastest first; speed-ups are not set
  std::size_t candidates = 0;
  std::size_t simulated = 0;
  std::map<std::string, std::size_t> left_out{};  ///< why, and how many
};

/// Candidates: every data x tensor x pipeline (x expert) whose product is `gpus`, with
/// micro-batches of 1, 2, 4, ... samples, ZeRO 0 to 3, and the least recomputation that fits. Left
/// out without a simulation, and counted: what cannot be divided, does not fit, or could not win
/// even if all its communication were free. So the best is the best of all. Error: none fits.
Result<SearchResult> search(const SearchRequest& request);

}  // namespace ringside::sim
