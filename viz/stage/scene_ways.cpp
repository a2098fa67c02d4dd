// The ways that transfers take: along their wires, each in a lane of its own.

#include <algorithm>
#include <cmath>
#include <map>

#include "viz/stage/scene.hpp"

namespace ringside::stage::detail {
namespace {

/// One way along a wire.
struct Track {
  std::uint32_t wire = 0;
  int direction = 0;  ///< as in Wire::links
  friend auto operator<=>(const Track&, const Track&) = default;
};

/// They are on their way together, not one after the other.
bool meet(const Span& a, const Span& b) {
  constexpr std::int64_t brief = 4;  // a share of the shorter one's time that is no meeting
  const auto together = std::min(a.arrival, b.arrival) - std::max(a.begin, b.begin);
  const auto shorter = std::min(a.arrival - a.begin, b.arrival - b.begin);
  return together.picoseconds > shorter.picoseconds / brief;
}

/// Which lane of a track every transfer takes: those that meet take different ones.
class Lanes {
 public:
  Lanes(const Scene& scene, const StagedRun& run) : scene_(scene), run_(run) {
    lane_.resize(run.route_links.size());
    std::vector<TransferId> by_begin;
    for (TransferId id{0}; id.value < run.spans.size(); ++id.value) by_begin.push_back(id);
    std::ranges::stable_sort(by_begin, {},
                             [&](TransferId id) { return run.spans[id.value].begin; });
    for (const TransferId id : by_begin)
      for (std::size_t leg = 0; leg < run.route(id).size(); ++leg) {
        const auto track = track_of(run.route(id)[leg]);
        if (!track) continue;
        used_.try_emplace(*track);
        if (scene.chip_size == ChipSize::full || scene.chip_size == ChipSize::label)
          assign(id, leg, used_[*track]);
      }
  }

  std::optional<Track> track_of(LinkId link) const {
    const auto nth = scene_.wire_of[link.value];
    if (nth == UINT32_MAX) return {};
    const bool there = (*run_.topology)[link].from == scene_.wires[nth].from;
    return Track{nth, there ? 0 : 1};
  }
  std::uint32_t lane(TransferId id, std::size_t leg) const {
    return lane_[run_.route_begin[id.value] + leg];
  }
  /// In halves of a chip to the right: on both sides of the wire, but where others come the other
  /// way all to the right.
  double aside(const Track& track, std::uint32_t lane) const {
    if (used_.contains({track.wire, 1 - track.direction})) return 2.0 * lane + 1;
    return lane % 2 == 0 ? -double(lane) : double(lane) + 1;
  }

 private:
  struct Rider {
    TransferId id;
    std::uint32_t lane;
  };
  void assign(TransferId id, std::size_t leg, std::vector<Rider>& riders) {
    constexpr std::uint32_t most = 7;
    const Span& span = run_.spans[id.value];
    std::erase_if(riders,
                  [&](const Rider& r) { return run_.spans[r.id.value].arrival <= span.begin; });
    std::uint32_t lane = 0;
    const auto taken = [&](const Rider& r) {
      return r.lane == lane && meet(run_.spans[r.id.value], span);
    };
    while (lane + 1 < most && std::ranges::any_of(riders, taken)) ++lane;
    riders.push_back({id, lane});
    lane_[run_.route_begin[id.value] + leg] = lane;
  }

  const Scene& scene_;
  const StagedRun& run_;
  std::vector<std::uint32_t> lane_;  // as route_links
  std::map<Track, std::vector<Rider>> used_;
};

/// Straight lines in pieces, so that they can bend.
Path in_pieces(const Path& path) {
  constexpr int pieces = 12;
  if (path.size() != 2) return path;
  Path fine;
  for (int i = 0; i <= pieces; ++i) fine.push_back(mix(path[0], path[1], double(i) / pieces));
  return fine;
}

/// The wires of a transfer's route, end to end, by way of the devices between them.
class Ways {
 public:
  Ways(const Scene& scene, const StagedRun& run, const Lanes& lanes)
      : scene_(scene), run_(run), topology_(*run.topology), lanes_(lanes) {}

  Path of(TransferId id) const {
    const Transfer& t = (*run_.schedule)[id];
    const Box &from = scene_.ranks[t.src().rank.value], &to = scene_.ranks[t.dst().rank.value];
    const auto route = run_.route(id);
    if (!scene_.is_machine && is_forwarded(route)) return around_inside(id);
    Path path;
    for (std::size_t leg = 0; leg < route.size(); ++leg) {
      const auto track = lanes_.track_of(route[leg]);
      if (!track) continue;
      const Scene::Wire& wire = scene_.wires[track->wire];
      Path piece = in_pieces(track->direction == 0 ? wire.path : reversed(wire.path));
      const Path lane = beside(piece, 0.5 * lanes_.aside(*track, lanes_.lane(id, leg)) * room());
      for (std::size_t i = 0; i < piece.size(); ++i) {
        const double u = double(i) / double(piece.size() - 1);
        piece[i] = mix(piece[i], lane[i],
                       ramp(leg == 0 ? u : 1) * ramp(leg + 1 == route.size() ? 1 - u : 1));
      }
      if (!path.empty()) join(path, topology_[route[leg]].from, piece.front());
      path.insert(path.end(), piece.begin(), piece.end());
    }
    if (path.empty()) path = outside({from.centre(), to.centre()}, from, to);
    if (is_agent(t.src().rank)) path.insert(path.begin(), inside(from, path.front()));
    if (is_agent(t.dst().rank)) path.push_back(inside(to, path.back()));
    if (path.size() == 1) path.push_back(path.front());
    return kept_inside(rounded(path, 10));
  }

