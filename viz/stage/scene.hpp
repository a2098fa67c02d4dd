#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "viz/stage/geometry.hpp"
#include "viz/stage/model.hpp"
#include "viz/stage/rim.hpp"

namespace ringside::stage {

/// On a circle; more ranks are pieces of its rim.
inline constexpr std::size_t most_boxes = 32;

/// How much of a chunk on its way there is room for: its number and the ticks of those whose parts
/// it carries; its number; a dot; hardly that.
enum class ChipSize : std::uint8_t { full, label, dot, speck };

/// Where everything on the stage stands, for one run in one region.
///   circle:  ranks around an ellipse in ring order; the switches they pass inside it
///   machine: as it is built: a frame a node, in it rows of NVSwitches, GPUs, PCIe switches, CPUs
///            and NICs; what nodes share between two lines of them. A torus is a grid.
struct Scene {
  Box region;
  bool is_machine = false;
  bool is_logical = false;      ///< the wires are only in the mind
  Point radius;                 ///< circle: of the ellipse through the ranks' middles
  Rim rim;                      ///< circle: of ranks too many for boxes; else empty
  std::vector<Rank> rim_order;  ///< by its pieces
  std::vector<Box> ranks;       ///< by Rank, agents (in their switches) included; on a rim: where
                                ///< wires end
  std::vector<Box> devices;     ///< by DeviceId; empty: not drawn
  std::vector<Box> frames;      ///< machine: by node; empty: one node needs no frame
  double frame_heading = 0;     ///< away from the middle, room for its name; 0: none
  double frame_margin = 0;      ///< else beside it, towards the middle; 0: none there either
  /// Circle: the one switch that all routes pass, an ellipse in its box.
  std::optional<DeviceId> plate;

  /// All links between two devices that are drawn.
  struct Wire {
    DeviceId from, to;
    std::array<std::vector<LinkId>, 2> links{};  ///< from -> to, and back
    Path path{};                                 ///< from box to box
    bool is_used = false;                        ///< some transfer crosses it, either way
  };
  std::vector<Wire> wires;
  std::vector<std::uint32_t> wire_of;  ///< by LinkId, into `wires`; UINT32_MAX: not drawn
  /// Ways that transfers take, from box to box along their wires, on the right where others come
  /// the other way.
  std::vector<Way> ways;
  std::vector<std::uint32_t> way_of;  ///< by TransferId, into `ways`; UINT32_MAX: local

  /// By how much a chip gives way to others at moments `nudge_pitch` apart, from the `first` on.
  struct Nudge {
    std::uint32_t first = 0;
    std::vector<Point> by{};
  };
  std::vector<Nudge> nudges;  ///< by TransferId; empty: none gives way
  Duration nudge_pitch{};

  ChipSize chip_size = ChipSize::full;
  Point chip;  ///< width and height

  /// Of the first `count`, agents are none: who stands there, in a box or on the rim.
  std::optional<Rank> rank_at(Point p, std::uint32_t count) const;
  /// Where a transfer is, a share `progress` of its way between the two boxes.
  Point at(TransferId id, double progress) const { return ways[way_of[id.value]].at(progress); }
};

/// `unit`: pixels of one eighth of a rank box's padding, 1 at scale 1 on a 1280 x 720 window.
Scene make_scene(const StagedRun& run, const Box& region, Model::Layout layout, double unit);

/// How a wire between two devices runs, or would: links that a fault took away are no wires.
Path path_between(const Scene& scene, const StagedRun& run, DeviceId from, DeviceId to);

/// What fits a run: the circle for shapes and for machines whose GPUs are joined directly or by one
/// switch; the machine for all others.
Model::Layout usual_layout(const StagedRun& run);

namespace detail {
/// One layout a file; they fill ranks, devices, frames.
void place_circle(Scene& scene, const StagedRun& run, double unit);
void place_machine(Scene& scene, const StagedRun& run, double unit);
void place_grid(Scene& scene, const StagedRun& run, double unit);  ///< a torus
/// Then wires, and the ways along them.
void find_wires(Scene& scene, const StagedRun& run);
void find_ways(Scene& scene, const StagedRun& run);
/// Devices that some route touches, by DeviceId.
std::vector<bool> used_devices(const StagedRun& run);
}  // namespace detail

}  // namespace ringside::stage
