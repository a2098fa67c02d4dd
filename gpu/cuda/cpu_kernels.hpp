#pragma once

#include <vector_types.h>

#include <cstddef>
#include <type_traits>

namespace ringside::cuda {

// What tests run where there is no GPU: every kernel names a CPU function that does the whole
// grid's work. So kernels take one argument each, a struct passed by value.

/// Tells one range of memory that a kernel touches.
using TellRange = void (*)(void* listener, const void* at, std::size_t bytes, bool is_written);

struct CpuKernel {
  const void* stub = nullptr;      ///< the kernel's address in host code: what a launch names
  std::size_t argument_bytes = 0;  ///< size of its one argument
  void (*run)(const void* argument, dim3 grid, dim3 block) = nullptr;
  /// All that one launch reads and writes; null where that is not known beforehand.
  void (*ranges)(const void* argument, void* listener, TellRange tell) = nullptr;
};

/// The tables of all kernels, each ended by an entry without a stub; together ended by null.
extern "C" const CpuKernel* const ringside_cpu_kernels[];

/// `Argument` is the kernel's parameter; Run takes it by reference.
template <typename Argument, void (*Run)(const Argument&, dim3 grid, dim3 block),
          void (*Ranges)(const Argument&, void* listener, TellRange tell) = nullptr>
CpuKernel cpu_kernel(void (*kernel)(Argument)) {
  static_assert(std::is_trivially_copyable_v<Argument>);
  CpuKernel entry{reinterpret_cast<const void*>(kernel), sizeof(Argument),
                  [](const void* argument, dim3 grid, dim3 block) {
                    Run(*static_cast<const Argument*>(argument), grid, block);
                  }};
  if constexpr (Ranges != nullptr)
    entry.ranges = [](const void* argument, void* listener, TellRange tell) {
      Ranges(*static_cast<const Argument*>(argument), listener, tell);
    };
  return entry;
}

}  // namespace ringside::cuda
