#pragma once

#include <cstdint>
#include <memory>

#include "core/backend.hpp"
#include "gpu/cuda/devices.hpp"

namespace ringside::cuda {

struct KernelSetup {
  DeviceMap devices;
  std::uint32_t ctas = 0;     ///< thread blocks a rank; 0: its choice
  std::uint32_t threads = 0;  ///< threads a block; 0: its choice
};

/// Executor `kernel`: one cooperative kernel on each device interprets the schedule. The binding
/// has been checked. Allocates all that run() needs.
Result<std::unique_ptr<Prepared>> prepare_kernel(const Work& work, Memory& memory,
                                                 const RunOptions& options,
                                                 const KernelSetup& setup);

}  // namespace ringside::cuda
