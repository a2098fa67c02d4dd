#pragma once

#include "viz/panels/panel.hpp"
#include "viz/stage/chips.hpp"
#include "viz/stage/scene.hpp"

namespace ringside::panels {

/// One run at the model's time, in a part of a panel: wires, ranks and what they hold, chunks on
/// their way. Both sides of a race are drawn with it.
struct RunView {
  const Panel& panel;
  const stage::StagedRun& run;
  TimePoint now;
  Corner area;
  bool is_rival = false;  ///< what is picked is the lead's: the rival shows and takes none of it
  bool is_alone = true;   ///< no race: there is a clock, in the middle if that is free
};
/// The scene of the run in this area, laid out anew only when either changed.
const stage::Scene& scene_of(const RunView& view);
void draw_run(const RunView& view);

/// Nothing stands or flies in the middle of the circle, where the clock can be.
bool is_centre_free(const RunView& view, const stage::Scene& scene);

namespace detail {
// run_view_*.cpp, one layer a file.
void draw_wires(const RunView& view, const stage::Scene& scene, ImDrawList& list);
void draw_devices(const RunView& view, const stage::Scene& scene, ImDrawList& list);
void draw_rim(const RunView& view, const stage::Scene& scene, ImDrawList& list);
void draw_ranks(const RunView& view, const stage::Scene& scene, ImDrawList& list);
void draw_chips(const RunView& view, const stage::Scene& scene, ImDrawList& list);
void draw_ghost(const RunView& view, const stage::Scene& scene, ImDrawList& list);
void draw_faults(const RunView& view, const stage::Scene& scene, ImDrawList& list);
void draw_answers(const RunView& view, const stage::Scene& scene, ImDrawList& list);
void respond(const RunView& view, const stage::Scene& scene);
}  // namespace detail

/// A wire's colour by what it is.
ImU32 wire_colour(sim::LinkKind kind, const Look& look);
/// Of what is on the rim: from nothing to the whole sum, which stands out.
ImU32 rim_colour(float share, const Look& look);
void draw_path(ImDrawList& list, const stage::Path& path, ImU32 colour, float width);
/// `nvsw0` of `node2.nvsw0`: the frame around it says which node.
std::string short_name(const std::string& name);

inline ImVec2 to_screen(stage::Point p) {
  return {static_cast<float>(p.x), static_cast<float>(p.y)};
}
inline Corner to_screen(const stage::Box& box) {
  return {to_screen(stage::Point{box.x, box.y}),
          to_screen(stage::Point{box.right(), box.bottom()})};
}

}  // namespace ringside::panels
