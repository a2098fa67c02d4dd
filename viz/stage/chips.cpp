#include "viz/stage/chips.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

namespace ringside::stage {
namespace {

constexpr std::size_t most_apart = 40;  // chips on their way: more are not kept apart

/// How far apart two chips are, 1 where they touch: between a circle's measure, which is smooth,
/// and a box's.
double apart(Point d, Point size) {
  const double x = d.x / size.x, y = d.y / size.y;
  return std::sqrt(std::sqrt(x * x * x * x + y * y * y * y));
}

/// At the ends of its way a chip is under a rank's box, where it needs no room: 0 there, 1 from a
/// little further on.
double presence(const Chip& chip) {
  constexpr double hidden = 0.02, free = 0.16;
  const double u =
      std::clamp((std::min(chip.progress, 1 - chip.progress) - hidden) / (free - hidden), 0.0, 1.0);
  return eased(u);
}

/// Chips give way to each other: from moment to moment those that would cover others are pushed
/// off them, never far at once, and come back when they can. Told from the beginning, once.
class Crowd {
 public:
  Crowd(Scene& scene, const StagedRun& run) : scene_(scene), run_(run) {}

  void settle() {
    constexpr std::int64_t a_step = 48, least = 240, most = 1600;
    const std::int64_t moments = std::clamp(a_step * run_.schedule->steps(), least, most);
    scene_.nudges.assign(run_.spans.size(), {});
    scene_.nudge_pitch = {std::max<std::int64_t>(1, run_.time().picoseconds / moments)};
    for (std::int64_t k = 0; k <= moments; ++k) {
      chips_ = chips_on_their_ways(run_, scene_, k * scene_.nudge_pitch);
      if (chips_.size() <= most_apart) settle(static_cast<std::uint32_t>(k));
    }
  }

 private:
  void settle(std::uint32_t moment) {
    constexpr int rounds = 12;
    constexpr double calm = 0.85;  // of what it was pushed, a chip keeps
    sides_.clear();
    presence_.clear();
    std::vector<Point> before;
    for (Chip& chip : chips_) {
      const Scene::Nudge& known = scene_.nudges[chip.id.value];
      before.push_back(known.by.empty() ? Point{} : known.by.back());
      chip.at = chip.at + calm * before.back();
      const Way& way = scene_.ways[scene_.way_of[chip.id.value]];
      const Point side = right_of(way.heading(chip.progress));
      sides_.push_back(side == Point{} ? Point{0, 1} : side);
      presence_.push_back(presence(chip));
    }
    for (int round = 0; round < rounds && push(); ++round) {
    }
    for (std::size_t i = 0; i < chips_.size(); ++i) keep(moment, i, before[i]);
  }

  bool push() {
    bool moved = false;
    for (std::size_t i = 0; i < chips_.size(); ++i)
      for (std::size_t k = 0; k < i; ++k) {
        const Point d = chips_[i].at - chips_[k].at;
        const double lack = 1.25 * presence_[i] * presence_[k] - apart(d, scene_.chip);
        if (lack <= 0) continue;
        const double l = length(d);
        const Point u = l < 0.5 ? sides_[i] : (1 / l) * d;
        const Point by = 0.3 * lack / apart(u, scene_.chip) * u;
        move(i, by);
        move(k, -1.0 * by);
        moved = true;
      }
    return moved;
  }
  /// Aside rather than forth and back.
  void move(std::size_t i, Point by) {
    const double across = by.x * sides_[i].x + by.y * sides_[i].y;
    const Point aside = across * sides_[i];
    chips_[i].at = kept_inside(chips_[i].at + aside + 0.4 * (by - aside));
  }
  Point kept_inside(Point p) const {
    const Box& r = scene_.region;
    const Point half{std::min(scene_.chip.x, r.width) / 2, std::min(scene_.chip.y, r.height) / 2};
    return {std::clamp(p.x, r.x + half.x, r.right() - half.x),
            std::clamp(p.y, r.y + half.y, r.bottom() - half.y)};
  }
  void keep(std::uint32_t moment, std::size_t i, Point before) {
    const Chip& chip = chips_[i];
    Scene::Nudge& nudge = scene_.nudges[chip.id.value];
    Point change = chip.at - scene_.at(chip.id, chip.progress) - before;
    const double most = 0.16 * scene_.chip.x, l = length(change);
    if (l > most) change = most / l * change;
    if (nudge.by.empty()) nudge.first = moment;
    nudge.by.resize(moment - nudge.first + 1, before);
    nudge.by.back() = before + change;
  }

