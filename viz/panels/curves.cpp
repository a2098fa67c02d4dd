// Right, bottom: what every algorithm takes, against size or against ranks; both axes logarithmic.

#include "viz/stage/curves.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "viz/panels/people.hpp"
#include "viz/panels/residuals.hpp"
#include "viz/panels/widgets.hpp"

namespace ringside::panels {
namespace {

using stage::Curve;
using stage::Word;
using Side = stage::Model::Side;

constexpr std::size_t most_named = 6, most_named_beside_log = 1;

struct Range {
  double from = 1e300, to = 0;
  void cover(double value) {
    from = std::min(from, value);
    to = std::max(to, value);
  }
  bool is_empty() const { return !(to > 0) || !(from < to); }
  double share(double value) const {
    return (std::log(value) - std::log(from)) / (std::log(to) - std::log(from));
  }
};

/// The log, if it is of the collective that the curves are of, and they are by size.
const stage::Measured* log_of(const stage::Model& model) {
  const auto* log = model.measured.get();
  const bool fits = log != nullptr && model.side != Side::ranks &&
                    name(log->collective) == model.scenario.collective.collective;
  return fits ? log : nullptr;
}

/// What its dots are held against: the prediction, or the line through them where there is none.
const Curve& expected(const stage::Measured& log) {
  return log.predicted.points.empty() ? log.fitted : log.predicted;
}

/// The curves of a log; none where there is no log.
std::vector<const Curve*> curves_of(const stage::Measured* log) {
  if (log == nullptr) return {};
  return {&log->out_of_place, &log->in_place, &expected(*log)};
}

class Chart {
 public:
  Chart(const Panel& panel, const stage::Curves& curves)
      : panel_(panel),
        look_(panel.look),
        side_(panel.model.side),
        all_(curves),
        curves_(side_ == Side::ranks ? curves.by_ranks : curves.by_size),
        list_(*ImGui::GetWindowDrawList()),
        log_(log_of(panel.model)) {
    const float u = look_.unit, line = measure(look_.small, "0").y;
    choose();
    float names = log_ == nullptr ? 0 : measure(look_.small, look_.say(Word::in_log_line)).x;
    for (const Curve* curve : named_)
      names = std::max(names, measure(look_.small, curve->algorithm.c_str()).x);
    names = names_ = std::min(names, panel.size().x * 0.4f);
    field_ = {{panel.min.x + 2 * u + measure(look_.small, "100 ms").x + u / 2,
               panel.min.y + 3 * u + line},
              {panel.max.x - 2 * u - names - u, panel.max.y - 2 * u - line}};
  }

  void draw() {
    if (x_.is_empty() || y_.is_empty() || field_.max.x - field_.min.x < 40 ||
        field_.max.y - field_.min.y < 30)
      return;
    axes();
    for (const Curve& curve : curves_)
      if (std::ranges::count(named_, &curve) == 0) plot(curve);
    for (const Curve* curve : named_) plot(*curve);
    measured();
    here();
    crossings();
    names();
    respond();
  }

 private:
  double value(const Curve::Point& point) const {
    return side_ == Side::busbw ? point.busbw.value_or(0)
                                : static_cast<double>(point.time.picoseconds);
  }
  bool is_better(double a, double b) const { return side_ == Side::busbw ? a > b : a < b; }
  bool is_current(const Curve& curve) const {
    return curve.algorithm == panel_.model.scenario.collective.algorithm;
  }
  ImVec2 place(const Curve::Point& point) const {
    return {
        field_.min.x + static_cast<float>(x_.share(point.x)) * (field_.max.x - field_.min.x),
        field_.max.y - static_cast<float>(y_.share(value(point))) * (field_.max.y - field_.min.y)};
  }
  bool is_of_log(const Curve& curve) const {
    return log_ != nullptr && std::ranges::count(curves_of(log_), &curve) > 0;
  }
  std::string name_of(const Curve& curve) const {
    if (log_ != nullptr && &curve == &log_->out_of_place) return look_.say(Word::in_log);
    if (log_ != nullptr && &curve == &log_->in_place) return look_.say(Word::in_log_in_place);
    if (log_ != nullptr && &curve == &log_->fitted) return look_.say(Word::in_log_line);
    return curve.algorithm;
  }
  ImU32 colour(const Curve& curve) const {
    if (is_of_log(curve)) return look_.colour.ink;
    const auto nth = std::ranges::find(named_, &curve) - named_.begin();
    if (nth == static_cast<std::ptrdiff_t>(named_.size()))
      return with_alpha(look_.colour.quiet, 0.3f);
    static constexpr std::uint32_t hues[] = {2, 1, 5, 0, 6, 4};
    return look_.colour.is_dark || hues[nth % 6] != 0 ? chunk_colour({hues[nth % 6]})
                                                      : look_.colour.warn;
  }
  std::string text_of(double value) const {
    return side_ == Side::busbw ? fmt::format("{:.3g} GB/s", value)
                                : people(Duration{std::llround(value)});
  }
  std::string x_text(double x) const {
    return side_ == Side::ranks ? fmt::format("{:.0f}", x)
                                : people(Bytes{static_cast<std::uint64_t>(x)});
  }

