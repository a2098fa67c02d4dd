#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/simulate.hpp"

namespace ringside::sim {

/// What a moment of the critical path was spent on.
enum class TermKind : std::uint8_t {
  wire,        ///< bytes over the bandwidth of `link`; without one: of the device's memory
  latency,     ///< of the links of the route
  wait_link,   ///< stream: `link` was still serving `other`
  share_link,  ///< flow: longer than alone, because `link` was shared, longest with `other`
  wait_order,  ///< arrived, but the target slot was still in use by `other` (war, waw)
  straggle,    ///< the rank had not started yet (Disturbance::start)
  jitter,      ///< what Disturbance::jitter added to a wire time
};
inline constexpr std::size_t term_kind_count = 7;
std::string_view name(TermKind kind);  ///< `wire` `latency` `wait for link` ...

struct Term {
  TermKind kind = TermKind::wire;
  Duration time;  ///< > 0
  TransferId transfer;
  std::optional<LinkId> link;
  std::optional<TransferId> other;
  std::uint32_t others = 0;  ///< share_link: with how many transfers in all, `other` included
};

/// Where the time went: the chain of transfers that ends with the last commit. Each began when the
/// one before it had committed its data (raw), or had left the source on the same connection.
/// Waiting for data is therefore no term: it is the terms of the transfers before.
struct Explanation {
  Duration time;                 ///< Simulation::time, and exactly the sum of the terms
  std::vector<TransferId> path;  ///< first to last
  std::vector<Term> terms;       ///< in the order of the path
  Duration total(TermKind kind) const;
};

/// Runs the simulation again, with a notebook. Errors as Simulator::run().
Result<Explanation> explain(const Simulator& simulator, const Payload& payload, NetworkModel model,
                            const Disturbance& disturbance = {});

/// What the term was spent on, and for whom: `wait for link gpu2->sw0, held by transfer 7 (rank 2
/// -> 5)`.
std::string reason(const Term& term, const Schedule& schedule, const Topology& topology);
/// The same with its transfer and its exact time: `transfer 12 (step 3, rank 2 -> 3): 4.1 us wait
/// for link gpu2->sw0, held by transfer 7 (rank 2
/// -> 5)`.
std::string to_string(const Term& term, const Schedule& schedule, const Topology& topology);

}  // namespace ringside::sim
