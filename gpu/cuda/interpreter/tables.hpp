#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "core/backend.hpp"
#include "gpu/cuda/interpreter/device_program.hpp"
#include "gpu/cuda/interpreter/job.hpp"

// Where everything lies: from a device program and base addresses to the tables that thread blocks
// read. Pure: addresses are numbers here.

namespace ringside::cuda::interpreter {

/// How a program's work is cut up.
struct Cutting {
  std::uint32_t ctas = 1;       ///< thread blocks a rank and channel, > 0
  Bytes most_slots{64u << 20};  ///< for FIFOs, in all, on one rank
                                /// In one slot, and of one chunk at a time: so short that what some
                                /// hundred blocks have just
  /// written is still in a GPU's cache when others of the device take it.
  Bytes longest_message{128u << 10};
};

/// Memory that the program needs besides the ranks' buffers, in bytes. All FIFOs start at zero
/// flags.
struct Footprint {
  std::vector<std::uint64_t> slots, flags;  ///< by rank
  /// By rank: for connections that are staged, in the host's memory near the rank's device.
  std::vector<std::uint64_t> staged_slots, staged_flags;
};

/// What lies at a rank. Buffers it does not have may be null.
struct Bases {
  std::byte* buffers[buffer_sites]{};
  std::byte *slots = nullptr, *flags = nullptr;
  std::byte *staged_slots = nullptr, *staged_flags = nullptr;
};

/// One thread block: a program and the `cta`-th part of each chunk.
struct TaskName {
  std::uint32_t program = 0, cta = 0;
};

class Tables {
 public:
  /// `is_staged` by connection: its FIFO and flags lie in the host's memory.
  Tables(const Work& work, DeviceProgram program, const Cutting& cutting,
         std::vector<bool> is_staged);

  const DeviceProgram& program() const { return program_; }
  const Footprint& footprint() const { return footprint_; }
  /// All but the addresses.
  const Job& job() const { return job_; }
  /// The thread blocks of these ranks: those that have something to do.
  std::vector<TaskName> tasks(std::span<const Rank> ranks) const;

  /// Memory of one side, and where it will lie when it is read.
  struct Image {
    std::vector<std::byte> bytes;
    std::size_t tasks = 0;     ///< where the array of Task begins
    std::uint32_t stamps = 0;  ///< instructions of all tasks
  };
  Image image(std::span<const TaskName> tasks, std::span<const Bases> ranks,
              const std::byte* base) const;

 private:
  class Writer;
  struct Place {
    std::uint64_t slots = 0, arrived = 0, returned = 0;
  };
  void cut(const Work& work, const Cutting& cutting);
  void place_connections();
  Wire wire(const End& end, std::uint32_t cta, std::span<const Bases> ranks) const;

  DeviceProgram program_;
  std::vector<bool> is_staged_;
  Job job_;
  Footprint footprint_;
  std::vector<Place> places_;             // by connection, of cta 0
  std::vector<std::uint64_t> own_flags_;  // by rank: where its blocks' flags begin
};

}  // namespace ringside::cuda::interpreter
