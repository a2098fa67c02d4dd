#pragma once

#include <cstdint>

#include "core/report.hpp"

namespace ringside::stage {

/// What the ranks of a run are. The simulator's are GPUs; those of a recorded run are what it ran
/// on.
enum class RankKind : std::uint8_t {
  gpu,          ///< rank r is GPU r
  on_gpu,       ///< each has a GPU of its own, of another number
  virtual_gpu,  ///< several share one
  thread,
  process,
  unknown,
};
RankKind rank_kind(const Row& row, bool is_measured);

}  // namespace ringside::stage
