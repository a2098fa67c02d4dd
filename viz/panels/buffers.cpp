// Right, middle: rank x chunk, whose parts every chunk holds now.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "viz/panels/commits.hpp"
#include "viz/panels/people.hpp"
#include "viz/panels/phrases.hpp"

namespace ringside::panels {
namespace {

using stage::Content;
using stage::Word;

constexpr std::size_t most_quads = 3000;  // more is a picture

/// In four characters or nearly: `4400`, `33k`, `5.5`.
std::string brief(double value) {
  const double size = std::abs(value);
  if (size < 1e4 && value == std::round(value)) return fmt::format("{:.0f}", value);
  if (size < 1e3) return fmt::format("{:.3g}", value);
  double scaled = value;
  for (const char* prefix : {"", "k", "M", "G", "T", "P"}) {
    if (std::abs(scaled) < 1e3)
      return fmt::format("{:.{}f}{}", scaled, std::abs(scaled) < 9.95 ? 1 : 0, prefix);
    scaled /= 1e3;
  }
  return fmt::format("{:.0e}", value);
}

class Matrix {
 public:
  Matrix(const Panel& panel, const stage::StagedRun& run)
      : panel_(panel),
        look_(panel.look),
        model_(panel.model),
        run_(run),
        list_(*ImGui::GetWindowDrawList()),
        ranks_(run.ranks()),
        chunks_(run.schedule->chunks()) {
    const float u = look_.unit, line = measure(look_.small, "0").y;
    const float names = measure(look_.small, rank_name(ranks_ - 1).c_str()).x;
    const float left = panel.min.x + 3 * u + names, top = panel.min.y + 2.5f * u + line;
    const float width = panel.max.x - 2 * u - left, height = panel.max.y - 1.5f * u - line - top;
    cell_ = {width / static_cast<float>(chunks_), height / static_cast<float>(ranks_)};
    cell_.y = std::min(cell_.y, 26 * u / 8);
    field_ = {{left, top}, {left + width, top + cell_.y * static_cast<float>(ranks_)}};
  }

  void draw() {
    title();
    names();
    const bool ticks = shows_ticks();
    if (model_.shows_values && shows_values())
      values();
    else if (ticks)
      cells();
    else
      picture();
    marks();
    respond();
  }

 private:
  std::string rank_name(std::uint32_t r) const { return panels::rank_name(look_, run_, {r}); }
  bool shows_ticks() const {
    return cell_.x >= 2.5f * static_cast<float>(ranks_) + 6 && cell_.y >= 8 &&
           std::size_t{ranks_} * chunks_ * (ranks_ + 1) <= most_quads;
  }
  bool shows_values() const {
    return cell_.x >= measure(look_.small, "000M").x && cell_.y >= measure(look_.small, "0").y &&
           std::size_t{ranks_} * chunks_ <= most_quads / 4;
  }
  Content content(std::uint32_t r, std::uint32_t c) const {
    return run_.timeline->shown({r}, {c}, model_.playback.now);
  }
  Corner cell(std::uint32_t r, std::uint32_t c) const {
    const float gx = cell_.x >= 8 ? 1.5f : 0, gy = cell_.y >= 8 ? 1.5f : 0;
    const float x = field_.min.x + static_cast<float>(c) * cell_.x;
    const float y = field_.min.y + static_cast<float>(r) * cell_.y;
    return {{x + gx, y + gy}, {x + cell_.x - gx, y + cell_.y - gy}};
  }

  void title();
  void names();
  void cells();
  void values();
  void picture();
  void paint(std::span<ImU32> pixels, int width, int height) const;
  void marks();
  void respond();

