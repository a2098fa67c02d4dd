#pragma once

#include <span>
#include <string>

#include "core/backend.hpp"
#include "core/collective.hpp"
#include "core/result.hpp"

namespace ringside {

/// Where the chunks of this work lie.
ChunkLayout layout_of(const Work& work);

/// Bytes of the whole vector, or one sentence if 64-bit sizes cannot hold it on all ranks together.
Result<Bytes> whole_vector(const Work& work);

/// Which of a rank's buffers the collective gives it; in place both are its output.
struct Needs {
  bool input = false, output = false;
};
Needs needs(const CollectiveSpec& spec, Rank rank);

/// What every backend asks before it prepares: is there memory for this work? One sentence if a
/// rank's buffer is missing or shorter than the whole vector, if a buffer that is written overlaps
/// another one (in place: input and output are one), if the schedule uses a buffer nobody gave, or
/// if it joins chunks of different lengths.
Result<void> check_binding(const Work& work, const Memory& memory);
/// The same where this process has the buffers of only these ranks.
Result<void> check_binding(const Work& work, const Memory& memory, std::span<const Rank> owned);

}  // namespace ringside
