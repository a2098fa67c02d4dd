#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sim/import.hpp"
#include "sim/import/figures.hpp"

namespace ringside::sim {

/// Puts one machine together while its description is read: names made unique, assumptions told
/// once, every pair of GPUs proven to be joined at the end.
class Machine {
 public:
  /// `name` as the user gave it: only for messages and Topology::name.
  explicit Machine(std::string_view name) { topology_.name = name; }

  /// Named `wanted`, or `wanted_1`, ... where that is taken. All but GPUs and memory forward.
  DeviceId add(DeviceKind kind, std::string_view wanted, std::uint32_t node = 0);
  /// NVSwitches reduce from the H100's generation, NVLink 4, on.
  void tell_switch(DeviceId nvswitch, std::uint32_t generation);
  void join(DeviceId a, DeviceId b, LinkKind kind, const LinkFigure& figure);
  struct Place {
    std::uint32_t number = 0;  ///< CPUs are called after it
    std::uint32_t node = 0;
    std::string prefix{};               ///< of names: `node1.`
    std::uint32_t pcie_generation = 4;  ///< tells the age of its memory
  };
  /// A CPU and the memory below it.
  DeviceId add_cpu(const Place& place);
  /// Local copies and reductions run at `bandwidth`; 0 = it is not known, and they cost nothing.
  void set_memory(DeviceId gpu, Bandwidth bandwidth);
  /// Joins every two of these CPUs, of one node.
  void join_sockets(std::span<const DeviceId> cpus, const LinkFigure& figure);
  /// Adds NVLink the text does not name, for GPUs in rank order: a mesh of up to four GPUs or the
  /// DGX-1's cube mesh of eight for the generations before the switch was usual, else an NVSwitch.
  void assume_nvlink(std::span<const DeviceId> gpus, std::uint32_t generation);
  /// One sentence for Topology::assumed, without the full stop; told once however often said.
  void assume(const std::string& sentence);
  const std::string& name_of(DeviceId id) const { return topology_[id].name; }

  /// Rank r sits on gpus[r]. Error, one sentence, if there is none, or two cannot reach each other.
  Result<Topology> finish(std::span<const DeviceId> gpus, const ImportOptions& options) &&;

 private:
  bool taken(std::string_view name) const;
  Topology topology_;
};

/// One sentence if options.nvlink is no generation.
Result<void> check(const ImportOptions& options);

}  // namespace ringside::sim
