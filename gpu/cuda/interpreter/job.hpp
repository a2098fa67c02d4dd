#pragma once

#include <cstddef>
#include <cstdint>

#include "gpu/cuda/element.hpp"
#include "gpu/cuda/interpreter/instruction.hpp"

// What thread blocks read: plain data with plain pointers, made by tables.hpp.

namespace ringside::cuda::interpreter {

/// Flags and counters, each on a line of its own: who polls one disturbs no other.
constexpr std::size_t line_bytes = 128;
using Flag = std::uint64_t;  ///< only ever grows

/// ChunkLayout, in elements, for both sides.
struct Layout {
  std::uint64_t block = 0, quotient = 0;  ///< of `per_block` chunks
  std::uint32_t per_block = 1, remainder = 0;

  RS_HOST_DEVICE std::uint64_t elements(std::uint32_t chunk) const {
    return quotient + (chunk % per_block < remainder ? 1 : 0);
  }
  RS_HOST_DEVICE std::uint64_t longest() const { return quotient + (remainder > 0 ? 1 : 0); }
  RS_HOST_DEVICE std::uint64_t offset(std::uint32_t chunk) const {
    const std::uint32_t within = chunk % per_block;
    return chunk / per_block * block + within * quotient +
           (within < remainder ? within : remainder);
  }
};

/// One end of a connection, for one thread block. Who sends waits for credits; who receives, for
/// messages; both flags count messages, and each lies in the memory of who waits for it.
struct Wire {
  std::byte* slots = nullptr;  ///< in the receiver's memory
  const Flag* wait = nullptr;
  Flag* tell = nullptr;
  std::uint64_t messages = 0;             ///< in each window
  const std::byte* peer[buffer_sites]{};  ///< the sender's buffers, where nothing is sent
};

/// A thread block: a program, and the elements and memory it works on.
struct Task {
  const Instruction* instructions = nullptr;
  const Operand* operands = nullptr;
  const Wait* waits = nullptr;
  const Wire* wires = nullptr;
  std::byte* buffers[buffer_sites]{};
  /// By channel of the rank: how many instructions the block on the same elements has done, one a
  /// line; and how many each has in a window.
  Flag* progress = nullptr;
  const std::uint32_t* lengths = nullptr;
  Flag* windows_done = nullptr;  ///< over all runs: nothing is ever reset
  std::uint32_t channel = 0, count = 0, cta = 0;
  std::uint32_t first_stamp = 0;
};

/// When an instruction ran, over all windows: the machine's own nanoseconds.
struct Stamp {
  std::uint64_t begin = 0, end = 0;
};

/// How a thread block gave up: in the host's memory.
struct Distress {
  std::uint64_t since = 0;  ///< it waited since then; 0: it did not give up
  std::uint64_t window = 0;
  std::uint32_t instruction = 0, requirement = 0;
};

/// What all thread blocks of a device share.
struct Job {
  const Task* tasks = nullptr;
  std::uint32_t task_count = 0;
  std::uint32_t ctas = 1;                        ///< thread blocks that share a program
  std::uint64_t window = 1, windows = 1;         ///< elements of each chunk, and how many of those
  std::uint64_t depth = 2;                       ///< slots of a FIFO
  std::uint64_t slot_bytes = 0, part_bytes = 0;  ///< room for a message, and for a chunk of it
  std::uint64_t scratch_bytes = 0;               ///< room for a chunk in scratch
  Layout layout;
  std::uint32_t element = 1;  ///< bytes
  ElementOp op = ElementOp::sum;
  std::uint64_t scalar = 0;   ///< mulsum's, an element's bits
  std::uint32_t divisor = 1;  ///< avg's
  std::uint64_t timeout_ns = 0;
  std::uint32_t* abort = nullptr;  ///< in the host's memory: not 0 once somebody gave up
  Distress* distress = nullptr;    ///< in the host's memory, one a task
  Stamp* stamps = nullptr;         ///< null, or one an instruction, task by task
};

}  // namespace ringside::cuda::interpreter
