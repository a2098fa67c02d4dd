#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string_view>
#include <vector>

#include "core/engine.hpp"
#include "core/schedule.hpp"
#include "core/trace.hpp"
#include "sim/router.hpp"
#include "sim/topology.hpp"

namespace ringside::sim {

/// How links are shared. Both: read once the last byte has left the source; commit = max(arrival,
/// war, waw); zero bytes cost latency only; wire times round up to whole picoseconds;
/// deterministic, ties by id.
/// Local transfers cost nothing unless Device::memory is stated; then they share it like a link.
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

std::string_view name(NetworkModel model);  ///< `stream` `flow`
Result<NetworkModel> parse_network_model(std::string_view text);

/// One run's data: how many elements of what.
struct Payload {
  std::uint64_t count = 0;  ///< as NCCL: a block where is_blocked(kind), else the whole vector
  ElementType type = ElementType::float32;
};

/// What goes wrong on purpose. Slow and dead links are applied to the topology (sim/faults.hpp);
/// these act on ranks and time.
struct Disturbance {
  /// Rank r sends and commits nothing before start[r]; ranks not listed start at 0.
  std::vector<Duration> start = {};
  double jitter = 0;  ///< each wire time is scaled by 1 + u, u uniform in [0, jitter]; at most 64
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

/// Asked again and again while a simulation runs, with its effort so far; false ends it. Effort is
/// what it costs, whoever runs it: how often a transfer's share of a wire was worked out, summed
/// over its route (model flow: where many transfers share wires, each that comes or goes changes
/// the others' rates; some 10^8 take a second), or, of a story heard as it is told, its transfers
/// so far. Model stream on a stored schedule never asks. Null: no end of patience.
using Patience = std::function<bool(std::uint64_t effort)>;
Patience up_to(std::uint64_t most_effort);

namespace models {
struct Wiring;
struct Load;
struct Recording;
}  // namespace models

/// A stored schedule on a topology, its routes found: what all sizes, both models and every
/// disturbance have in common. Schedule and topology must outlive it and stay as they are.
class Simulator {
 public:
  /// `topology.ranks` must cover all participants, agents included. Errors: too few ranks, a
  /// topology that check() refuses, a wire of more than 72 PB/s, ranks that no route joins.
  static Result<Simulator> prepare(const Schedule& schedule, const Topology& topology);
  /// With a router of `topology` that other simulators have used: its routes are found already.
  static Result<Simulator> prepare(const Schedule& schedule, const Topology& topology,
                                   Router& router);
  ~Simulator();
  Simulator(Simulator&&) noexcept;

  /// Errors: a count that joins slots of different lengths (check_lengths), a
  /// disturbance out of range, a run that could take longer than 53 days, no more patience.
  Result<Simulation> run(const Payload& payload, NetworkModel model,
                         const Disturbance& disturbance = {}, const Patience& patience = {}) const;

 private:
  friend struct Explainer;
  friend struct Watcher;
  explicit Simulator(std::unique_ptr<const models::Wiring> wiring);
  Result<models::Load> load(const Payload& payload, const Disturbance& disturbance) const;
  Result<Simulation> run(const models::Load& load, NetworkModel model,
                         models::Recording* recording) const;

  std::unique_ptr<const models::Wiring> wiring_;
};

/// prepare() and run() in one go.
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
