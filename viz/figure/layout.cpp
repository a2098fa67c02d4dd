#include "viz/figure/layout.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace ringside::figure {
namespace {

constexpr double margin = 24, title_height = 60, panel_width = 332;
constexpr double pi = std::numbers::pi;
constexpr double sideways = 36;  // of the way there from the way back, at their control points

struct Size {
  double width, height;
};
Size rank_box(std::uint32_t ranks) {
  if (ranks <= 4) return {132, 88};
  if (ranks <= 8) return {108, 72};
  if (ranks <= 12) return {84, 60};
  if (ranks <= 16) return {66, 52};
  if (ranks <= 32) return {38, 30};
  return {18, 18};
}

/// Of a chip whose label is `words` wide.
Size chip_size(ChipSize size, double words) {
  switch (size) {
    case ChipSize::full:
      return {std::max(42.0, words + 8), 33};
    case ChipSize::label:
      return {std::max(32.0, words + 8), 20};
    case ChipSize::dot:
      return {12, 12};
    default:
      return {7, 7};
  }
}

}  // namespace

Frame::Frame(std::uint32_t participants) {
  row = std::min(24.0, 192.0 / participants);
  constexpr double names = 72, header = 46, footer = 26;
  const double rows = row * participants;
  field = {margin + names, height - rows - footer, width - 2 * margin - names, rows};
  timeline = {margin, field.y - header, width - 2 * margin, header + rows};
  panel = {width - margin - panel_width, title_height + 12, panel_width,
           timeline.y - title_height - 28};
  stage = {margin, panel.y, panel.x - 2 * margin, panel.height};
}

Point Way::at(double u) const {
  return mix(mix(from, control, u), mix(control, to, u), u);
}

Way Way::between(double u0, double u1) const {
  return {at(u0), mix(mix(from, control, u0), mix(control, to, u0), u1), at(u1)};
}

Circle::Circle(const Box& region, const Crowd& crowd)
    : centre_(region.centre()), ranks_(static_cast<std::uint32_t>(crowd.order.size())) {
  const auto box = rank_box(ranks_);
  const double tall = (region.height - box.height) / 2, wide = (region.width - box.width) / 2;
  const double stretch = ranks_ <= 4 ? 1.7 : ranks_ <= 8 ? 2.2 : 2.6;
  radius_ = {std::min(wide, stretch * tall), tall};
  seat_ranks(crowd.order);
  seat_agents(crowd.agents);
}

Point Circle::on_ellipse(double angle) const {
  return centre_ + Point{radius_.x * std::cos(angle), radius_.y * std::sin(angle)};
}

/// Equal distances along the ellipse, not equal angles: no crowd at its ends.
void Circle::seat_ranks(const std::vector<Rank>& order) {
  constexpr int pieces = 4096;
  const double start = ranks_ == 2 ? -pi : -pi / 2;
  std::vector<double> walked(pieces + 1, 0);
  const auto angle = [&](double piece) { return start + 2 * pi * piece / pieces; };
  for (int i = 0; i < pieces; ++i)
    walked[i + 1] = walked[i] + length(on_ellipse(angle(i + 1)) - on_ellipse(angle(i)));
  seats_.resize(ranks_);
  boxes_.resize(ranks_);
  const auto box = rank_box(ranks_);
  for (std::uint32_t place = 0; place < ranks_; ++place) {
    const double goal = walked.back() * place / ranks_;
    const auto piece = std::lower_bound(walked.begin(), walked.end(), goal - 1e-6);
    const Rank rank = order[place];
    seats_[rank.value] = {angle(static_cast<double>(piece - walked.begin())), place};
    const Point at = ranks_ == 1 ? centre_ : on_ellipse(seats_[rank.value].angle);
    boxes_[rank.value] = Box::around(at, box.width, box.height);
  }
}

void Circle::seat_agents(std::uint32_t agents) {
  const double room = 2 * radius_.x - 160;
  const double step = std::min(120.0, room / std::max(1u, agents));
  for (std::uint32_t i = 0; i < agents; ++i) {
    const double x = centre_.x + (i - (agents - 1) / 2.0) * step;
    boxes_.push_back(Box::around({x, centre_.y}, step * 0.8, 60));
  }
}

