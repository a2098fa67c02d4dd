#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/schedule.hpp"
#include "sim/simulate.hpp"

// What the two network models share. Internal to sim.

namespace ringside::sim::models {

/// Bytes still to carry, in units in which a wire of B bytes/s does B 2^8 a picosecond: exact for
/// whole rates, and fine enough that a fair share is a whole number too.
__extension__ typedef unsigned __int128 Work;
/// Units of Work a picosecond.
using Rate = std::uint64_t;
inline constexpr unsigned rate_bits = 8;
inline constexpr Bandwidth most_bandwidth{UINT64_MAX >> rate_bits};  ///< 72 PB/s
constexpr Rate rate_of(Bandwidth bandwidth) {
  return bandwidth.bytes_per_second << rate_bits;
}
/// Whole picoseconds, rounded up, that `work` takes at `rate` > 0. With rate_of(bandwidth) and no
/// jitter exactly wire_time(bytes, bandwidth). At most 53 days, which no run reaches.
constexpr Duration time_of(Work work, Rate rate) {
  constexpr Work most = INT64_MAX / 2;
  const Work time = (work + rate - 1) / rate;
  return {static_cast<std::int64_t>(time < most ? time : most)};
}

/// Transfers of one (source, destination, channel) share a route and keep their order.
struct Connection {
  Rank from, to;
  std::uint32_t first_hop = 0, hop_count = 0;  ///< in Wiring::hops
  Duration latency;                            ///< sum over the route
  bool ordered = true;                         ///< local transfers cross no wire: they are not
};

/// A link of the topology (by LinkId), or after those a device's memory (links + DeviceId).
struct Wire {
  Bandwidth bandwidth;
  Duration latency;
};

/// All that does not depend on sizes.
struct Wiring {
  const Schedule* schedule = nullptr;
  const Topology* topology = nullptr;
  std::vector<Wire> wires;
  std::vector<std::uint32_t> hops;  ///< routes of all connections: indices of wires
  std::vector<Connection> connections;
  std::vector<std::uint32_t> connection_of;  ///< by TransferId

  const Connection& connection(std::uint32_t transfer) const {
    return connections[connection_of[transfer]];
  }
  std::span<const std::uint32_t> route(const Connection& c) const {
    return std::span(hops).subspan(c.first_hop, c.hop_count);
  }
};

/// One run's data on the wiring.
struct Load {
  std::vector<Bytes> bytes;     ///< by TransferId
  std::vector<Work> work;       ///< by TransferId: its bytes, jitter included
  std::vector<Duration> start;  ///< by Rank
  Patience patience;
};

constexpr std::uint32_t nobody = UINT32_MAX;

/// What explain() and link_stretches() need beyond the spans; filled only when asked for.
struct Recording {
  /// stream: how a transfer passed one wire of its route.
  struct Pass {
    TimePoint head, tail;
    std::uint32_t holder = nobody;  ///< the transfer that held the wire before
  };
  std::vector<std::uint64_t> pass_begin;  ///< by TransferId
  std::vector<Pass> passes;
  /// flow, by TransferId: the wire that cost it the most bytes, nobody if it drained as if alone.
  std::vector<std::uint32_t> most_shared;
  /// flow: while a transfer drained at one rate; in order of time for each.
  struct Stretch {
    std::uint32_t transfer;
    TimePoint from, to;
    Rate rate;
  };
  std::vector<Stretch> stretches;
};

/// Who takes part.
struct Cast {
  const CollectiveSpec& spec;
  std::uint32_t agents = 0;
  std::uint32_t participants() const { return spec.ranks + agents; }
};
/// What the connections of a run carry, and over which wires.
struct Carried {
  std::span<const std::uint32_t> route;
  Duration latency;
  std::uint64_t messages = 0;
  __extension__ unsigned __int128 bytes = 0;
};
struct Traffic {
  const Topology& topology;
  std::span<const Wire> wires;
  std::vector<Carried> connections;
};

/// The topology's links, then its devices' memories.
Result<std::vector<Wire>> wires_of(const Topology& topology);
/// One sentence if the topology has too few ranks.
Result<void> check_places(const Topology& topology, const Cast& cast);
/// One sentence if the disturbance or the payload is out of range.
Result<void> check_run(const Cast& cast, const Payload& payload, const Disturbance& disturbance);
/// Work of a transfer's bytes: times 1 + u, u in [0, jitter] in steps of 2^-32, from the seed and
/// the transfer's id alone.
Work work_of(Bytes bytes, const Disturbance& disturbance, std::uint64_t id);
/// Refuses runs whose picoseconds might not fit: even one transfer after the other must.
Result<void> check_clock(const Traffic& traffic, const Disturbance& disturbance);
inline constexpr Duration longest_run{INT64_MAX / 2};
Result<void> longer_than_the_clock(const Topology& topology);  ///< what it says
std::vector<LinkUse> use_of(const Traffic& traffic);

/// Fill `spans` (one a transfer); `recording` may be null. run_flow() is false if it gave up
/// because Load::patience had an end.
void run_stream(const Wiring& wiring, const Load& load, std::span<Span> spans,
                Recording* recording);
bool run_flow(const Wiring& wiring, const Load& load, std::span<Span> spans, Recording* recording);

}  // namespace ringside::sim::models
