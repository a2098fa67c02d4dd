#pragma once

#include "sim/workload/scaling.hpp"

namespace ringside::sim {

/// Of those points, as Knee says. Simulates the point after it once more with links that have no
/// latency, to tell latency from bandwidth.
Result<Knee> find_knee(const ScalingRequest& request, const std::vector<ScalingPoint>& points);

}  // namespace ringside::sim
