#pragma once

#include <vector>

#include "viz/stage/scene.hpp"

// The parts of place_machine(); for scene_*.cpp alone.

namespace ringside::stage::detail {

/// Devices of one kind side by side, in pixels.
struct Row {
  std::vector<std::uint32_t> members{};
  double height = 0;
  double least = 0;       ///< what its words need of it
  double most_width = 0;  ///< of one of them
  bool is_mesh = false;   ///< GPUs joined directly: they stand in a circle
  bool is_grid = false;   ///< GPUs too many for one line
};

/// Puts devices into a scene, one node or row after the other.
class Floor {
 public:
  Floor(Scene& scene, const StagedRun& run, double unit);

  double unit() const { return unit_; }
  const sim::Topology& topology() const { return topology_; }
  bool is_used(std::uint32_t device) const { return used_[device]; }
  /// What several nodes share: the network's switches, an NVSwitch of a whole rack.
  bool is_shared(std::uint32_t device) const { return shared_[device]; }

  /// One node: NVSwitches at the top, NICs at the bottom, or the other way round.
  void place_node(std::uint32_t node, const Box& area, bool upside_down);
  /// Each under or over what it is linked to, as far as its neighbours let it.
  void place_row(const Row& row, const Box& area);

 private:
  std::vector<Row> rows_of(std::uint32_t node) const;
  Row row_of(sim::DeviceKind kind, const std::vector<std::uint32_t>& members) const;
  int depth_under_gpus(std::uint32_t device) const;
  bool is_grid(const Row& row, const Box& area) const;  ///< too many for one line
  void in_ellipse(const std::vector<std::uint32_t>& members, const Box& area);
  void in_grid(const std::vector<std::uint32_t>& members, const Box& area);
  double wanted_x(std::uint32_t device, double otherwise) const;

  Scene& scene_;
  const sim::Topology& topology_;
  double unit_;
  std::vector<bool> used_, shared_;
};

}  // namespace ringside::stage::detail
