#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/program.hpp"

namespace ringside {

/// What microsoft/msccl has room for; RCCL took the figures over.
inline constexpr std::uint32_t msccl_max_steps = 256;   ///< a thread block
inline constexpr std::uint32_t msccl_max_blocks = 216;  ///< thread blocks a GPU
inline constexpr std::uint32_t msccl_max_peers = 32;    ///< a GPU, channel and direction
inline constexpr std::uint32_t msccl_max_chunks = 71;   ///< a step

/// The words of such files, `gpu 0, tb 1, step 2`, and their step types by Opcode.
extern const Words msccl_words;

/// Whether a step says that others may wait for it, by [lane][instruction].
using Signals = std::vector<std::vector<bool>>;

/// What a runtime trips over on one gpu: a wait for a step that never signals (it hangs, or waits
/// for longer), and a run of nops whose waits no step takes over (it refuses the file).
std::vector<Fault> msccl_faults(const Program& program, Rank rank, const Signals& signals);

/// The limits that a program breaks, a sentence each, with the first place that does.
std::vector<std::string> beyond_msccl_limits(const Program& program);

}  // namespace ringside
