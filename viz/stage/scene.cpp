#include "viz/stage/scene.hpp"

#include <algorithm>
#include <map>
#include <set>

namespace ringside::stage {
namespace {

using sim::DeviceKind;

constexpr std::size_t most_curved = 1024;  // connections: more of them are straight lines

/// A way that bends to the left of who walks it: there and back do not coincide.
Path curve(Point from, Point to, Point centre, double aside) {
  const Point middle = mix(from, to, 0.5);
  const Point control = mix(middle, centre, 0.25) + aside * left_of(to - from);
  Path path;
  constexpr int pieces = 16;
  for (int i = 0; i <= pieces; ++i) {
    const double u = double(i) / pieces;
    path.push_back(mix(mix(from, control, u), mix(control, to, u), u));
  }
  return path;
}

bool is_rank(const StagedRun& run, DeviceId device) {
  return (*run.topology)[device].kind == DeviceKind::gpu;
}

/// By way of the devices that a route passes.
Path through(const Scene& scene, const StagedRun& run, TransferId id) {
  const Transfer& t = (*run.schedule)[id];
  Path path{scene.ranks[t.src().rank.value].centre()};
  for (const LinkId link : run.route(id)) {
    const DeviceId next = (*run.topology)[link].to;
    const Box& box = scene.devices[next.value];
    if (!box.is_empty() && !is_rank(run, next)) path.push_back(box.centre());
  }
  const Point end = scene.ranks[t.dst().rank.value].centre();
  if (path.size() > 1 && length(path.back() - end) < 1) path.pop_back();  // an agent in its switch
  path.push_back(end);
  return path;
}

/// Neighbours on a circle meet on its edge, all others across its inside.
Path direct(const Scene& scene, Rank from, Rank to, double unit) {
  const Box &a = scene.ranks[from.value], &b = scene.ranks[to.value];
  const double apart = length(b.centre() - a.centre());
  const bool near = apart < 2.2 * std::max(a.width, a.height) + 60 * unit;
  const Point centre = near ? mix(a.centre(), b.centre(), 0.5) : scene.region.centre();
  return curve(a.centre(), b.centre(), centre, near ? 0.12 * apart : 18 * unit);
}

void find_ways(Scene& scene, const StagedRun& run, double unit) {
  using Key = std::vector<std::uint32_t>;
  std::map<Key, std::uint32_t> known;
  std::set<std::pair<Rank, Rank>> pairs;
  const auto transfers = run.schedule->transfers();
  for (const Transfer& t : transfers)
    if (!t.is_local()) pairs.insert({t.src().rank, t.dst().rank});
  const bool straight = pairs.size() > most_curved;
  scene.way_of.assign(transfers.size(), UINT32_MAX);
  for (TransferId id{0}; id.value < transfers.size(); ++id.value) {
    const Transfer& t = transfers[id.value];
    if (t.is_local()) continue;
    Key key{t.src().rank.value, t.dst().rank.value};
    for (const LinkId link : run.route(id)) key.push_back(link.value);
    const auto [way, is_new] = known.try_emplace(key, scene.ways.size());
    scene.way_of[id.value] = way->second;
    if (!is_new) continue;
    Path path = through(scene, run, id);
    if (path.size() == 2 && !straight) path = direct(scene, t.src().rank, t.dst().rank, unit);
    scene.free_ways.push_back(outside(path, scene.ranks[t.src().rank.value].grown(2 * unit),
                                      scene.ranks[t.dst().rank.value].grown(2 * unit)));
    scene.ways.push_back(std::move(path));
  }
}

/// Wires between two devices that are both drawn, both directions as one.
void find_wires(Scene& scene, const StagedRun& run) {
  std::set<LinkId> used(run.route_links.begin(), run.route_links.end());
  std::map<std::pair<DeviceId, DeviceId>, std::size_t> known;
  const auto& links = run.topology->links;
  for (LinkId id{0}; id.value < links.size(); ++id.value) {
    const auto [from, to] = std::minmax(links[id.value].from, links[id.value].to);
    const Box &a = scene.devices[from.value], &b = scene.devices[to.value];
    if (a.is_empty() || b.is_empty()) continue;
    const auto [wire, is_new] = known.try_emplace({from, to}, scene.wires.size());
    if (is_new)
      scene.wires.push_back({id, outside({a.centre(), b.centre()}, a, b), used.contains(id)});
    else
      scene.wires[wire->second].is_used |= used.contains(id);
  }
}

/// Every route goes from a GPU over at most one switch, always the same, to a GPU.
bool meets_in_one_switch(const StagedRun& run) {
  std::set<DeviceId> passed;
  for (TransferId id{0}; id.value < run.schedule->transfers().size(); ++id.value) {
    const auto route = run.route(id);
    if (route.size() > 2) return false;
    for (const LinkId link : route) {
      const DeviceId next = (*run.topology)[link].to;
      if (!is_rank(run, next)) passed.insert(next);
    }
  }
  return passed.size() <= 1;
}

}  // namespace

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
  if (scene.is_machine)
    detail::place_machine(scene, run, unit);
  else
    detail::place_circle(scene, run, unit);
  find_ways(scene, run, unit);
  find_wires(scene, run);
  for (Step step{0}; step.value < run.schedule->steps(); ++step.value) {
    std::size_t together = 0;
    for (auto id = run.schedule->step_begin(step); id < run.schedule->step_end(step); ++id.value)
      together += (*run.schedule)[id].is_local() ? 0 : 1;
    scene.crowd = std::max(scene.crowd, together);
  }
  return scene;
}

}  // namespace ringside::stage
