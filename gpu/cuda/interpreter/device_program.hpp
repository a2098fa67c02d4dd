#pragma once

#include <cstdint>
#include <vector>

#include "core/backend.hpp"

// What thread blocks do: a bound schedule as plain data, one program for each rank and channel.
// Everything in a schedule is done element by element at one offset inside a chunk, so several
// thread blocks run one program side by side, each on its own elements, and know nothing of each
// other; each takes its elements in windows, so that a message fits in one slot of a FIFO.

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

/// One end of a connection, as a block has it.
struct End {
  std::uint32_t connection = 0;
  bool sends = false;
};

/// What a transfer does in an instruction.
enum class Phase : std::uint8_t { whole, read, commit };
struct Event {
  TransferId transfer;
  Phase phase = Phase::whole;
};

struct BlockProgram {
  Rank rank;
  ChannelId channel;
  std::vector<Instruction> instructions;
  std::vector<Operand> operands;
  std::vector<LocalWait> waits;
  std::vector<End> ends;
  std::vector<std::vector<Event>> events;  ///< by instruction: what it does of which transfers
};

/// A first-in first-out queue of messages.
struct Connection {
  Rank from, to;
  ChannelId channel;
  std::uint32_t messages = 0;  ///< in each window
};

struct DeviceProgram {
  std::uint32_t channels = 1;
  std::uint32_t depth = 2;        ///< slots of every FIFO; a power of two
  std::uint32_t most_chunks = 1;  ///< in one message
  bool scales = false;            ///< Site::input is a scaled copy of Site::given
  std::vector<Connection> connections;
  std::vector<BlockProgram> blocks;  ///< rank * channels + channel; some do nothing
};

struct Fusing {
  bool on = true;
  std::uint32_t most_operands = 16;  ///< sources, and targets, of one instruction
};

/// Free of deadlock by construction: every instruction has a place in one order of all, and waits
/// only for what stands before it there. `least_depth` slots or more, if a step needs them.
DeviceProgram compile(const Work& work, const Fusing& fusing = {}, std::uint32_t least_depth = 2);

/// `send`, `receive_reduce_send`, ...: an instruction in MSCCL's words.
std::string describe(const Instruction& instruction, const BlockProgram& block);

}  // namespace ringside::cuda::interpreter
