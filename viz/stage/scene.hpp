#pragma once

#include <cstdint>
#include <vector>

#include "viz/stage/geometry.hpp"
#include "viz/stage/model.hpp"

namespace ringside::stage {

/// Where everything on the stage stands, for one run in one region.
///   circle:  ranks around an ellipse in ring order; a switch that all routes pass in the middle
///   machine: as it is built: a frame a node, in it rows of NVSwitches, GPUs, PCIe switches, CPUs
///            and NICs; the network's switches below all nodes
struct Scene {
  Box region;
  bool is_machine = false;
  bool is_logical = false;   ///< the wires are only in the mind
  std::vector<Box> ranks;    ///< by Rank, agents (in their switches) included
  std::vector<Box> devices;  ///< by DeviceId; empty: not drawn
  std::vector<Box> frames;   ///< machine: by node; empty: one node needs no frame
  struct Wire {
    LinkId link;           ///< one way; the other is drawn with it
    Path path;             ///< from box to box
    bool is_used = false;  ///< some transfer crosses it, either way
  };
  std::vector<Wire> wires;
  std::vector<Path> ways;       ///< ways that transfers take, from the middle of a box to another
  std::vector<Path> free_ways;  ///< the same, outside the boxes at their ends
  std::size_t crowd = 0;        ///< most transfers between ranks of one step
  std::vector<std::uint32_t> way_of;  ///< by TransferId, into `ways`; UINT32_MAX: local

  /// Where a transfer is, a share `progress` of its way between the two boxes.
  Point at(TransferId id, double progress) const {
    return along(free_ways[way_of[id.value]], progress);
  }
};

/// `unit`: pixels of one eighth of a rank box's padding, 1 at scale 1 on a 1280 x 720 window.
Scene make_scene(const StagedRun& run, const Box& region, Model::Layout layout, double unit);

/// What fits a run: the circle for shapes and for machines whose GPUs are joined directly or by one
/// switch; the machine for all others.
Model::Layout usual_layout(const StagedRun& run);

namespace detail {
/// One layout a file; both fill ranks, devices, frames.
void place_circle(Scene& scene, const StagedRun& run, double unit);
void place_machine(Scene& scene, const StagedRun& run, double unit);
/// Devices that some route touches, by DeviceId.
std::vector<bool> used_devices(const StagedRun& run);
}  // namespace detail

}  // namespace ringside::stage
