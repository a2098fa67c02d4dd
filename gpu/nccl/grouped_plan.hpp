#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/backend.hpp"
#include "gpu/cuda/stream_plan.hpp"

namespace ringside::nccl {

/// One end of a message, an ncclSend or an ncclRecv: consecutive bytes, at least one.
struct MessageEnd {
  bool sends = false;
  std::uint32_t peer = 0;  ///< another rank
  cuda::Place at;
  std::uint64_t bytes = 0;
  std::uint32_t transfer = 0;
};

/// What a rank's stream does by itself: copy, reduce, scale or divide; all places are the rank's.
struct LocalWork {
  cuda::OperationKind kind = cuda::OperationKind::copy;
  std::uint32_t transfer = cuda::no_transfer;
  cuda::Piece piece;
};

/// One group of a rank, and the local work behind it. Either may be empty.
struct Turn {
  std::uint32_t round = 0;  ///< the peers' groups of this round hold the other ends
  std::uint32_t ends_end = 0, work_end = 0;  ///< begin where those of the turn before end
};

/// What one rank does, all of it in this order.
struct RankTurns {
  std::vector<Turn> turns;  ///< by increasing round; rounds without this rank are left out
  std::vector<MessageEnd> ends;
  std::vector<LocalWork> work;

  std::span<const MessageEnd> ends_of(std::size_t turn) const;
  std::span<const LocalWork> work_of(std::size_t turn) const;
};

/// Any schedule as groups of sends and receives, one stream a rank: each step is a round (several
/// where a rank has too many ends for one group), then ranks do by themselves what the step asks
/// for besides. The order of a rank's stream is all that keeps raw, war and waw; so what the step
/// must not overwrite yet, and what is added, lands beside its target. Both ends of a pair's
/// messages come in the same rounds and the same order, empty ones nowhere: whatever groups wait
/// for, they cannot wait in a circle.
struct GroupedPlan {
  std::vector<RankTurns> ranks;
  std::vector<cuda::StreamPlan::Bytes> bytes;  ///< by rank; no staging
  std::uint32_t rounds = 0;
};

/// NCCL took at most 2048 operations in a group once; half of that is always safe.
inline constexpr std::uint32_t most_ends = 1024;

/// The binding has been checked (core/binding.hpp), and there are no agents.
GroupedPlan plan_groups(const Work& work, std::uint32_t most_ends_a_group = most_ends);

}  // namespace ringside::nccl
