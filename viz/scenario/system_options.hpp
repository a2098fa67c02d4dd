#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/report.hpp"
#include "core/result.hpp"
#include "sim/simulate.hpp"
#include "sim/systems.hpp"

namespace CLI {
class App;
}

namespace ringside::scenario {

/// On what: a system and what is changed about it, as text until read.
struct SystemOptions {
  std::string system = "ring";  ///< a shape, a preset, a file, or `-`
  std::uint32_t nodes = 1;
  std::string net;
  std::uint64_t ranks = 0;         ///< 0 = all GPUs there are; shapes take 8
  std::string bandwidth, latency;  ///< of generic shapes
  std::string dims;                ///< of a torus, as the shape or as the algorithm sees it
  std::uint32_t nvlink = 0;
  bool no_p2p = false;
  std::vector<std::string> set, slow, dead, straggler;
  std::string jitter;
  std::string rank_order;
  std::string model = "flow";

  /// Only what says which machine it is: `--nodes --net --ranks --dims ...`, and `--system`
  /// unless `system_is_argument`.
  void add_machine_to(CLI::App& command, bool system_is_argument);
  /// The rest: `--slow --dead --straggler --jitter --rank-order --model`.
  void add_run_to(CLI::App& command);
};

/// A machine ready to run on.
struct Machine {
  sim::System system;  ///< with `--set` and faults applied; system.topology is all nodes
  sim::Disturbance disturbance;
  sim::NetworkModel model = sim::NetworkModel::flow;
  /// As sim::parse_rank_order takes it: what `--rank-order` says; else `auto` on machines,
  /// `identity` where
  /// all links are generic.
  std::string rank_order;
  bool rank_order_asked = false;  ///< the user said so: who cannot follow must say that
  bool is_textbook = false;       ///< generic links only
  /// `--dims` where they are a torus: what an algorithm takes them for.
  std::vector<std::uint32_t> dims;
  bool dims_asked = false;  ///< and the machine is none: who takes no dims must say that
  /// Which machine that is, in the words of flags: what a result row repeats.
  struct Origin {
    std::string name, net;
    std::uint32_t nodes = 0;  ///< 0: a shape has none
    std::vector<Condition> conditions;
  } origin;
  const sim::Topology& topology() const { return system.topology; }
};

Result<Machine> read(const SystemOptions& options);

/// The model's name in result rows: `sim/flow`.
std::string backend_name(sim::NetworkModel model);

}  // namespace ringside::scenario