  void choose();
  void axes();
  void plot(const Curve& curve);
  void measured();
  void here();
  void dots(const Curve& curve, const std::vector<scenario::Residual>& residuals, bool is_filled);
  void crossings();
  void names();
  void respond();
  void tell(const Curve& curve, const Curve::Point& point);
  void replay(const Curve& curve, const Curve::Point& point);

  const Panel& panel_;
  const Look& look_;
  Side side_;
  const stage::Curves& all_;
  const std::vector<Curve>& curves_;
  ImDrawList& list_;
  const stage::Measured* log_;       ///< null: none of this collective
  std::vector<const Curve*> named_;  ///< the one that plays first, then those that win somewhere
  Corner field_;
  float names_ = 0;  // the widest
  Range x_, y_;
};

/// Which curves get a colour and a name, and what the axes have to cover.
void Chart::choose() {
  std::map<const Curve*, int> wins;
  for (const Curve& curve : curves_)
    for (const auto& point : curve.points) {
      if (value(point) <= 0) continue;
      x_.cover(point.x);
      y_.cover(value(point));
      bool best = true;
      for (const Curve& other : curves_)
        for (const auto& rival : other.points)
          best &= rival.x != point.x || value(rival) <= 0 || !is_better(value(rival), value(point));
      wins[&curve] += best ? 1 : 0;
    }
  for (const Curve* curve : curves_of(log_))
    for (const auto& point : curve->points)
      if (value(point) > 0) x_.cover(point.x), y_.cover(value(point));
  for (const Curve& curve : curves_)
    if (is_current(curve)) named_.push_back(&curve);
  std::vector<const Curve*> rest;
  for (const Curve& curve : curves_)
    if (!is_current(curve)) rest.push_back(&curve);
  std::ranges::stable_sort(rest, [&](const Curve* a, const Curve* b) { return wins[a] > wins[b]; });
  const float line = measure(look_.small, "0").y;
  const auto room = static_cast<std::size_t>((panel_.size().y - 5 * look_.unit - 2 * line) / line);
  const std::size_t most = std::min(log_ == nullptr ? most_named : most_named_beside_log, room);
  for (const Curve* curve : rest)
    if (named_.size() < most) named_.push_back(curve);
}

void Chart::axes() {
  const float line = measure(look_.small, "0").y;
  list_.AddLine({field_.min.x, field_.max.y}, field_.max, look_.colour.edge);
  const int low = static_cast<int>(std::ceil(std::log10(y_.from))),
            high = static_cast<int>(std::floor(std::log10(y_.to)));
  const int every = std::max(1, static_cast<int>(std::ceil((high - low + 1) * (line + 4) /
                                                           (field_.max.y - field_.min.y))));
  for (int decade = low; decade <= high; decade += every) {
    const double at = std::pow(10, decade);
    const float y = field_.max.y - static_cast<float>(y_.share(at)) * (field_.max.y - field_.min.y);
    list_.AddLine({field_.min.x, y}, {field_.max.x, y}, with_alpha(look_.colour.edge, 0.45f));
    // At the foot it keeps clear of the sizes below.
    write(list_, {field_.min.x - look_.unit / 2, std::min(y - line / 2, field_.max.y - line + 1)},
          {look_.small, look_.colour.quiet, 1}, text_of(at).c_str());
  }
  const double step = side_ == Side::ranks ? 2 : 1024;
  const int last = static_cast<int>(std::log(x_.to * 1.001 / x_.from) / std::log(step));
  float free = panel_.min.x;
  for (int i = 0; i <= last; ++i) {
    const double x = x_.from * std::pow(step, i);
    const float at = field_.min.x + static_cast<float>(x_.share(x)) * (field_.max.x - field_.min.x);
    const std::string text = x_text(x);
    const float half = measure(look_.small, text.c_str()).x / 2;
    if (at - half < free || at + half > panel_.max.x) continue;
    free = at + half + look_.unit;
    write(list_, {at, field_.max.y + 2}, {look_.small, look_.colour.quiet, 0.5f}, text.c_str());
  }
}

void Chart::plot(const Curve& curve) {
  std::vector<ImVec2> points;
  for (const auto& point : curve.points)
    if (value(point) > 0) points.push_back(place(point));
  list_.AddPolyline(points.data(), static_cast<int>(points.size()), colour(curve), 0,
                    (is_current(curve) ? 3.f : 1.75f) * look_.unit / 8);
}

/// The log: a dot a time, a circle where it was in place, and what there should have been.
void Chart::measured() {
  if (log_ == nullptr) return;
  std::vector<ImVec2> points;
  for (const auto& point : expected(*log_).points)
    if (value(point) > 0) points.push_back(place(point));
  list_.AddPolyline(points.data(), static_cast<int>(points.size()), look_.colour.ink, 0,
                    2.25f * look_.unit / 8);
  dots(log_->in_place, log_->residuals_in_place, false);
  dots(log_->out_of_place, log_->residuals, true);
  draw_log_legend(look_, legend_of(look_, *log_),
                  {{field_.min.x + look_.unit / 2, field_.min.y},
                   {field_.min.x + (field_.max.x - field_.min.x) * 0.7f, field_.max.y}});
}

void Chart::dots(const Curve& curve, const std::vector<scenario::Residual>& residuals,
                 bool is_filled) {
  const float radius = 3.5f * look_.unit / 8;
  for (std::size_t i = 0; i < curve.points.size(); ++i) {
    if (value(curve.points[i]) <= 0) continue;
    const ImU32 colour =
        i < residuals.size() ? badge_colour(look_, residuals[i].badge) : look_.colour.ink;
    if (is_filled)
      list_.AddCircleFilled(place(curve.points[i]), radius, colour);
    else
      list_.AddCircle(place(curve.points[i]), radius + 1, colour, 0, look_.unit / 6);
  }
}

/// The size, or the number of ranks, that plays now.
void Chart::here() {
  if (!panel_.model.run) return;
  const double x = side_ == Side::ranks
                       ? panel_.model.run->ranks()
                       : static_cast<double>(panel_.model.run->row.size.value_or(Bytes{1}).count);
  if (x < x_.from || x > x_.to) return;
  const float at = field_.min.x + static_cast<float>(x_.share(x)) * (field_.max.x - field_.min.x);
  draw_dashes(list_, {at, field_.min.y}, {at, field_.max.y}, {look_.colour.quiet, 1.5f});
}

void Chart::crossings() {
  if (side_ != Side::curves) return;
  for (const auto& crossing : all_.crossovers) {
    const float x =
        field_.min.x + static_cast<float>(x_.share(crossing.x)) * (field_.max.x - field_.min.x);
    list_.AddTriangleFilled({x - 4, field_.max.y + 1}, {x + 4, field_.max.y + 1},
                            {x, field_.max.y - 6}, look_.colour.ink);
  }
}

/// Each name at its curve's own end, moved apart where ends are close.
void Chart::names() {
  const float line = measure(look_.small, "0").y;
  std::vector<std::pair<float, const Curve*>> ends;
  auto all = named_;
  if (log_ != nullptr)
    for (const Curve* curve : {&expected(*log_), &log_->out_of_place}) all.push_back(curve);
  for (const Curve* curve : all)
    if (!curve->points.empty() && value(curve->points.back()) > 0)
      ends.emplace_back(place(curve->points.back()).y - line / 2, curve);
  std::ranges::sort(ends, {}, [](const auto& end) { return end.first; });
  float free = panel_.min.y + 2 * look_.unit + line;
  for (auto& [y, curve] : ends) free = (y = std::max(y, free)) + line - 1;
  float limit = field_.max.y - line;
  for (auto it = ends.rbegin(); it != ends.rend(); ++it)
    limit = (it->first = std::min(it->first, limit)) - line + 1;
  list_.PushClipRect(panel_.min, panel_.max, true);
  for (const auto& [y, curve] : ends)
    write(list_, {field_.max.x + look_.unit / 2 + 2, y},
          {look_.small, legible(colour(*curve), look_.colour.panel)},
          shortened(look_.small, names_, name_of(*curve)).c_str());
  list_.PopClipRect();
}

void Chart::respond() {
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  if (!ImGui::IsWindowHovered() || mouse.x < field_.min.x || mouse.x > field_.max.x ||
      mouse.y < field_.min.y)
    return;
  const Curve* nearest = nullptr;
  const Curve::Point* there = nullptr;
  float best = 24 * look_.unit / 8;
  auto all = curves_of(log_);
  for (const Curve& curve : curves_) all.push_back(&curve);
  for (const Curve* curve : all)
    for (const auto& point : curve->points) {
      if (value(point) <= 0) continue;
      const ImVec2 at = place(point);
      // What was measured comes before what was computed.
      const float apart =
          std::hypot(at.x - mouse.x, at.y - mouse.y) * (is_of_log(*curve) ? 0.4f : 1.f);
      if (apart < best) best = apart, nearest = curve, there = &point;
    }
  if (nearest == nullptr) return;
  list_.AddCircleFilled(place(*there), 4 * look_.unit / 8, look_.colour.focus);
  tell(*nearest, *there);
  if (side_ != Side::ranks && ImGui::IsMouseClicked(ImGuiMouseButton_Left))
    replay(*nearest, *there);
}

void Chart::tell(const Curve& curve, const Curve::Point& point) {
  auto tip = fmt::format(fmt::runtime(look_.say(Word::curve_tip)), name_of(curve), x_text(point.x),
                         text_of(value(point)));
  if (is_of_log(curve)) {
    const auto nth = static_cast<std::size_t>(&point - curve.points.data());
    const auto* residuals = &curve == &log_->out_of_place ? &log_->residuals
                            : &curve == &log_->in_place   ? &log_->residuals_in_place
                                                          : nullptr;
    if (residuals != nullptr && nth < residuals->size())
      tip += "\n" + badge_words(look_, (*residuals)[nth], log_->limits);
    tip += "\n" + log_->sentence;
  }
  if (side_ != Side::ranks)
    tip += "\n" + fmt::format(fmt::runtime(look_.say(Word::log_replay)), x_text(point.x));
  draw_tip(look_, tip);
}

/// That size from its beginning, by the curve's algorithm where it is of one.
void Chart::replay(const Curve& curve, const Curve::Point& point) {
  auto& actions = panel_.actions;
  if (!is_of_log(curve) && !is_current(curve))
    actions.push_back(stage::Edit{"algorithm", curve.algorithm});
  actions.push_back(stage::Edit{"bytes", fmt::format("{:.0f}", point.x)});
  actions.push_back(stage::Command::to_start);
  actions.push_back(stage::Command::play_pause);
}

/// That some are missing; under the mouse, which and why. `corner`: top right.
void tell_notes(const Panel& panel, const std::vector<std::string>& notes, ImVec2 corner) {
  if (notes.empty()) return;
  const Look& look = panel.look;
  const char* words = look.say(Word::some_left_out);
  const ImVec2 size =
      write(*ImGui::GetWindowDrawList(), corner, {look.small, look.colour.quiet, 1}, words);
  if (!ImGui::IsWindowHovered() ||
      !ImGui::IsMouseHoveringRect({corner.x - size.x, corner.y}, {corner.x, corner.y + size.y}))
    return;
  std::string all = look.say(Word::why_left_out);
  for (const std::string& note : notes) all += "\n" + note;
  draw_tip(look, all);
}

}  // namespace

void draw_curves(const Panel& panel) {
  begin_panel("curves", panel);
  const Look& look = panel.look;
  const Side side = panel.model.side;
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const ImVec2 at{panel.min.x + 2 * look.unit, panel.min.y + 1.5f * look.unit};
  const Word title = side == Side::busbw   ? Word::busbw_against_size
                     : side == Side::ranks ? Word::speed_against_ranks
                                           : Word::time_against_size;
  write(list, at, {look.small, look.colour.quiet}, look.say(title));
  const auto& curves = panel.model.curves;
  const ImVec2 corner{panel.max.x - 2 * look.unit, at.y};
  if (!curves || !curves->is_complete)
    write(list, corner, {look.small, look.colour.quiet, 1}, look.say(Word::being_computed));
  else
    tell_notes(panel, side == Side::ranks ? curves->rank_notes : curves->notes, corner);
  if (curves && side == Side::ranks && curves->is_complete && curves->by_ranks.empty())
    write(list, {at.x, at.y + 4 * look.unit}, {look.small, look.colour.quiet},
          look.say(Word::no_rank_curves));
  if (curves) Chart(panel, *curves).draw();
  end_panel();
}

}  // namespace ringside::panels
