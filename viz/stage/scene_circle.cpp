// Ranks around an ellipse, in the order of the ring they follow.

#include <algorithm>
#include <cmath>
#include <numbers>

#include "viz/stage/scene.hpp"

namespace ringside::stage::detail {
namespace {

constexpr double pi = std::numbers::pi;

struct Size {
  double width, height;
};
Size rank_box(std::size_t ranks) {
  if (ranks <= 4) return {132, 92};
  if (ranks <= 8) return {104, 74};
  if (ranks <= 12) return {84, 62};
  if (ranks <= 16) return {68, 52};
  if (ranks <= 32) return {38, 32};
  if (ranks <= 64) return {22, 22};
  if (ranks <= 128) return {12, 12};
  return {8, 8};
}

std::vector<Rank> ring_order(const StagedRun& run) {
  if (!run.plan.options.rank_order.empty()) return run.plan.options.rank_order.front();
  std::vector<Rank> order;
  for (Rank r{0}; r.value < run.ranks(); ++r.value) order.push_back(r);
  return order;
}

/// `count` points at equal distances along the ellipse, clockwise from the top: equal angles would
/// crowd its ends.
Path around(Point centre, Point radius, std::size_t count) {
  constexpr int pieces = 4096;
  const double start = count == 2 ? -pi : -pi / 2;
  const auto on = [&](int piece) {
    const double angle = start + 2 * pi * piece / pieces;
    return centre + Point{radius.x * std::cos(angle), radius.y * std::sin(angle)};
  };
  std::vector<double> walked(pieces + 1, 0);
  for (int i = 0; i < pieces; ++i) walked[i + 1] = walked[i] + length(on(i + 1) - on(i));
  Path points;
  for (std::size_t place = 0; place < count; ++place) {
    const double goal = walked.back() * static_cast<double>(place) / static_cast<double>(count);
    points.push_back(
        on(static_cast<int>(std::ranges::lower_bound(walked, goal - 1e-6) - walked.begin())));
  }
  if (count == 1) points = {centre};
  return points;
}

}  // namespace

void place_circle(Scene& scene, const StagedRun& run, double unit) {
  const auto order = ring_order(run);
  const auto [width, height] = rank_box(order.size());
  const Box& region = scene.region;
  Size box{std::min(width * unit, region.width / 5.5), std::min(height * unit, region.height / 5)};
  const double tall = (region.height - box.height) / 2, wide = (region.width - box.width) / 2;
  const double stretch = order.size() <= 4 ? 1.5 : 1.75;
  const auto points = around(region.centre(), {std::min(wide, stretch * tall), tall}, order.size());
  const double shrink = shrink_to_fit(points, box.width, box.height);
  box = {box.width * shrink, box.height * shrink};
  scene.ranks.resize(run.schedule->participants());
  for (std::size_t i = 0; i < order.size(); ++i)
    scene.ranks[order[i].value] = Box::around(points[i], box.width, box.height);
  for (std::uint32_t r = 0; r < run.ranks(); ++r)
    scene.devices[run.topology->ranks[r].value] = scene.ranks[r];
  // The switches that routes pass, side by side in the middle; agents sit in them.
  const auto used = used_devices(run);
  std::vector<std::uint32_t> hubs;
  for (std::uint32_t d = 0; d < used.size(); ++d)
    if (used[d] && scene.devices[d].is_empty() &&
        run.topology->devices[d].kind != sim::DeviceKind::gpu)
      hubs.push_back(d);
  const double room = std::min(region.width * 0.5, 172 * unit * static_cast<double>(hubs.size()));
  for (std::size_t i = 0; i < hubs.size(); ++i) {
    const double pitch = room / static_cast<double>(hubs.size());
    const Point at{region.centre().x + (static_cast<double>(i) + 0.5) * pitch - room / 2,
                   region.centre().y};
    scene.devices[hubs[i]] =
        Box::around(at, std::max(2.0, pitch - 12 * unit), std::min(64 * unit, region.height / 6));
  }
  for (std::uint32_t r = run.ranks(); r < run.schedule->participants(); ++r)
    scene.ranks[r] = scene.devices[run.topology->ranks[r].value];
}

}  // namespace ringside::stage::detail
