#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "core/backend.hpp"
#include "gpu/cuda/interpreter/instruction.hpp"

// What thread blocks do: a bound schedule as plain data, one program for each rank and channel.
// Everything in a schedule is done element by element at one offset inside a chunk, so several
// thread blocks run one program side by side, each on its own elements, and know nothing of each
// other; each takes its elements in windows, so that a message fits in one slot of a FIFO.

namespace ringside::cuda::interpreter {

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
  std::vector<Wait> waits;
  std::vector<End> ends;
  std::vector<std::vector<Event>> events;  ///< by instruction: what it does of which transfers
};

/// A first-in first-out queue of messages.
struct Connection {
  Rank from, to;
  ChannelId channel;
  std::vector<TransferId> messages;  ///< in each window
  /// Receivers take messages from where their senders have them: no FIFO, no copy on the way.
  bool is_direct = false;
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

/// Which ranks may read each other's memory as cheaply as their own, and end their run together:
/// those of one device. None if empty.
using Neighbours = std::function<bool(Rank, Rank)>;

struct CompileOptions {
  Fusing fusing{};
  std::uint32_t least_depth = 2;  ///< slots of a FIFO; more if a step needs them
  Neighbours neighbours{};
};

/// Free of deadlock by construction: every instruction has a place in one order of all, and waits
/// only for what stands before it there.
DeviceProgram compile(const Work& work, const CompileOptions& options = {});

/// `send`, `receive_reduce_send`, ...: an instruction in MSCCL's words.
std::string describe(const Instruction& instruction, const BlockProgram& block);

}  // namespace ringside::cuda::interpreter
