#pragma once

#include <cstdint>
#include <vector>

#include "core/engine.hpp"
#include "core/report.hpp"

namespace ringside::terminal {

/// How much was tried.
struct Tried {
  std::uint64_t runs = 0, elements = 0;  ///< elements compared
};

/// Runs an algorithm on `ranks` ranks with real data: every root that matters, in place and not,
/// every type, every op, and for each of these counts that divide nothing, with data of every kind.
/// A row for each placement, type and op: `wrong` counts elements, `violation` is the first fault.
/// Empty where the algorithm serves no such number of ranks, or needs what the backend lacks.
std::vector<Row> try_out(Backend& backend, const Algorithm& algorithm, std::uint32_t ranks,
                         Tried& tried);

}  // namespace ringside::terminal
