#pragma once

#include <cstddef>
#include <cstdint>

// Plain data that thread blocks read.

namespace ringside::cuda::interpreter {

/// Where an operand lies: in a buffer of the rank, in the FIFO slot of a message, or, where a
/// message is never copied on its way, in a buffer of its sender.
enum class Site : std::uint8_t {
  input,  ///< where mulsum scales, its scaled copy
  output,
  scratch,
  given,     ///< the input that mulsum's scaled copy is made from
  received,  ///< a message that came
  sent,      ///< a message that goes
  peer,      ///< a message that is taken from where its sender has it
  offered,   ///< one that its receiver will take so: nothing moves
};
inline constexpr std::size_t buffer_sites = 4;

struct Operand {
  static constexpr std::uint32_t none = UINT32_MAX;
  Site site = Site::input;
  std::uint32_t index = 0;    ///< buffers: first chunk; messages: the end of a connection
  std::uint32_t ordinal = 0;  ///< messages: which one of its connection, in each window
  /// In a slot: it lies there as that chunk lies in a buffer, so that vectors fit both. Of a peer:
  /// its first chunk in the peer's buffer `of`.
  std::uint32_t chunk = 0;
  Site of = Site::input;
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
  std::uint32_t operands = 0;  ///< the first: sources, then targets, then what is offered
  std::uint32_t sources = 0, targets = 0, offers = 0;
  std::uint32_t waits = 0, wait_count = 0;
};

/// What else must have happened in this window, to the same elements.
struct Wait {
  enum class For : std::uint8_t {
    progress,  ///< the rank's block of channel `index` has done so many instructions
    taken,     ///< the receiver at the end `index` has taken so many messages
  };
  For what = For::progress;
  std::uint32_t index = 0, count = 0;
};

}  // namespace ringside::cuda::interpreter
