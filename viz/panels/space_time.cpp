// Ranks as rows, time across, transfers as bars.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>

#include "viz/panels/people.hpp"
#include "viz/panels/phrases.hpp"
#include "viz/panels/space_time_picture.hpp"

namespace ringside::panels {
namespace {

using stage::TimeAxis;
using stage::Word;

constexpr std::size_t most_ghosts = 2000;  // outlines that can be told apart
constexpr float dimmed = 0.5f;             // what has not begun

class Diagram {
 public:
  Diagram(const Panel& panel, const stage::StagedRun& run)
      : panel_(panel),
        look_(panel.look),
        model_(panel.model),
        run_(run),
        bars_(space_time_of(run)),
        list_(*ImGui::GetWindowDrawList()) {
    const float names = measure(look_.small, name(run.schedule->participants() - 1).c_str()).x;
    const float ruler = measure(look_.small, "0").y + 1.25f * look_.unit;
    const float u = look_.unit;
    field_ = {{panel.min.x + 3 * u + names, panel.min.y + ruler},
              {panel.max.x - 2 * u, panel.max.y - u}};
    axis_ = {shown_window(model_), field_.min.x, field_.max.x};
    row_ = (field_.max.y - field_.min.y) / static_cast<float>(std::max(1u, bars_.rows()));
  }

  void draw() {
    rows();
    // Before a question is answered its answer must not stand here.
    const bool hides = stage::hides_future(model_);
    if (hides) list_.PushClipRect({panel_.min.x, panel_.min.y}, {now_x(), panel_.max.y}, true);
    ruler();
    picture();
    labels();
    if (hides) list_.PopClipRect();
    marks();
    respond();
  }

 private:
  std::string name(std::uint32_t row) const {
    if (row < run_.ranks()) return rank_name(look_, run_, {row});
    return fmt::format(fmt::runtime(look_.say(Word::agent_row)), row - run_.ranks());
  }
  float now_x() const { return static_cast<float>(axis_.x(model_.playback.now)); }
  float y(std::uint32_t row) const { return field_.min.y + static_cast<float>(row) * row_; }
  Corner corner(const stage::Bar& bar, TimePoint end) const {
    const float gap = row_ >= 6 ? 1.f : 0.f;
    const float lane = (row_ - 2 * gap) / static_cast<float>(bars_.lanes());
    const float top = y(bar.row) + gap + static_cast<float>(bar.lane) * lane;
    return {{static_cast<float>(axis_.x(bar.begin)), top},
            {static_cast<float>(axis_.x(end)), top + lane}};
  }

  void ruler();
  void rows();
  void picture();
  void labels();
  void label(const Corner& box, ChunkId chunk);
  void marks();
  void ghost();
  void highlight(TransferId id, ImU32 colour, float width);
  void respond();
  std::optional<TransferId> under(ImVec2 mouse) const;
  void tip(TransferId id);

