#pragma once

#include <string>
#include <vector>

#include "gpu/calibrate/fit.hpp"
#include "sim/systems.hpp"

namespace ringside::terminal {

/// The ports as a machine that `--system FILE` takes: a GPU for each rank, each with its way into
/// the middle and its way out; where nodes have ports, a middle for each node, and one where these
/// meet. `name` and `summary` are for people.
sim::System machine_of(const calibrate::Ports& ports, const std::string& name,
                       const std::string& summary);

/// One sentence if the machine has fewer ranks than were, or are to be, measured.
Result<void> check_covers(const sim::Topology& expected, std::uint32_t ranks);

/// What falls short of a machine, in one sentence each.
struct Shortfalls {
  std::vector<std::string> beyond_noise;
  std::vector<std::string> within_noise;  ///< half of the pair's own samples differ by as much
};

/// Every measured pair that falls short of what `expected` carries between these ranks, by more
/// than `tolerance`. Error if it has fewer ranks, or no way between two.
Result<Shortfalls> shortfalls(const calibrate::Calibration& measured, const sim::Topology& expected,
                              double tolerance);

}  // namespace ringside::terminal
