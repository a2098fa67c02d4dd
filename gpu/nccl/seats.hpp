#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/result.hpp"
#include "gpu/cuda/devices.hpp"

namespace ringside::nccl {

/// What a process says of itself: its machine, and the devices that it sees there.
std::string words_of(const std::vector<cuda::Device>& devices);

/// Which of the devices that it sees each process takes, from all processes' words: the n-th
/// process of a machine takes the n-th one, but whoever sees only one device takes that. Errors
/// (machine): too few devices, or two processes that would share one.
Result<std::vector<std::uint32_t>> take_seats(const std::vector<std::string>& said);

}  // namespace ringside::nccl
