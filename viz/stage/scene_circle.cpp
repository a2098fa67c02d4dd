// Ranks around an ellipse, in the order of the ring they follow; the switches they pass inside it.

#include <algorithm>
#include <cmath>

#include "viz/stage/scene.hpp"

namespace ringside::stage::detail {
namespace {

struct Size {
  double width, height;
};
Size rank_box(std::size_t ranks) {
  if (ranks <= 4) return {132, 92};
  if (ranks <= 8) return {104, 74};
  if (ranks <= 12) return {84, 62};
  if (ranks <= 16) return {68, 52};
  if (ranks <= 24) return {48, 38};
  return {38, 32};
}

std::vector<Rank> ring_order(const StagedRun& run) {
  if (!run.plan.options.rank_order.empty()) return run.plan.options.rank_order.front();
  std::vector<Rank> order;
  for (Rank r{0}; r.value < run.ranks(); ++r.value) order.push_back(r);
  return order;
}

/// The switches: one alone is a round plate; those of a tree stand before their ranks, the upper
/// ones nearer to the middle; all others in a row through it.
class Inside {
 public:
  Inside(Scene& scene, const StagedRun& run, double unit)
      : scene_(scene), topology_(*run.topology), unit_(unit), centre_(scene.region.centre()) {
    const auto used = used_devices(run);
    for (std::uint32_t d = 0; d < used.size(); ++d)
      if (used[d] && scene.devices[d].is_empty() &&
          topology_.devices[d].kind != sim::DeviceKind::gpu)
        switches_.push_back(d);
  }

  void place() {
    if (switches_.empty()) return;
    if (switches_.size() == 1) return place_plate();
    std::vector<std::uint32_t> before, middle;
    for (const auto d : switches_) {
      const Point seen = mean_of_ranks(d);
      const bool aside = std::hypot((seen.x - centre_.x) / scene_.radius.x,
                                    (seen.y - centre_.y) / scene_.radius.y) > 0.25;
      (aside ? before : middle).push_back(d);
    }
    if (place_before(before) && in_rows(middle)) return;
    for (const auto d : switches_) scene_.devices[d] = {};
    in_rows(switches_);
  }

 private:
  void place_plate() {
    const double room = 1 - 0.5 * scene_.ranks.front().height / scene_.radius.y;
    scene_.plate = DeviceId{switches_.front()};
    scene_.devices[switches_.front()] =
        Box::around(centre_, 0.9 * room * scene_.radius.x, 0.9 * room * scene_.radius.y);
  }
  /// The middle of the ranks that are linked to it.
  Point mean_of_ranks(std::uint32_t device) const {
    Point sum;
    int count = 0;
    for (const sim::Link& link : topology_.links)
      if (link.from.value == device && topology_[link.to].kind == sim::DeviceKind::gpu &&
          !scene_.devices[link.to.value].is_empty()) {
        sum = sum + scene_.devices[link.to.value].centre();
        ++count;
      }
    return count == 0 ? centre_ : 1.0 / count * sum;
  }
  // False if some cover each other.
  bool place_before(const std::vector<std::uint32_t>& before) {
    const double width = std::min(84 * unit_, scene_.radius.x * 2.4 / double(before.size() + 1));
    const double height = std::min(34 * unit_, scene_.radius.y * 1.2 / double(before.size() + 1));
    for (const auto d : before) {
      const Point out = mean_of_ranks(d) - centre_;
      const double depth = std::hypot(out.x / scene_.radius.x, out.y / scene_.radius.y);
      if (!put(d, Box::around(centre_ + 0.58 / depth * out, width, height))) return false;
    }
    return true;
  }
  /// In a row through the middle; very many in several.
  bool in_rows(const std::vector<std::uint32_t>& middle) {
    constexpr double most_a_row = 10;
    const auto count = static_cast<double>(middle.size());
    const double columns = count <= most_a_row ? count : std::ceil(std::sqrt(2.5 * count));
    const double rows = std::ceil(count / std::max(1.0, columns));
    const Point pitch{std::min(scene_.radius.x * 1.1 / columns, 172 * unit_),
                      std::min(scene_.radius.y * 0.9 / rows, 64 * unit_)};
    const Point gap{std::min(12 * unit_, 0.3 * pitch.x), std::min(8 * unit_, 0.3 * pitch.y)};
    for (std::size_t i = 0; i < middle.size(); ++i) {
      const double column = std::fmod(static_cast<double>(i), columns),
                   row = std::floor(static_cast<double>(i) / columns);
      const Point at =
          centre_ + Point{(column + 0.5 - columns / 2) * pitch.x, (row + 0.5 - rows / 2) * pitch.y};
      if (!put(middle[i], Box::around(at, pitch.x - gap.x, pitch.y - gap.y))) return false;
    }
    return true;
  }
  bool put(std::uint32_t device, const Box& box) {
    const bool is_free =
        std::ranges::none_of(scene_.devices, [&](const Box& other) { return other.overlaps(box); });
    scene_.devices[device] = box;
    return is_free;
  }

