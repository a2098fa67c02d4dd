#pragma once

#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "core/transfer.hpp"
#include "sim/folding.hpp"
#include "sim/models/model.hpp"
#include "sim/router.hpp"

namespace ringside::sim::models {

/// A connection of a story that is not stored: its route, found when it is first named, and what
/// one run has carried over it so far.
struct ToldConnection {
  std::uint64_t key = 0;  ///< channel, source, target
  std::uint32_t first_hop = 0, hop_count = 0;
  Duration latency{};      ///< sum over the route
  std::uint32_t next = 0;  ///< the connection that its source used after it, the last time
  bool is_local = false;
  TimePoint injected{};  ///< when its last transfer had left the source
  std::uint64_t messages = 0;
  __extension__ unsigned __int128 bytes = 0;
};

/// The connections of a story, by who sends what to whom. A source mostly goes through its targets
/// in the same order again and again: the one it named after the last is tried first.
class Connections {
 public:
  /// `router` must be one of `topology`. Where one group stands for all, routes are of its wires.
  Connections(const Topology& topology, Router& router, std::uint32_t participants,
              const Folding* folding = nullptr)
      : topology_(topology), router_(router), folding_(folding), latest_(participants, 0) {
    all_.push_back({.key = nobodys});
  }

  /// Null where no route joins the two, or memory is short: error() says which.
  ToldConnection* of(const Transfer& t) {
    const auto key = t.connection();
    auto& latest = latest_[t.src().rank.value];
    if (all_[latest].key == key) return &all_[latest];
    const auto next = all_[latest].next;
    if (all_[next].key != key) return find(t, key, latest);
    latest = next;
    return &all_[next];
  }
  const Error& error() const { return error_; }

  std::span<const std::uint32_t> route(const ToldConnection& c) const {
    return {hops_.data() + c.first_hop, c.hop_count};
  }
  /// By hop: the group that the connection's like crosses the wire from.
  std::span<const std::uint32_t> groups(const ToldConnection& c) const {
    return {groups_.data() + c.first_hop, c.hop_count};
  }
  /// Those named so far, in the order in which they first were.
  std::span<const ToldConnection> all() const { return std::span(all_).subspan(1); }
  /// Ready for another run: what the last one carried is forgotten.
  void forget_traffic();

 private:
  static constexpr std::uint64_t nobodys = UINT64_MAX;
  ToldConnection* find(const Transfer& t, std::uint64_t key, std::uint32_t& latest);
  Result<void> add(const Transfer& t, std::uint64_t key);
  Result<void> fold(const Transfer& t, std::size_t first_hop);

  const Topology& topology_;
  Router& router_;
  const Folding* folding_;
  std::vector<ToldConnection> all_;                         // the first is nobody's
  std::vector<std::uint32_t> hops_;                         // of all routes: wires, as in Wiring
  std::vector<std::uint32_t> groups_;                       // by hop, where folded
  std::vector<std::uint32_t> latest_;                       // by source
  std::unordered_map<std::uint64_t, std::uint32_t> known_;  // looked up, never iterated
  Error error_;
};

}  // namespace ringside::sim::models