 private:
  Point room() const { return scene_.chip + Point{2, 2}; }
  /// Out of a box by its middle, then into the lane.
  static double ramp(double u) {
    constexpr double length = 0.3;
    const double v = std::min(1.0, u / length);
    return v * v * (3 - 2 * v);
  }
  Path kept_inside(Path path) const {
    const Box& r = scene_.region;
    const Point half{std::min(scene_.chip.x, r.width) / 2, std::min(scene_.chip.y, r.height) / 2};
    for (Point& p : path)
      p = {std::clamp(p.x, r.x + half.x, r.right() - half.x),
           std::clamp(p.y, r.y + half.y, r.bottom() - half.y)};
    return path;
  }
  bool is_agent(Rank rank) const { return rank.value >= run_.ranks(); }
  static Point inside(const Box& box, Point border) { return mix(border, box.centre(), 0.5); }
  /// Through a round switch in a curve, through all others by their middle.
  void join(Path& path, DeviceId device, Point next) const {
    const Box& box = scene_.devices[device.value];
    if (scene_.plate == device) {
      const Path through =
          curve(path.back(), mix(mix(path.back(), next, 0.5), box.centre(), 0.3), next);
      path.insert(path.end(), through.begin() + 1, through.end() - 1);
    } else if (topology_[device].kind == sim::DeviceKind::gpu) {
      path.push_back(past(box));
    } else if (!box.is_empty()) {
      const bool is_bar = box.width >= 3 * box.height;
      if (!is_bar) return path.push_back(box.centre());
      path.push_back({path.back().x, box.centre().y});
      path.push_back({next.x, box.centre().y});
    }
  }
  /// From rank to rank by way of other ranks.
  bool is_forwarded(std::span<const LinkId> route) const {
    return route.size() > 1 && std::ranges::all_of(route, [&](LinkId link) {
             return topology_[topology_[link].to].kind == sim::DeviceKind::gpu;
           });
  }
  /// On a circle those who pass other ranks do so further inside: who goes round to the right near
  /// the ranks, who comes the other way beyond.
  Path around_inside(TransferId id) const {
    Path round;
    std::uint32_t lane = 0;
    const auto route = run_.route(id);
    for (std::size_t leg = 0; leg < route.size(); ++leg) {
      const auto track = lanes_.track_of(route[leg]);
      if (!track) continue;
      lane = std::max(lane, lanes_.lane(id, leg));
      const Path& wire = scene_.wires[track->wire].path;
      const Path piece = in_pieces(track->direction == 0 ? wire : reversed(wire));
      round.insert(round.end(), piece.begin(), piece.end());
    }
    const Point centre = scene_.region.centre(), out = round.front() - centre,
                on = round[1] - round.front();
    const bool clockwise = out.x * on.y - out.y * on.x > 0;
    const Box& box = scene_.ranks.front();
    const double track = 2.0 * lane + (clockwise ? 0 : 1);
    const double depth = std::hypot(box.width, box.height) / 2 + (0.6 + track) * room().x * 0.85;
    const Way way(round);
    constexpr int pieces = 48;
    Path path;
    for (int i = 0; i <= pieces; ++i) {
      const double u = double(i) / pieces, legs = static_cast<double>(route.size());
      const Point p = way.at(u), inwards = centre - p;
      const double away = ramp(0.5 * legs * u) * ramp(0.5 * legs * (1 - u));
      path.push_back(p + std::min(0.8, away * depth / std::max(1.0, length(inwards))) * inwards);
    }
    return kept_inside(path);
  }
  /// Ranks cover what comes near, and others' chunks are not for them.
  Point past(const Box& box) const { return {box.centre().x, box.bottom() + scene_.chip.y + 14}; }

  const Scene& scene_;
  const StagedRun& run_;
  const sim::Topology& topology_;
  const Lanes& lanes_;
};

}  // namespace

void find_ways(Scene& scene, const StagedRun& run) {
  using Key = std::vector<std::uint32_t>;
  std::map<Key, std::uint32_t> known;
  const Lanes lanes(scene, run);
  const Ways ways(scene, run, lanes);
  const auto transfers = run.schedule->transfers();
  scene.ways.clear();
  scene.way_of.assign(transfers.size(), UINT32_MAX);
  for (TransferId id{0}; id.value < transfers.size(); ++id.value) {
    const Transfer& t = transfers[id.value];
    if (t.is_local()) continue;
    Key key{t.src().rank.value, t.dst().rank.value};
    for (std::size_t leg = 0; leg < run.route(id).size(); ++leg) {
      key.push_back(run.route(id)[leg].value);
      key.push_back(lanes.lane(id, leg));
    }
    const auto [way, is_new] =
        known.try_emplace(std::move(key), static_cast<std::uint32_t>(scene.ways.size()));
    scene.way_of[id.value] = way->second;
    if (is_new) scene.ways.emplace_back(ways.of(id));
  }
}

}  // namespace ringside::stage::detail