  const Panel& panel_;
  const Look& look_;
  const stage::Model& model_;
  const stage::StagedRun& run_;
  const stage::SpaceTime& bars_;
  ImDrawList& list_;
  Corner field_;
  TimeAxis axis_;
  float row_ = 0;
};

void Diagram::ruler() {
  const float height = measure(look_.small, "0").y;
  for (const TimePoint t : stage::round_moments(axis_, 110 * look_.unit / 8)) {
    const auto x = static_cast<float>(axis_.x(t));
    list_.AddLine({x, field_.min.y - 3}, {x, field_.max.y}, with_alpha(look_.colour.edge, 0.5f));
    const std::string text = people(t);
    const float half = measure(look_.small, text.c_str()).x / 2;
    if (x - half < panel_.min.x || x + half > panel_.max.x) continue;
    write(list_, {x, field_.min.y - height - look_.unit}, {look_.small, look_.colour.quiet, 0.5f},
          text.c_str());
  }
}

/// Names of as many rows as there is room for.
void Diagram::rows() {
  const float height = measure(look_.small, "0").y;
  const auto every = static_cast<std::uint32_t>(std::ceil((height - 1) / row_));
  for (std::uint32_t r = 0; r < bars_.rows(); ++r) {
    const bool hot = model_.hover.rank == Rank{r} || model_.selected.rank == Rank{r};
    if (row_ >= 5)
      list_.AddRectFilled({field_.min.x, y(r) + 1}, {field_.max.x, y(r + 1) - 1},
                          with_alpha(look_.colour.trough, hot ? 0.9f : 0.35f), 2);
    // In the middle of its row; of thin ones at its top, which is in the panel.
    const float top = y(r) + (every == 1 ? (row_ - height) / 2 : -1);
    if (r % every != 0 || top + height > panel_.max.y) continue;
    write(list_, {panel_.min.x + 2 * look_.unit, top},
          {look_.small, hot ? look_.colour.ink : look_.colour.quiet}, name(r).c_str());
  }
}

/// What has not happened yet is dimmed.
void Diagram::picture() {
  draw_bars(panel_, run_, {field_, axis_, row_}, list_);
  const auto now = static_cast<float>(axis_.x(model_.playback.now));
  if (now < field_.max.x)
    list_.AddRectFilled({std::max(now, field_.min.x), field_.min.y}, field_.max,
                        with_alpha(look_.colour.panel, dimmed));
}

void Diagram::labels() {
  const ImVec2 glyph = measure(look_.small, "c00");
  const float lane = row_ / static_cast<float>(bars_.lanes());
  if (lane < glyph.y - 3) return;
  for (std::uint32_t r = 0; r < bars_.rows(); ++r)
    for (const stage::Bar& bar : bars_.row(r)) {
      if (bar.read < axis_.window.from) continue;
      if (bar.begin > axis_.window.to) break;
      Corner box = corner(bar, bar.read);
      box.min.x = std::max(box.min.x, field_.min.x);
      box.max.x = std::min(box.max.x, field_.max.x);
      if (box.max.x - box.min.x < glyph.x + 4) continue;
      const ChunkId chunk = run_.story->chunk(run_.story->cargo(bar.id).parts);
      label(box, chunk);
    }
}

/// In the ink that suits what is under it: what has not begun is dim.
void Diagram::label(const Corner& box, ChunkId chunk) {
  const std::string text = fmt::format("c{}", chunk.value);
  const ImVec2 size = measure(look_.small, text.c_str());
  const float raised = look_.unit / 8;  // no letter of them reaches down
  const ImVec2 at{(box.min.x + box.max.x) / 2, (box.min.y + box.max.y - size.y) / 2 - raised};
  const ImU32 past = chunk_ink(chunk);
  const ImU32 to_come = legible(past, mixed(chunk_colour(chunk), look_.colour.panel, dimmed));
  const auto now = static_cast<float>(axis_.x(model_.playback.now));
  const auto in = [&](ImU32 ink) { write(list_, at, {look_.small, ink, 0.5f}, text.c_str()); };
  if (now >= at.x + size.x / 2) return in(past);
  if (now <= at.x - size.x / 2) return in(to_come);
  list_.PushClipRect(box.min, {now, box.max.y}, true);
  in(past);
  list_.PopClipRect();
  list_.PushClipRect({now, box.min.y}, box.max, true);
  in(to_come);
  list_.PopClipRect();
}

void Diagram::highlight(TransferId id, ImU32 colour, float width) {
  const stage::Bar* bar = bars_.find(id);
  if (bar == nullptr || bar->arrival < axis_.window.from || bar->begin > axis_.window.to) return;
  Corner box = corner(*bar, bar->read);
  box.max.x = std::max(box.max.x, box.min.x + 3);
  box.max.y = std::max(box.max.y, box.min.y + 3);
  list_.AddRect(box.min, box.max, colour, 2, 0, width);
}

/// How it was before the fork: its bars as outlines, and where it ended.
void Diagram::ghost() {
  const auto& before = model_.ghost;
  if (!before) return;
  const auto end = static_cast<float>(axis_.x(before->time()));
  draw_dashes(list_, {end, field_.min.y}, {end, field_.max.y}, {look_.colour.warn, 2, 4, 4});
  if (before->schedule != run_.schedule || run_.spans.size() > most_ghosts) return;
  for (std::uint32_t r = 0; r < bars_.rows(); ++r)
    for (const stage::Bar& bar : bars_.row(r)) {
      const Span& was = before->spans[bar.id.value];
      if (was.begin == bar.begin && was.read == bar.read) continue;
      const Corner box =
          corner({bar.id, bar.row, bar.lane, was.begin, was.read, was.arrival}, was.read);
      list_.AddRect(box.min, box.max, with_alpha(look_.colour.ink, 0.35f), 2);
    }
}

void Diagram::marks() {
  list_.PushClipRect({field_.min.x - 8, panel_.min.y}, {field_.max.x + 8, panel_.max.y}, true);
  if (model_.measure) {
    const auto a = static_cast<float>(axis_.x(model_.measure->from)),
               b = static_cast<float>(axis_.x(model_.measure->to));
    list_.AddRectFilled({a, field_.min.y}, {b, field_.max.y},
                        with_alpha(look_.colour.accent, 0.22f));
    for (const float x : {a, b})
      list_.AddLine({x, field_.min.y}, {x, field_.max.y}, look_.colour.accent, 1.5f);
    const std::string text = fmt::format(fmt::runtime(look_.say(Word::measured)),
                                         people(model_.measure->to - model_.measure->from));
    const ImVec2 size = measure(look_.body, text.c_str());
    const float x = std::clamp((a + b) / 2, field_.min.x + size.x / 2, field_.max.x - size.x / 2);
    list_.AddRectFilled({x - size.x / 2 - 6, field_.min.y + 2},
                        {x + size.x / 2 + 6, field_.min.y + size.y + 6}, look_.colour.panel, 4);
    write(list_, {x, field_.min.y + 4}, {look_.body, look_.colour.ink, 0.5f}, text.c_str());
  }
  ghost();
  if (model_.selected.transfer) highlight(*model_.selected.transfer, look_.colour.accent, 2.5f);
  if (model_.hover.transfer) highlight(*model_.hover.transfer, look_.colour.focus, 2);
  const auto x = static_cast<float>(axis_.x(model_.playback.now));
  const float u = look_.unit * 0.75f;  // under the ruler's words
  list_.AddLine({x, field_.min.y - u}, {x, field_.max.y}, look_.colour.focus, 2);
  list_.AddTriangleFilled({x - u, field_.min.y - u}, {x + u, field_.min.y - u},
                          {x, field_.min.y + u / 2}, look_.colour.focus);
  list_.PopClipRect();
}

std::optional<TransferId> Diagram::under(ImVec2 mouse) const {
  if (mouse.y < field_.min.y || mouse.y >= field_.max.y) return {};
  const float row = (mouse.y - field_.min.y) / row_;
  const auto r = static_cast<std::uint32_t>(row);
  if (stage::hides_future(model_) && mouse.x >= now_x()) return {};
  const auto lane =
      static_cast<std::uint32_t>((row - static_cast<float>(r)) * static_cast<float>(bars_.lanes()));
  return bars_.hit(r, lane, axis_.at(mouse.x));
}

void Diagram::tip(TransferId id) {
  const Transfer& t = (*run_.schedule)[id];
  const Span& span = run_.spans[id.value];
  const std::string text =
      fmt::format(fmt::runtime(look_.say(Word::transfer_tip)), name(t.src().rank.value),
                  name(t.dst().rank.value), run_.story->chunk(run_.story->cargo(id).parts).value,
                  to_string(run_.size(id)), people(span.begin), people(span.commit));
  draw_tip(look_, text);
}

void Diagram::respond() {
  ImGui::SetCursorScreenPos({field_.min.x, panel_.min.y});
  ImGui::InvisibleButton("time", {field_.max.x - field_.min.x, panel_.max.y - panel_.min.y});
  const ImGuiIO& io = ImGui::GetIO();
  auto& actions = panel_.actions;
  const bool on_ruler = io.MouseClickedPos[0].y < field_.min.y;
  if (ImGui::IsItemHovered()) {
    const auto id = under(io.MousePos);
    if (id != model_.hover.transfer) actions.push_back(stage::Hover{{.transfer = id}});
    if (id) tip(*id);
    if (io.MouseWheel != 0)
      actions.push_back(stage::Zoom{axis_.at(io.MousePos.x), std::pow(1.25, io.MouseWheel)});
  }
  if (!ImGui::IsItemActive()) {
    if (ImGui::IsItemDeactivated() && !on_ruler && ImGui::GetMouseDragDelta(0, 0).x == 0) {
      if (const auto id = under(io.MousePos))
        actions.push_back(stage::Select{{.transfer = id}});
      else
        actions.push_back(stage::Seek{axis_.at(io.MousePos.x)});
    }
    return;
  }
  if (io.KeyShift) {
    const TimePoint a = axis_.at(io.MouseClickedPos[0].x), b = axis_.at(io.MousePos.x);
    actions.push_back(stage::Measure{std::min(a, b), std::max(a, b)});
  } else if (on_ruler) {
    actions.push_back(stage::Seek{axis_.at(io.MousePos.x)});
  } else if (io.MouseDelta.x != 0) {
    actions.push_back(stage::Pan{axis_.span(-io.MouseDelta.x)});
  }
}

}  // namespace

void draw_space_time(const Panel& panel) {
  begin_panel("space_time", panel);
  if (panel.model.run && !panel.model.run->schedule->transfers().empty() &&
      shown_window(panel.model).to > shown_window(panel.model).from)
    Diagram(panel, *panel.model.run).draw();
  end_panel();
}

}  // namespace ringside::panels
