#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "core/program.hpp"
#include "core/result.hpp"
#include "core/units.hpp"
#include "sim/protocol.hpp"
#include "sim/topology.hpp"

namespace ringside::sim {

/// What thread blocks of a GPU generation take: [blocks] of sim/generations/NAME.toml.
struct BlockFigures {
  struct Of {
    Bandwidth copy;  ///< one block, into a FIFO or out of one
    Duration start;  ///< until its kernel runs, beyond `launch`
    Duration hop;    ///< from a slice written to the receiver's seeing it
    Duration step;   ///< of a step that sends or receives, beyond its bytes
  };
  std::array<Of, protocol_count> of{};  ///< by Protocol
  Bandwidth local;                      ///< one block in its GPU's memory, of each source
  Bandwidth device;                     ///< what all blocks of a GPU send, to several peers
  double link = 1;                      ///< what they get of a link
  Duration launch;                      ///< the call and the kernel
  Duration wait;                        ///< of another block's step; of a local step
};
/// Errors: a generation without such figures.
Result<BlockFigures> block_figures(std::string_view generation);

/// How a program is run.
struct BlockWork {
  Bytes chunk;  ///< of the vector
  Protocol protocol = Protocol::simple;
};

/// The time of a program as MSCCL's interpreter runs it: every block executes its steps in order,
/// once for each slice of the chunks, which lie in a connection's FIFO until they are taken. Blocks
/// share their links, in turn, and what their GPU can send. Many slices are extrapolated from the
/// first. `topology` joins the ranks. Errors: ranks that no route joins; (ErrorKind::wrong) a
/// program that waits for ever at this size, where a step's chunks are more messages than a FIFO
/// holds.
Result<Duration> run_blocks(const Program& program, const BlockWork& work, const Topology& topology,
                            const BlockFigures& figures);

}  // namespace ringside::sim
