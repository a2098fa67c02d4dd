#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <tuple>
#include <vector>

#include "core/ids.hpp"
#include "gpu/cuda/stream_layout.hpp"

namespace ringside::cuda {

/// One direction between two participants, on one channel.
struct Connection {
  std::uint32_t from = 0, to = 0;
  ChannelId channel;
  friend auto operator<=>(const Connection&, const Connection&) = default;
};

/// Room for messages under way, as long as the longest of their connection: a slot is used again
/// as soon as the operation that emptied it is enqueued, but not before there are `depth` of them.
class SlotPool {
 public:
  static constexpr std::size_t depth = 2;

  struct Slot {
    std::uint64_t offset = 0;                 ///< within the owner's area
    std::optional<std::uint32_t> emptied_by;  ///< operation to wait for before it is filled
  };

  explicit SlotPool(std::uint32_t owners) : bytes_(owners) {}

  /// Says that messages of `bytes` travel on a connection; before any is taken.
  void expect(const Connection& connection, std::uint64_t bytes) {
    auto& longest = connections_[connection].longest;
    longest = std::max(longest, bytes);
  }
  Slot take(const Connection& connection, std::uint32_t owner) {
    auto& [longest, slots, empty] = connections_.at(connection);
    if (slots < depth || empty.empty()) {
      ++slots;
      // A message may begin anywhere in the first 16 bytes, so that it lies as its target does.
      const auto room = rounded_up(longest + boundary - 1);
      bytes_[owner] += room;
      return {bytes_[owner] - room, std::nullopt};
    }
    const Slot slot = empty.front();
    empty.erase(empty.begin());
    return slot;
  }
  void give_back(const Connection& connection, std::uint64_t offset, std::uint32_t emptied_by) {
    connections_.at(connection).empty.push_back({offset, emptied_by});
  }
  std::uint64_t bytes(std::uint32_t owner) const { return bytes_[owner]; }

 private:
  struct Slots {
    std::uint64_t longest = 0;
    std::size_t slots = 0;
    std::vector<Slot> empty;  // the one emptied first comes first
  };
  std::map<Connection, Slots> connections_;
  std::vector<std::uint64_t> bytes_;  // by owner
};

}  // namespace ringside::cuda
