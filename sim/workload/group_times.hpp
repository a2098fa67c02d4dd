#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "sim/router.hpp"
#include "sim/streamer.hpp"
#include "sim/topology.hpp"
#include "sim/workload/siblings.hpp"

namespace ringside::sim {

/// Shares of time, in parts of 2^16, that the busiest wire of each kind carries something.
struct WireShares {
  static constexpr std::uint32_t whole = 1u << 16;
  std::array<std::uint32_t, link_kind_count> of_kind{};
};

/// One collective of all sibling groups at once, alone on the machine.
struct GroupTime {
  Duration time{};
  Bytes sent{};  ///< that leave a GPU, on average
  WireShares busy{};
  std::string algorithm{};  ///< `ring`; `hierarchical: direct, ring, direct`
};

/// What communication costs groups of GPUs: simulated (model stream) on the machine itself, all
/// siblings in one story, and remembered. Nothing is interpolated. Not thread-safe.
class GroupTimes {
 public:
  /// `algorithm`: `best`, the fastest of those that suit large machines, for each collective and
  /// size; or a name: for collectives that have no such algorithm, `best`. `hierarchical` is
  /// reduce-scatter inside a node (or NVLink domain), the collective across, all-gather inside,
  /// each phase by its best, one after the other; within one node, `best`. The topology must
  /// outlive this. Errors: one that check() refuses, an algorithm that no collective has.
  static Result<GroupTimes> make(const Topology& topology, std::string algorithm = "best");
  static Result<GroupTimes> make(Topology&&, std::string = "best") = delete;

  /// `bytes`: of the whole vector; of an all-gather or reduce-scatter all blocks, of an all-to-all
  /// what one rank sends, its own block included. Nothing for groups of one. Errors: more ranks
  /// than the topology has, ranks that no route joins.
  Result<GroupTime> collective(CollectiveKind kind, const Groups& groups, Bytes bytes);
  /// As all_send().
  Result<GroupTime> send(const Shift& shift, Bytes bytes);

  const Topology& topology() const { return *topology_; }

 private:
  struct Ask {
    CollectiveKind kind;
    Groups groups;
    Bytes bytes;
    friend auto operator<=>(const Ask&, const Ask&) = default;
  };
  GroupTimes(const Topology& topology, std::string algorithm);
  /// How many consecutive members of each group one domain holds; 1 if not equally many.
  std::uint32_t inner_size(const Groups& groups) const;
  Result<GroupTime> of(const Ask& ask, std::string_view algorithm);
  Result<GroupTime> fastest(const Ask& ask, std::string_view algorithm);
  Result<GroupTime> in_two_levels(const Ask& ask);
  Result<GroupTime> flat(const Ask& ask, const Algorithm& algorithm);
  Result<GroupTime> run(Streamer& streamer, Bytes bytes, std::uint32_t senders) const;

  const Topology* topology_;
  std::string algorithm_;
  std::vector<std::uint32_t> domain_of_;  // by rank
  std::unique_ptr<Router> router_;
  std::map<std::tuple<CollectiveKind, Groups, std::string_view>, Streamer> streamers_;
  std::map<std::tuple<Ask, bool>, GroupTime> known_;  // of `best`, or of algorithm_
  std::map<std::tuple<Shift, Bytes>, GroupTime> known_sends_;
};

}  // namespace ringside::sim
