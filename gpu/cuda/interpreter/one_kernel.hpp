#pragma once

#include <cstdint>
#include <functional>
#include <memory>

#include "core/backend.hpp"
#include "gpu/cuda/devices.hpp"
#include "gpu/cuda/interpreter/device_program.hpp"
#include "gpu/cuda/peers.hpp"

namespace ringside::cuda {

struct KernelSetup {
  DeviceMap devices;
  PeerReport peers;
  std::uint32_t ctas = 0;     ///< thread blocks a rank and channel; 0: its choice
  std::uint32_t threads = 0;  ///< threads a block; 0: its choice
  /// For tests only: makes a mistake in the program. A check that cannot see it is no check.
  std::function<void(interpreter::DeviceProgram&)> tamper{};
};

/// Executor `kernel`: one cooperative kernel on each device interprets the schedule. The binding
/// has been checked. Allocates all that run() needs; nothing is allocated while a kernel runs.
/// Times are those of the devices, of the slowest one. Errors: a device without cooperative launch
/// (machine); more thread blocks than a device holds at once (request).
Result<std::unique_ptr<Prepared>> prepare_kernel(const Work& work, Memory& memory,
                                                 const RunOptions& options,
                                                 const KernelSetup& setup);

}  // namespace ringside::cuda
