#pragma once

#include <string>
#include <vector>

#include "core/report.hpp"
#include "sim/topology.hpp"

namespace ringside::terminal {

/// A topology for people: what it is made of, the machine as a tree, and what lies between any two
/// GPUs.
std::string draw_topology(const sim::Topology& topology);

/// The same as `topo --json` says it: devices[], links[], assumed[]. `conditions`: the flags that
/// made it so.
std::string topology_json(const sim::Topology& topology, const std::vector<Condition>& conditions);

}  // namespace ringside::terminal
