#pragma once

#include <vector>

#include "core/trace.hpp"
#include "sim/simulate.hpp"

namespace ringside::sim {

/// Runs the simulation again and says when which transfer went over which link at which rate, by
/// link, then by `from`, then by transfer. The rates on a link never add up to more than it has.
/// Model flow: a stretch lasts until the fair share changes. Model stream: from the first byte on
/// this link to the last, at the mean rate. Local transfers cross no link. Errors as
/// Simulator::run().
Result<std::vector<LinkStretch>> link_stretches(const Simulator& simulator, const Payload& payload,
                                                NetworkModel model,
                                                const Disturbance& disturbance = {});

}  // namespace ringside::sim
