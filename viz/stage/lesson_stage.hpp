#pragma once

#include <optional>
#include <string>

#include "viz/stage/model.hpp"

// How a lesson's beat moves the stage; for lesson.cpp and those who draw.

namespace ringside::stage {

/// Asks for the runs of the beat that has been arrived at, and looks as it says; place() follows.
void set_stage(Model& model, Director& director);
/// The gate is open: what the beat plays, plays.
void let_play(Model& model);

/// The answer to a pick, as it is typed: `3`, `0->1`. Nothing if the pick is none of that kind.
std::optional<std::string> answer_of(const StagedRun& run, lessons::Picked what, const Pick& pick);

/// A pick's answers on the stage: what was said, and what is true. Known once the truth is.
struct AnswerMark {
  /// The transfer that was asked about, if one was.
  std::optional<TransferId> transfer{};
  std::optional<ChunkId> said_chunk{}, true_chunk{};
  std::optional<Rank> said_rank{}, true_rank{};
  std::optional<LinkId> said_link{}, true_link{};
};
/// Nothing while the gate is shut, or where nothing was picked.
std::optional<AnswerMark> answer_mark(const Model& model);

}  // namespace ringside::stage
