#pragma once

#include <cstdint>

#include "sim/workload/scaling.hpp"
#include "viz/scenario/system_options.hpp"

namespace ringside::scenario {

/// A machine at any number of GPUs: as many nodes as that takes, joined by their network, the last
/// one used in part; of a shape, that many ranks.
struct Grown {
  Machine node;                ///< one, all its GPUs
  std::uint32_t per_node = 0;  ///< GPUs in it
  bool is_shape = false;
  sim::MachineOf of{};  ///< errors: as read(); may be called from any one thread
};

/// Nodes, ranks and what is late or random do not matter here: a number of GPUs says how many, and
/// training has no single transfer to delay. `set`, `slow` and `dead` hold on every number of GPUs
/// that has such links. Errors: as read(), and a `set` of links that no number of GPUs has.
Result<Grown> grow(const SystemOptions& options);

}  // namespace ringside::scenario
