#pragma once

#include "viz/panels/panel.hpp"
#include "viz/stage/scene.hpp"

namespace ringside::panels {

/// One run at the model's time, in a part of a panel: wires, ranks and what they hold, chunks on
/// their way. Both sides of a race are drawn with it.
struct RunView {
  const Panel& panel;
  const stage::StagedRun& run;
  TimePoint now;
  Corner area;
  bool takes_input = true;  ///< hover, click, menus
};
/// The scene of the run in this area, laid out anew only when either changed.
const stage::Scene& scene_of(const RunView& view);
void draw_run(const RunView& view);

namespace detail {
// run_view_*.cpp, one layer a file.
void draw_wires(const RunView& view, const stage::Scene& scene, ImDrawList& list);
void draw_ranks(const RunView& view, const stage::Scene& scene, ImDrawList& list);
void draw_chips(const RunView& view, const stage::Scene& scene, ImDrawList& list);
void draw_ghost(const RunView& view, const stage::Scene& scene, ImDrawList& list);
void draw_faults(const RunView& view, const stage::Scene& scene, ImDrawList& list);
void respond(const RunView& view, const stage::Scene& scene);
/// Chunks start and arrive gently: progress as it is drawn.
constexpr double eased(double u) {
  return u * u * (3 - 2 * u);
}
}  // namespace detail

/// A wire's colour by what it is.
ImU32 wire_colour(sim::LinkKind kind, const Look& look);
inline ImVec2 to_screen(stage::Point p) {
  return {static_cast<float>(p.x), static_cast<float>(p.y)};
}
inline Corner to_screen(const stage::Box& box) {
  return {to_screen(stage::Point{box.x, box.y}),
          to_screen(stage::Point{box.right(), box.bottom()})};
}

}  // namespace ringside::panels
