#pragma once

#include <string>
#include <vector>

#include "gpu/calibrate/fit.hpp"
#include "sim/systems.hpp"

namespace ringside::terminal {

/// The ports as a machine that `--system FILE` takes: a GPU for each rank, each with its way into
/// the middle and its way out. `name` and `summary` are for people.
sim::System machine_of(const calibrate::Ports& ports, const std::string& name,
                       const std::string& summary);

/// One sentence if the machine has fewer ranks than were, or are to be, measured.
Result<void> check_covers(const sim::Topology& expected, std::uint32_t ranks);

/// Every measured pair that falls short of what `expected` carries between these ranks, by more
/// than `tolerance`, in one sentence each. Error if it has fewer ranks, or no way between two.
Result<std::vector<std::string>> shortfalls(const calibrate::Calibration& measured,
                                            const sim::Topology& expected, double tolerance);

}  // namespace ringside::terminal
