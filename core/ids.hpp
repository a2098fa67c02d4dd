#pragma once

#include <compare>
#include <cstdint>
#include <functional>

namespace ringside {

/// A number that names one thing. Ids of different things neither mix nor do arithmetic: unwrap
/// `.value` to compute, wrap the result again.
template <typename Tag>
struct Id {
  std::uint32_t value = 0;
  friend constexpr auto operator<=>(Id, Id) = default;
};

using Rank = Id<struct RankTag>;  ///< a participant, 0..N-1; agents in switches follow from N on
using ChunkId = Id<struct ChunkTag>;      ///< position of a chunk in the whole vector
using ChannelId = Id<struct ChannelTag>;  ///< a lane, as in NCCL
using Step = Id<struct StepTag>;  ///< the algorithm's own step number, from 0; never a barrier
using TransferId = Id<struct TransferTag>;  ///< position in the told story
using DeviceId = Id<struct DeviceTag>;      ///< a GPU, switch, NIC, CPU, ... of a topology
using LinkId = Id<struct LinkTag>;          ///< one directed wire of a topology

}  // namespace ringside

template <typename Tag>
struct std::hash<ringside::Id<Tag>> {
  std::size_t operator()(ringside::Id<Tag> id) const noexcept { return id.value; }
};
