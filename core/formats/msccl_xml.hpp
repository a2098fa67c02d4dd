#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/program.hpp"
#include "core/result.hpp"

namespace ringside {

/// An algorithm as MSCCL and RCCL run it: one `gpu` a rank, one `tb` (thread block) a lane, one
/// `step` an instruction, under the same numbers.
struct MscclAlgorithm {
  std::string name;
  std::string protocol;  ///< `Simple`, `LL`, `LL128`
  /// Its spec is out of place where the file allows that, else in place. fifo_depth is 1: the file
  /// does not state one.
  Program program;
  bool in_place = false, out_of_place = true;  ///< call styles the file says it is right for
  bool is_custom = false;  ///< `coll="custom"`: there is nothing to prove it against
  /// Steps that others wait for but that never say so (`hasdep="0"`): the runtime hangs there.
  std::vector<std::string> never_signalled;
  std::vector<std::string> notes;  ///< what was odd or taken for granted
};

/// Reads MSCCL XML, both the usual and the compact dialect. Chunks are positions in the whole
/// vector, so offsets into a rank's own share (all_gather's input, reduce_scatter's output) are
/// moved to its block. Where nchunksperloop is no multiple of the ranks, chunks are cut finer until
/// it is. `copy` elements become a last lane that all others wait for. Errors name gpu, tb and
/// step.
Result<MscclAlgorithm> msccl_from_xml(std::string_view text, std::string_view name);

}  // namespace ringside