  Scene& scene_;
  const StagedRun& run_;
  std::vector<Chip> chips_;
  std::vector<Point> sides_;
  std::vector<double> presence_;
};

/// What a chip is pushed aside by now, between two moments that are known.
Point nudge_at(const Scene& scene, TransferId id, TimePoint now) {
  const Scene::Nudge& nudge = scene.nudges[id.value];
  if (nudge.by.empty()) return {};
  const double at =
      double(now.picoseconds) / double(scene.nudge_pitch.picoseconds) - double(nudge.first);
  const double last = static_cast<double>(nudge.by.size()) - 1;
  const double from = std::clamp(std::floor(at), 0.0, last), to = std::min(from + 1, last);
  return mix(nudge.by[static_cast<std::size_t>(from)], nudge.by[static_cast<std::size_t>(to)],
             std::clamp(at - from, 0.0, 1.0));
}

/// Characters of the longest label, `c7` or `c12–15`.
std::size_t longest_label(const StagedRun& run) {
  std::uint32_t most = 1;
  for (const Transfer& t : run.schedule->transfers()) most = std::max(most, t.chunks());
  const std::size_t digits = std::to_string(std::max(1u, run.schedule->chunks()) - 1).size();
  return 1 + (most == 1 ? digits : 2 * digits + 1);
}

Point extent(ChipSize size, std::size_t characters, double unit) {
  constexpr double least_width = 42, character = 8.6, padding = 14, line = 20, ticks = 10;
  const double width = std::max(least_width, character * double(characters) + padding);
  switch (size) {
    case ChipSize::full:
      return unit * Point{width, line + ticks};
    case ChipSize::label:
      return unit * Point{width, line};
    case ChipSize::dot:
      return unit * Point{11, 11};
    case ChipSize::speck:
      break;
  }
  return unit * Point{6, 6};
}

/// Some chip is covered by another that it does not just pass.
bool is_crowded(const std::vector<Chip>& chips, Point size) {
  constexpr double bearable = 0.12;
  for (std::size_t a = 0; a < chips.size(); ++a)
    for (std::size_t b = 0; b < a; ++b) {
      if (presence(chips[a]) < 1 || presence(chips[b]) < 1) continue;
      const Point d = chips[a].at - chips[b].at;
      const double x = 1 - std::abs(d.x) / size.x, y = 1 - std::abs(d.y) / size.y;
      if (x > 0 && y > 0 && x * y > bearable) return true;
    }
  return false;
}

/// All through the run, but for few moments: in a switch, some cross.
bool has_clear_chips(const Scene& scene, const StagedRun& run) {
  constexpr int moments = 101, crowded_at_most = 5;
  int crowded = 0;
  for (int i = 0; i < moments; ++i) {
    const auto chips = chips_at(run, scene, {run.time().picoseconds / moments * i});
    if (chips.size() > most_apart) return false;
    crowded += is_crowded(chips, scene.chip) ? 1 : 0;
  }
  return crowded <= crowded_at_most;
}

/// Beside ranks' boxes chips do not look large.
bool suits_ranks(const Scene& scene, Point chip) {
  return std::ranges::all_of(scene.ranks, [&](const Box& rank) {
    return rank.width > 0.75 * chip.x && rank.height > 0.8 * chip.y;
  });
}

/// Most ways are longer than a chip: else it would never be seen as a whole.
bool has_long_ways(const Scene& scene) {
  const auto is_long = [&](const Way& way) {
    const Path& path = way.path();
    return apart(path.back() - path.front(), scene.chip) > 1 ||
           apart(way.at(0.5) - path.front(), scene.chip) > 1;
  };
  return 4 * std::ranges::count_if(scene.ways, is_long) >= 3 * std::ssize(scene.ways);
}

/// The way without the ends at which a chip would be under a rank's box, so that its number can be
/// read from the first moment to the last. Some of a short way stays, to be seen moving.
Way clear_of(const Way& way, const Box& from, const Box& to, Point chip) {
  constexpr int pieces = 96;
  constexpr double most = 0.4, a_little = 1. / 480;
  const auto is_under = [&](double u, const Box& box) {
    return Box::around(way.at(u), chip.x, chip.y).overlaps(box);
  };
  double begin = 0, end = 1;
  while (begin < most && is_under(begin, from)) begin += a_little;
  while (end > 1 - most && is_under(end, to)) end -= a_little;
  Path rest;
  for (int i = 0; i <= pieces; ++i)
    rest.push_back(way.at(begin + (end - begin) * double(i) / pieces));
  return Way(std::move(rest));
}

/// All but those that come together with many others, under whose box they would lie on a heap.
void keep_clear_of_ranks(Scene& scene, const StagedRun& run) {
  constexpr std::size_t most = 3;
  std::map<Rank, std::set<std::uint32_t>> leaving, reaching;
  const auto each = [&](const auto& visit) {
    for (TransferId id{0}; id.value < run.spans.size(); ++id.value)
      if (const auto way = scene.way_of[id.value]; way != UINT32_MAX)
        visit(way, (*run.schedule)[id].src().rank, (*run.schedule)[id].dst().rank);
  };
  each([&](std::uint32_t way, Rank src, Rank dst) {
    leaving[src].insert(way);
    reaching[dst].insert(way);
  });
  std::vector<bool> is_done(scene.ways.size());
  each([&](std::uint32_t nth, Rank src, Rank dst) {
    if (is_done[nth]) return;
    is_done[nth] = true;
    const auto box = [&](Rank rank, const auto& ways) {
      const bool is_free = rank.value < run.ranks() && ways.at(rank).size() <= most;
      return is_free ? scene.ranks[rank.value] : Box{};
    };
    scene.ways[nth] = clear_of(scene.ways[nth], box(src, leaving), box(dst, reaching), scene.chip);
  });
}

}  // namespace

std::vector<Chip> chips_on_their_ways(const StagedRun& run, const Scene& scene, TimePoint now) {
  std::vector<Chip> chips;
  for (const UnderWay& flight : run.timeline->under_way(now)) {
    const double progress = eased(flight.progress);
    chips.push_back({flight.id, scene.at(flight.id, progress), progress});
  }
  return chips;
}

std::vector<Chip> chips_at(const StagedRun& run, const Scene& scene, TimePoint now) {
  auto chips = chips_on_their_ways(run, scene, now);
  if (scene.nudges.empty()) return chips;
  for (Chip& chip : chips) chip.at = chip.at + nudge_at(scene, chip.id, now);
  return chips;
}

void size_chips(Scene& scene, const StagedRun& run, double unit) {
  constexpr std::uint32_t most_named = 20, most_ticks = 12, most_dots = 96;
  const std::size_t characters = longest_label(run);
  const auto try_size = [&](ChipSize size) {
    scene.chip_size = size;
    scene.chip = extent(size, characters, unit);
    detail::find_ways(scene, run);
  };
  for (const ChipSize size : {ChipSize::full, ChipSize::label}) {
    if (run.ranks() > (size == ChipSize::full ? most_ticks : most_named)) continue;
    if (!suits_ranks(scene, extent(size, characters, unit))) continue;
    for (const bool ends_are_clear : {true, false}) {
      try_size(size);
      if (!has_long_ways(scene)) break;
      if (ends_are_clear) keep_clear_of_ranks(scene, run);
      Crowd(scene, run).settle();
      if (has_clear_chips(scene, run)) return;
    }
  }
  std::size_t crowd = 0;
  for (Step step{0}; step.value < run.schedule->steps(); ++step.value)
    crowd = std::max<std::size_t>(
        crowd, run.schedule->step_end(step).value - run.schedule->step_begin(step).value);
  scene.nudges.clear();
  const bool few = crowd <= 128 && run.ranks() <= most_dots;
  try_size(few ? ChipSize::dot : ChipSize::speck);
  if (few && scene.rim.is_empty()) keep_clear_of_ranks(scene, run);
}

}  // namespace ringside::stage
