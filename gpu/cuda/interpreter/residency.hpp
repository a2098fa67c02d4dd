#pragma once

#include <string>

#include "core/backend.hpp"
#include "gpu/cuda/interpreter/one_kernel.hpp"

namespace ringside::cuda::interpreter {

/// How many thread blocks a rank and channel, of how many threads.
struct Residency {
  std::uint32_t ctas = 1, threads = 1;
  std::string note{};  ///< what people are told: the same for every size
};

/// Blocks that wait for each other must all be on their device at once: as many as were asked for,
/// or as fit and have something to do. Errors (request) name --ctas or --threads.
Result<Residency> choose_residency(const Work& work, const DeviceProgram& program,
                                   const KernelSetup& setup);

}  // namespace ringside::cuda::interpreter
