#include "viz/stage/scene.hpp"

#include <set>

#include "sim/shapes.hpp"
#include "viz/stage/chips.hpp"

namespace ringside::stage {
namespace {

std::optional<sim::ShapeKind> shape_of(const StagedRun& run) {
  const auto shape = sim::parse_shape(run.topology->name);
  return shape ? std::optional(*shape) : std::nullopt;
}

/// Every route goes from a GPU over at most one switch, always the same, to a GPU.
bool meets_in_one_switch(const StagedRun& run) {
  std::set<DeviceId> passed;
  for (TransferId id{0}; id.value < run.schedule->transfers().size(); ++id.value) {
    const auto route = run.route(id);
    if (route.size() > 2) return false;
    for (const LinkId link : route) {
      const DeviceId next = (*run.topology)[link].to;
      if ((*run.topology)[next].kind != sim::DeviceKind::gpu) passed.insert(next);
    }
  }
  return passed.size() <= 1;
}

}  // namespace

std::optional<Rank> Scene::rank_at(Point p, std::uint32_t count) const {
  if (const auto spot = rim.at(p)) return rim_order[spot->piece];
  for (Rank r{0}; r.value < count; ++r.value)
    if (ranks[r.value].contains(p)) return r;
  return {};
}

namespace detail {

std::vector<bool> used_devices(const StagedRun& run) {
  std::vector<bool> used(run.topology->devices.size());
  for (const LinkId link : run.route_links) {
    used[(*run.topology)[link].from.value] = true;
    used[(*run.topology)[link].to.value] = true;
  }
  return used;
}

}  // namespace detail

Model::Layout usual_layout(const StagedRun& run) {
  if (const auto shape = shape_of(run))
    return shape == sim::ShapeKind::torus ? Model::Layout::machine : Model::Layout::ring;
  return run.topology->nodes == 1 && meets_in_one_switch(run) ? Model::Layout::ring
                                                              : Model::Layout::machine;
}

Scene make_scene(const StagedRun& run, const Box& region, Model::Layout layout, double unit) {
  Scene scene;
  scene.region = region;
  if (layout == Model::Layout::automatic) layout = usual_layout(run);
  scene.is_machine = layout == Model::Layout::machine;
  scene.is_logical = run.is_logical;
  scene.devices.resize(run.topology->devices.size());
  if (!scene.is_machine)
    detail::place_circle(scene, run, unit);
  else if (shape_of(run) == sim::ShapeKind::torus)
    detail::place_grid(scene, run, unit);
  else
    detail::place_machine(scene, run, unit);
  detail::find_wires(scene, run);
  size_chips(scene, run, unit);
  return scene;
}

}  // namespace ringside::stage
