#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/engine.hpp"
#include "core/schedule.hpp"
#include "core/trace.hpp"
#include "sim/topology.hpp"

namespace ringside::sim {

/// How links are shared. Both: read once the last byte has left the source; commit = max(arrival,
/// war, waw); zero bytes cost latency only; wire times round up to whole picoseconds;
/// deterministic, ties by id.
enum class NetworkModel : std::uint8_t {
  /// Links of a route l1..lm are served in told order, cut-through:
  ///   head_1 = max(ready, free_1);  head_i = max(head_(i-1) + L_(i-1), free_i)
  ///   tail_i = max(head_i + b/B_i, tail_(i-1) + L_(i-1));  free_i = tail_i;  arrival = tail_m +
  ///   L_m
  stream,
  /// All links of a route drain at one max-min fair rate from the start; arrival = drained + sum of
  /// L.
  flow,
};

/// One run's data: how many elements of what.
struct Payload {
  std::uint64_t count = 0;  ///< as NCCL: a block where is_blocked(kind), else the whole vector
  ElementType type = ElementType::float32;
};

/// What goes wrong on purpose. Slow and dead links are applied to the topology (sim/faults.hpp);
/// these act on ranks and time.
struct Disturbance {
  std::vector<Duration>
      start;          ///< rank r's first action no earlier than start[r]; empty = all at 0
  double jitter = 0;  ///< each wire time is scaled by 1 + u, u uniform in [0, jitter]
  std::uint64_t jitter_seed = 0;
};

/// Use of one link over the run.
struct LinkUse {
  Bytes bytes;
  Duration busy;  ///< bytes / bandwidth
};

struct Simulation {
  Duration time;               ///< last commit
  std::vector<Span> spans;     ///< one a transfer, by TransferId
  std::vector<LinkUse> links;  ///< by LinkId
};

/// Runs a stored schedule on a topology whose `ranks` cover all participants (agents included).
Result<Simulation> simulate(const Schedule& schedule, const Payload& payload,
                            const Topology& topology, NetworkModel model,
                            const Disturbance& disturbance = {});

/// The links that carried traffic for the largest share of the run; ties all named, by id.
struct Busiest {
  std::vector<LinkId> links;
  double share = 0;  ///< busy / time, 0..1
};
Busiest busiest(const Simulation& simulation);

}  // namespace ringside::sim
