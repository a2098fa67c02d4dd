#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/replay.hpp"

namespace ringside::stage {

/// A schedule that is being written (core/formats/schedule_text.hpp): what every rank holds after
/// what stands there, right or not.
struct ScheduleDraft {
  std::uint32_t ranks = 0, chunks = 0, steps = 0;
  std::vector<ringside::Content> cells{};  ///< by rank, then chunk; nobody's parts: empty
  std::string problem{};                   ///< why it cannot be read; then there are no cells
  const ringside::Content& at(std::uint32_t rank, std::uint32_t chunk) const {
    return cells[rank * chunks + chunk];
  }
};
ScheduleDraft read_draft(std::string_view text);

/// A chunk that is dragged from one rank to another, added there or copied.
struct DraftMove {
  std::uint32_t from = 0, to = 0, chunk = 0;
  bool adds = true;
};
/// The text with that move in its last step; with a new step; without its last move or step.
std::string with_move(std::string text, const DraftMove& move);
std::string with_step(std::string text);
std::string without_last(std::string text);

}  // namespace ringside::stage
