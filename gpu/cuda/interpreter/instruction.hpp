#pragma once

#include <cstddef>
#include <cstdint>

// Plain data that thread blocks read.

namespace ringside::cuda::interpreter {

/// Where an operand lies: in a buffer of the rank, or in the FIFO slot of a message.
enum class Site : std::uint8_t {
  input,  ///< where mulsum scales, its scaled copy
  output,
  scratch,
  given,     ///< the input that mulsum's scaled copy is made from
  received,  ///< a message that came
  sent,      ///< a message that goes
};
inline constexpr std::size_t buffer_sites = 4;

struct Operand {
  static constexpr std::uint32_t none = UINT32_MAX;
  Site site = Site::input;
  std::uint32_t index = 0;    ///< buffers: first chunk; messages: the end of a connection
  std::uint32_t ordinal = 0;  ///< messages: which one of its connection, in each window
  /// Messages: lies in its slot as that chunk lies in a buffer, so that vectors fit both.
  std::uint32_t aligned_as = 0;
};

enum class Deed : std::uint8_t {
  combine,  ///< every target = (source 0 (op) source 1) (op) ...
  scale,    ///< target = source * mulsum's scalar
  divide,   ///< target = source / ranks
};

/// Chunks that overlap each other need an order.
enum class ChunkOrder : std::uint8_t { any, first_to_last, last_to_first };

struct Instruction {
  Deed deed = Deed::combine;
  ChunkOrder order = ChunkOrder::any;
  bool is_awaited = false;   ///< by a block of another channel
  std::uint32_t chunks = 1;  ///< consecutive ones, of every operand
  /// The n-th chunk is as long as chunk sized_by + n; with none, as the longest one.
  std::uint32_t sized_by = 0;
  static constexpr std::uint32_t none = Operand::none;
  std::uint32_t operands = 0;  ///< the first: sources, then targets
  std::uint32_t sources = 0, targets = 0;
  std::uint32_t waits = 0, wait_count = 0;
};

/// Wait until the rank's block of that channel, on the same elements, has done so many instructions
/// of this window.
struct LocalWait {
  std::uint32_t channel = 0, instructions = 0;
};

}  // namespace ringside::cuda::interpreter
