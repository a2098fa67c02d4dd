#pragma once

#include <memory>

#include "core/backend.hpp"
#include "sim/simulate.hpp"

namespace ringside::sim {

/// The simulator as an executor: `sim`. Runs in-switch schedules, moves no bytes, and every
/// iteration takes the same time. `topology` must outlive the backend and all it has prepared.
std::unique_ptr<Backend> make_backend(const Topology& topology, NetworkModel model,
                                      const Disturbance& disturbance = {});

}  // namespace ringside::sim
