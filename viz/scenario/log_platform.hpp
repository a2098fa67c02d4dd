#pragma once

#include <string>
#include <vector>

#include "core/formats/measured_log.hpp"
#include "core/result.hpp"
#include "sim/platform.hpp"
#include "viz/scenario/system_options.hpp"

namespace ringside::scenario {

/// What a log is compared with: the machine, what it is called, and why it is taken for that.
struct TakenFor {
  sim::Platform platform;
  std::string preset{};    ///< the system of ours that it is like; empty: none
  std::string sentence{};  ///< `taken for 2 nodes of 8 GPUs (hopper, ...), from "..."`
};

/// As the flags say; else as the log's own words do. Error, in one sentence: neither does, or one
/// rank alone, between which nothing moves.
Result<TakenFor> platform_for(const MeasuredLog& log, const SystemOptions& options);

/// `2 nodes of 8 GPUs (hopper, 371 GB/s of NVLink each, NVSwitches that reduce), joined by 8 NICs
/// of 50 GB/s a node (ib)`.
std::string in_words(const sim::Platform& platform);

}  // namespace ringside::scenario