  const Panel& panel_;
  const Look& look_;
  const stage::Model& model_;
  const stage::StagedRun& run_;
  ImDrawList& list_;
  std::uint32_t ranks_, chunks_;
  ImVec2 cell_;
  Corner field_;
};

void Matrix::title() {
  const float y = panel_.min.y + 1.5f * look_.unit;
  const ImVec2 title = write(list_, {panel_.min.x + 2 * look_.unit, y},
                             {look_.small, look_.colour.quiet}, look_.say(Word::buffers_title));
  const Word what = model_.shows_values && shows_values() ? Word::buffers_values
                    : shows_ticks()                       ? Word::buffers_ticks
                                                          : Word::buffers_share;
  const float room = panel_.size().x - 5 * look_.unit - title.x;
  if (measure(look_.small, look_.say(what)).x > room) return;
  write(list_, {panel_.max.x - 2 * look_.unit, y}, {look_.small, look_.colour.quiet, 1},
        look_.say(what));
}

void Matrix::names() {
  const float height = measure(look_.small, "0").y;
  const auto rows = static_cast<std::uint32_t>(std::ceil((height - 2) / cell_.y));
  for (std::uint32_t r = 0; r < ranks_; r += std::max(1u, rows)) {
    const bool hot =
        model_.hover.rank == Rank{r} || (model_.hover.slot && model_.hover.slot->rank == Rank{r});
    const float middle = rows <= 1 ? (cell_.y - height) / 2 : 0;
    write(list_,
          {panel_.min.x + 2 * look_.unit, field_.min.y + static_cast<float>(r) * cell_.y + middle},
          {look_.small, hot ? look_.colour.ink : look_.colour.quiet}, rank_name(r).c_str());
  }
  const float room = measure(look_.small, fmt::format("c{}", chunks_ - 1).c_str()).x + look_.unit;
  const auto columns = std::max(1u, static_cast<std::uint32_t>(std::ceil(room / cell_.x)));
  for (std::uint32_t c = 0; c < chunks_; c += columns)
    write(list_, {field_.min.x + (static_cast<float>(c) + 0.5f) * cell_.x, field_.max.y + 1},
          {look_.small, look_.colour.quiet, 0.5f}, fmt::format("c{}", c).c_str());
}

/// A tick a rank: lit where its part is in.
void Matrix::cells() {
  for (std::uint32_t r = 0; r < ranks_; ++r)
    for (std::uint32_t c = 0; c < chunks_; ++c) {
      const Corner box = cell(r, c);
      const Content now = content(r, c);
      list_.AddRectFilled(box.min, box.max, with_alpha(look_.colour.trough, 0.6f), 2);
      const float pitch = (box.max.x - box.min.x - 3) / static_cast<float>(ranks_);
      const ImU32 colour = chunk_colour(run_.story->chunk(now.parts));
      for (std::uint32_t from = 0; from < ranks_; ++from) {
        if (!run_.story->contains(now.parts, {from})) continue;
        const float x = box.min.x + 1.5f + static_cast<float>(from) * pitch;
        list_.AddRectFilled({x, box.min.y + 1.5f}, {x + std::max(1.f, pitch - 1), box.max.y - 1.5f},
                            colour, 1);
      }
      if (run_.story->repeats(now.parts))
        list_.AddRect(box.min, box.max, look_.colour.bad, 2, 0, 2);
    }
}

void Matrix::values() {
  for (std::uint32_t r = 0; r < ranks_; ++r)
    for (std::uint32_t c = 0; c < chunks_; ++c) {
      const Corner box = cell(r, c);
      const Content now = content(r, c);
      list_.AddRectFilled(box.min, box.max, with_alpha(look_.colour.trough, 0.6f), 2);
      if (now.empty()) continue;
      const bool whole = run_.story->count(now.parts) == run_.story->complete();
      if (whole) fill_chunk(list_, box, run_.story->chunk(now.parts), 0.35f);
      write(
          list_,
          {(box.min.x + box.max.x) / 2, (box.min.y + box.max.y - measure(look_.small, "0").y) / 2},
          {look_.small, look_.colour.ink, 0.5f}, brief(now.value).c_str());
    }
}

void Matrix::picture() {
  static Commits commits;
  const int width = static_cast<int>(field_.max.x - field_.min.x),
            height = static_cast<int>(field_.max.y - field_.min.y);
  if (width < 2 || height < 2) return;
  const std::uint64_t version =
      commits.by(run_, model_.playback.now) << 1 | (look_.colour.is_dark ? 1 : 0);
  const ImTextureID texture =
      look_.texture({"buffers", version, width, height,
                     [&](std::span<ImU32> pixels) { paint(pixels, width, height); }});
  list_.AddImage(
      texture, field_.min,
      {field_.min.x + static_cast<float>(width), field_.min.y + static_cast<float>(height)});
}

/// A cell's colour is its chunk's, as strong as what it holds.
void Matrix::paint(std::span<ImU32> pixels, int width, int height) const {
  for (std::uint32_t r = 0; r < ranks_; ++r) {
    const auto y0 = static_cast<int>(std::uint64_t{r} * height / ranks_),
               y1 = static_cast<int>((std::uint64_t{r} + 1) * height / ranks_);
    if (y1 == y0) continue;
    const int gap_y = y1 - y0 >= 6 ? 1 : 0;
    for (std::uint32_t c = 0; c < chunks_; ++c) {
      const auto x0 = static_cast<int>(std::uint64_t{c} * width / chunks_),
                 x1 = static_cast<int>((std::uint64_t{c} + 1) * width / chunks_);
      if (x1 == x0) continue;
      const int gap_x = x1 - x0 >= 4 ? 1 : 0;
      const Content now = content(r, c);
      const auto share = static_cast<float>(run_.story->count(now.parts)) /
                         static_cast<float>(run_.story->complete());
      const ImU32 colour = now.empty()
                               ? with_alpha(look_.colour.trough, 0.6f)
                               : chunk_colour(run_.story->chunk(now.parts), 0.12f + 0.88f * share);
      for (int y = y0; y < y1 - gap_y; ++y)
        std::fill_n(pixels.begin() + static_cast<std::ptrdiff_t>(y) * width + x0, x1 - gap_x - x0,
                    colour);
    }
  }
}

void Matrix::marks() {
  const auto frame = [&](const Slot& slot, ImU32 colour, float width) {
    if (slot.rank.value >= ranks_ || slot.chunk.value >= chunks_ || slot.buffer == Buffer::scratch)
      return;
    Corner box = cell(slot.rank.value, slot.chunk.value);
    list_.AddRect({box.min.x - 1, box.min.y - 1}, {box.max.x + 1, box.max.y + 1}, colour, 2, 0,
                  width);
  };
  for (const Violation& violation : run_.violations) frame(violation.slot, look_.colour.bad, 2.5f);
  const auto target = [&](TransferId id, ImU32 colour) {
    const Transfer& t = (*run_.schedule)[id];
    for (std::uint32_t i = 0; i < std::min(t.chunks(), 64u); ++i) {
      frame(nth(t.src(), i), with_alpha(colour, 0.6f), 1.5f);
      frame(nth(t.dst(), i), colour, 2);
    }
  };
  if (model_.selected.transfer) target(*model_.selected.transfer, look_.colour.accent);
  if (model_.hover.transfer) target(*model_.hover.transfer, look_.colour.focus);
  if (model_.hover.slot) frame(*model_.hover.slot, look_.colour.focus, 2);
}

void Matrix::respond() {
  ImGui::SetCursorScreenPos(field_.min);
  ImGui::InvisibleButton("cells", {std::max(1.f, field_.max.x - field_.min.x),
                                   std::max(1.f, field_.max.y - field_.min.y)});
  if (!ImGui::IsItemHovered()) return;
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  const auto c =
      std::min(chunks_ - 1, static_cast<std::uint32_t>((mouse.x - field_.min.x) / cell_.x));
  const auto r =
      std::min(ranks_ - 1, static_cast<std::uint32_t>((mouse.y - field_.min.y) / cell_.y));
  stage::Pick pick;
  pick.slot = output(r, c);
  if (!(model_.hover == pick)) panel_.actions.push_back(stage::Hover{pick});
  if (ImGui::IsMouseClicked(0)) panel_.actions.push_back(stage::Select{pick});
  const Content now = content(r, c);
  const std::string who = rank_in_full(look_, run_, {r});
  draw_tip(look_, now.empty() ? fmt::format(fmt::runtime(look_.say(Word::slot_empty_tip)), who, c)
                              : fmt::format(fmt::runtime(look_.say(Word::slot_tip)), who,
                                            run_.story->chunk(now.parts).value,
                                            run_.story->count(now.parts), run_.story->complete(),
                                            now.value));
}

}  // namespace

void draw_buffers(const Panel& panel) {
  begin_panel("buffers", panel);
  if (panel.model.run && panel.model.run->schedule->chunks() > 0)
    Matrix(panel, *panel.model.run).draw();
  end_panel();
}

}  // namespace ringside::panels