  Scene& scene_;
  const sim::Topology& topology_;
  double unit_;
  Point centre_;
  std::vector<std::uint32_t> switches_;
};

/// Too many for boxes: a piece of the rim each, and at its foot a point where wires end.
void place_on_rim(Scene& scene, const std::vector<Rank>& order, double unit) {
  constexpr double stretch = 1.75, foot = 0.945 * Rim::inner;
  const Box& region = scene.region;
  const double tall = region.height / 2, wide = std::min(region.width / 2, stretch * tall);
  scene.rim = Rim(region.centre(), {wide, tall}, static_cast<std::uint32_t>(order.size()));
  scene.rim_order = order;
  scene.radius = {foot * wide, foot * tall};
  Path points;
  for (std::uint32_t i = 0; i < order.size(); ++i)
    points.push_back(scene.rim.on(i, (foot - Rim::inner) / (1 - Rim::inner)));
  const double size = 8 * unit * shrink_to_fit(points, 16 * unit, 16 * unit);
  for (std::size_t i = 0; i < order.size(); ++i)
    scene.ranks[order[i].value] = Box::around(points[i], size, size);
}

/// By how much boxes shrink so that a chunk between neighbours touches neither: as far as their
/// words allow.
double room_between(const Path& round, const Size& box, double unit) {
  const Size chip{50 * unit, 36 * unit};
  const double least = std::clamp(36 * unit / box.height, 0.7, 1.0);
  double share = 1;
  for (std::size_t i = 0; i < round.size(); ++i) {
    const Point d = round[(i + 1) % round.size()] - round[i];
    share = std::min(share, std::max((std::abs(d.x) - chip.width) / box.width,
                                     (std::abs(d.y) - chip.height) / box.height));
  }
  return std::max(share, least);
}

/// Some wire between two ranks carries something.
bool are_joined(const StagedRun& run) {
  const auto is_gpu = [&](DeviceId d) { return (*run.topology)[d].kind == sim::DeviceKind::gpu; };
  return std::ranges::any_of(run.route_links, [&](LinkId link) {
    return is_gpu((*run.topology)[link].from) && is_gpu((*run.topology)[link].to);
  });
}

void place_in_boxes(Scene& scene, const std::vector<Rank>& order, double unit, bool joined) {
  const auto [width, height] = rank_box(order.size());
  const Box& region = scene.region;
  Size box{std::min(width * unit, region.width / 5.5),
           std::min(height * unit, region.height / (joined ? 3.8 : 4.8))};
  const double tall = (region.height - box.height) / 2, wide = (region.width - box.width) / 2;
  const double stretch = order.size() <= 4 ? 1.5 : 1.75;
  // In a flat region longer: boxes beside each other need their width.
  scene.radius = {std::min(wide, std::max(stretch * tall, 0.42 * region.width)), tall};
  const Path points = points_around(region.centre(), scene.radius, order.size());
  const double shrink = std::min(shrink_to_fit(points, box.width, box.height),
                                 joined ? room_between(points, box, unit) : 1);
  for (std::size_t i = 0; i < order.size(); ++i)
    scene.ranks[order[i].value] = Box::around(points[i], box.width * shrink, box.height * shrink);
}

}  // namespace

void place_circle(Scene& scene, const StagedRun& run, double unit) {
  const auto order = ring_order(run);
  scene.ranks.resize(run.schedule->participants());
  if (order.size() > most_boxes)
    place_on_rim(scene, order, unit);
  else
    place_in_boxes(scene, order, unit, are_joined(run));
  for (std::uint32_t r = 0; r < run.ranks(); ++r)
    scene.devices[run.topology->ranks[r].value] = scene.ranks[r];
  Inside(scene, run, unit).place();
  for (std::uint32_t r = run.ranks(); r < run.schedule->participants(); ++r)
    scene.ranks[r] = scene.devices[run.topology->ranks[r].value];
}

}  // namespace ringside::stage::detail