bool Circle::are_neighbours(Rank a, Rank b) const {
  if (a.value >= ranks_ || b.value >= ranks_) return false;
  const auto apart = (seats_[b.value].place + ranks_ - seats_[a.value].place) % ranks_;
  return apart == 1 || apart == ranks_ - 1;
}

/// How far towards the middle a chord must bend, so that no chunk on it, there or back, covers a
/// box that is not at its ends.
double Circle::bend(Rank from, Rank to) const {
  const Point a = box(from).centre(), b = box(to).centre();
  const auto chip = chip_size(ChipSize::label, 0);
  const auto is_clear = [&](const Way& way) {
    for (std::uint32_t r = 0; r < ranks_; ++r)
      for (int i = 1; i < 20 && r != from.value && r != to.value; ++i)
        if (Box::around(way.at(i / 20.0), chip.width, chip.height).overlaps(boxes_[r]))
          return false;
    return true;
  };
  constexpr double bends[] = {0.3, 0.6, 0.9, 1.2, 1.5};
  for (const double bend : bends) {
    const Point control = mix(mix(a, b, 0.5), centre_, bend), aside = -sideways * right_of(b - a);
    if (is_clear({a, control + aside, b}) && is_clear({a, control - aside, b})) return bend;
  }
  return bends[0];
}

Way Circle::way(Rank from, Rank to) const {
  const Point a = box(from).centre(), b = box(to).centre(), middle = mix(a, b, 0.5);
  const Point left = -1 * right_of(b - a);
  if (!are_neighbours(from, to)) {
    const bool chord = from.value < ranks_ && to.value < ranks_;
    return {a, mix(middle, centre_, chord ? bend(from, to) : 0) + sideways * left, b};
  }
  // Clockwise along the circle, anticlockwise mirrored at the chord.
  const bool clockwise = (seats_[from.value].place + 1) % ranks_ == seats_[to.value].place;
  const double begin = seats_[(clockwise ? from : to).value].angle;
  double end = seats_[(clockwise ? to : from).value].angle;
  if (end < begin) end += 2 * pi;
  const double bulge = length(on_ellipse((begin + end) / 2) - middle);
  return {a, middle + 2 * std::max(bulge, std::min(11.0, 0.12 * length(b - a))) * left, b};
}

namespace {

Way clear_of_boxes(const Way& way, const Box& from, const Box& to, Size chip) {
  constexpr int pieces = 200;
  const auto covers = [&](const Box& box, int i) {
    return Box::around(way.at(double(i) / pieces), chip.width, chip.height).overlaps(box.grown(2));
  };
  int first = 0, last = pieces;
  while (first < pieces && covers(from, first)) ++first;
  while (last > 0 && covers(to, last)) --last;
  if (first > last) first = last = (first + last) / 2;
  return way.between(double(first) / pieces, double(last) / pieces);
}

bool any_overlap(const std::vector<Box>& chips, const std::vector<Box>& boxes) {
  for (std::size_t i = 0; i < chips.size(); ++i) {
    for (std::size_t j = i + 1; j < chips.size(); ++j)
      if (chips[i].overlaps(chips[j])) return true;
    for (const Box& box : boxes)
      if (chips[i].overlaps(box)) return true;
  }
  return false;
}

}  // namespace

Chips place_chips(const Circle& circle, const std::vector<Traveller>& travellers) {
  Chips chips;
  for (const ChipSize size : {ChipSize::full, ChipSize::label, ChipSize::dot, ChipSize::speck}) {
    chips = {.size = size, .boxes = {}, .ways = {}};
    for (const Traveller& t : travellers) {
      const Way whole = circle.way(t.from, t.to);
      const auto chip = chip_size(size, t.words);
      const Way free = clear_of_boxes(whole, circle.box(t.from), circle.box(t.to), chip);
      chips.boxes.push_back(Box::around(free.at(t.progress), chip.width, chip.height));
      chips.ways.push_back(clear_of_boxes(whole, circle.box(t.from), circle.box(t.to), {3, 3}));
    }
    if (!any_overlap(chips.boxes, circle.boxes())) break;
  }
  return chips;
}

}  // namespace ringside::figure
