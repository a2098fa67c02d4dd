#pragma once

#include <optional>

#include "core/schedule.hpp"
#include "viz/stage/story.hpp"

namespace ringside::stage {

/// The two halves of an all-reduce that first only adds and then only copies.
struct Phases {
  enum class Kind : std::uint8_t {
    scatter_gather,    ///< between them every rank has the whole sum of as many chunks
    reduce_broadcast,  ///< between them one rank has it of all chunks
  } kind = Kind::scatter_gather;
  Step second;  ///< where the second begins
};
/// Nothing where it cannot be said in these words, which is what most algorithms are.
std::optional<Phases> find_phases(const Schedule& schedule, const Story& story);

}  // namespace ringside::stage
