#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/program.hpp"
#include "core/result.hpp"
#include "core/units.hpp"

namespace ringside {

enum class MscclProtocol : std::uint8_t { simple, ll, ll128 };
std::string_view name(MscclProtocol protocol);  ///< `Simple` `LL` `LL128`
Result<MscclProtocol> parse_msccl_protocol(std::string_view text);
/// Messages that a connection holds: Simple keeps 4 of its 8 slots a message, LL and LL128 one.
std::uint32_t fifo_depth(MscclProtocol protocol);

/// What a file says of itself.
struct MscclHeader {
  std::string name;  ///< free text
  MscclProtocol protocol = MscclProtocol::simple;
  std::uint32_t channels = 1;
  std::uint32_t chunks_per_loop = 1;
  bool in_place = false, out_of_place = true;  ///< call styles it says it is right for
  Bytes least{}, most{};                       ///< sizes it is meant for; most 0: no limit
};

/// An algorithm as MSCCL and RCCL run it: one `gpu` a rank, one `tb` (thread block) a lane, one
/// `step` an instruction, under the same numbers.
struct MscclAlgorithm {
  MscclHeader header;
  /// Its spec is out of place where the file allows that, else in place. fifo_depth is its
  /// protocol's.
  Program program;
  bool is_custom = false;  ///< `coll="custom"`, and its name is none of our collectives'
  /// Where a runtime hangs or refuses the file, right as the program may be.
  std::vector<Fault> faults;
  std::vector<std::string> notes;  ///< what was odd or taken for granted
};

/// Reads MSCCL XML, both the usual and the compact dialect. Chunks are positions in the whole
/// vector, so offsets into a rank's own share (all_gather's input, reduce_scatter's output) are
/// moved to its block. Where nchunksperloop is no multiple of the ranks, chunks are cut finer until
/// it is. `copy` elements become a last lane that all others wait for. A custom algorithm whose
/// name starts with a collective's (`gather binomial root 2`, as schedule export writes it) is that
/// collective. Errors name gpu, tb and step.
Result<MscclAlgorithm> msccl_from_xml(std::string_view text, std::string_view name);

}  // namespace ringside
