// Cards to sort: before and after one collective each, to be named.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "viz/panels/lesson_board.hpp"
#include "viz/panels/people.hpp"
#include "viz/panels/phrases.hpp"
#include "viz/panels/widgets.hpp"

namespace ringside::panels::detail {
namespace {

using stage::Word;

std::string name_for(const Look& look, const std::string& collective) {
  const auto kind = parse_collective(collective);
  return kind ? name_of(look, *kind) : collective;
}

class Cards {
 public:
  explicit Cards(const Panel& panel)
      : panel_(panel),
        look_(panel.look),
        lesson_(*panel.model.lesson),
        list_(*ImGui::GetWindowDrawList()),
        cards_(lesson_.asked()->cards) {
    const auto& entries = lesson_.entries;
    const auto open = std::ranges::find(entries, "");
    ImGuiStorage& kept = *ImGui::GetStateStorage();
    const int chosen = kept.GetInt(ImGui::GetID("card"), -1);
    const bool is_chosen = chosen >= 0 && chosen < static_cast<int>(cards_.size());
    current_ = is_chosen               ? static_cast<std::size_t>(chosen)
               : open == entries.end() ? cards_.size()
                                       : static_cast<std::size_t>(open - entries.begin());
  }

  void draw() {
    const float u = look_.unit;
    const float foot = names(panel_.max.y - 2 * u);
    const Corner area{{panel_.min.x + 2 * u, panel_.min.y + 2 * u},
                      {panel_.max.x - 2 * u, foot - 2 * u}};
    const auto columns = column_count(area);
    const auto rows = (cards_.size() + columns - 1) / columns;
    const ImVec2 size{
        (area.max.x - area.min.x - static_cast<float>(columns - 1) * u) /
            static_cast<float>(columns),
        (area.max.y - area.min.y - static_cast<float>(rows - 1) * u) / static_cast<float>(rows)};
    for (std::size_t i = 0; i < cards_.size(); ++i) {
      const std::size_t row = i / columns;
      const ImVec2 min{area.min.x + static_cast<float>(i % columns) * (size.x + u),
                       area.min.y + static_cast<float>(row) * (size.y + u)};
      card(i, {min, {min.x + size.x, min.y + size.y}});
    }
  }

 private:
  std::size_t column_count(const Corner& area) const {
    const float least = 2 * (4 * (measure(look_.small, "14000").x + 2) + 3 * look_.unit);
    const float width = area.max.x - area.min.x;
    const auto most = std::max<std::size_t>(1, static_cast<std::size_t>(width / least));
    return std::clamp<std::size_t>((cards_.size() + 1) / 2, 1, std::min<std::size_t>(most, 3));
  }
  float names(float bottom);
  void card(std::size_t i, const Corner& box);
  void matrix(const lessons::Cells& cells, const Corner& box);
  void choose(int card) { ImGui::GetStateStorage()->SetInt(ImGui::GetID("card"), card); }
  std::optional<bool> is_right(std::size_t i) const {
    const auto& verdict = lesson_.sitting.verdict();
    if (lesson_.is_asking() || !verdict || i >= verdict->parts.size()) return std::nullopt;
    return verdict->parts[i];
  }

  const Panel& panel_;
  const Look& look_;
  const stage::LessonState& lesson_;
  ImDrawList& list_;
  const std::vector<lessons::Card>& cards_;
  std::size_t current_;
};

/// Every name once, at the foot; where they begin.
float Cards::names(float bottom) {
  const float u = look_.unit, height = 4.5f * u;
  if (!lesson_.is_asking()) return bottom;
  std::vector<std::string> all;
  for (const auto& card : cards_) all.push_back(card.collective);
  std::ranges::sort(all);
  all.erase(std::unique(all.begin(), all.end()), all.end());
  float width = 0;
  for (const auto& name : all) width += button_width(look_, name_for(look_, name).c_str()) + u;
  const float room = panel_.size().x - 4 * u;
  const auto lines = std::max(1.f, std::ceil(width / room));
  float x = panel_.min.x + 2 * u, y = bottom - lines * (height + u / 2);
  const float top = y;
  for (const auto& name : all) {
    const std::string words = name_for(look_, name);
    const float wide = button_width(look_, words.c_str());
    if (x + wide > panel_.max.x - 2 * u) x = panel_.min.x + 2 * u, y += height + u / 2;
    const bool is_used = std::ranges::count(lesson_.entries, name) > 0;
    const Corner box{{x, y}, {x + wide, y + height}};
    list_.AddRectFilled(box.min, box.max, is_used ? look_.colour.panel : look_.colour.box, u / 2);
    list_.AddRect(box.min, box.max, look_.colour.edge, u / 2);
    if (draw_button(look_, box, {.id = "name " + name, .label = words.c_str()}) &&
        current_ < cards_.size()) {
      panel_.actions.emplace_back(stage::Enter{current_, name});
      choose(-1);
    }
    x += wide + u;
  }
  return top;
}

void Cards::card(std::size_t i, const Corner& box) {
  const float u = look_.unit, line = measure(look_.strong, "0").y;
  const Touch mouse = touch(fmt::format("card-{}", i + 1), box);
  if (mouse.is_clicked && lesson_.is_asking()) choose(static_cast<int>(i));
  list_.AddRectFilled(box.min, box.max, look_.colour.panel, u);
  const bool is_current = lesson_.is_asking() && current_ == i;
  const auto right = is_right(i);
  const ImU32 frame = right        ? (*right ? look_.colour.good : look_.colour.bad)
                      : is_current ? look_.colour.accent
                                   : look_.colour.edge;
  list_.AddRect(box.min, box.max, frame, u, 0, is_current || right ? u / 3 : 1.f);
  const bool is_known = !lesson_.is_shut() && !lesson_.is_covered;
  const std::string& said = lesson_.entries[i];
  const std::string name = is_known       ? name_for(look_, cards_[i].collective)
                           : said.empty() ? "?"
                                          : name_for(look_, said);
  write(list_, {box.min.x + 1.5f * u, box.min.y + u},
        {look_.strong, right          ? frame
                       : said.empty() ? look_.colour.quiet
                                      : look_.colour.ink},
        shortened(look_.strong, box.max.x - box.min.x - 3 * u, name).c_str());
  const float top = box.min.y + line + 2 * u, middle = (box.min.x + box.max.x) / 2;
  const float small = measure(look_.small, "0").y;
  write(list_, {box.min.x + 1.5f * u, top}, {look_.small, look_.colour.quiet},
        look_.say(Word::card_before));
  write(list_, {middle + 1.5f * u, top}, {look_.small, look_.colour.quiet},
        look_.say(Word::card_after));
  const float under = top + small + u / 2;
  matrix(cards_[i].before, {{box.min.x + 1.5f * u, under}, {middle - 1.5f * u, box.max.y - u}});
  matrix(cards_[i].after, {{middle + 1.5f * u, under}, {box.max.x - 1.5f * u, box.max.y - u}});
  const auto rows = static_cast<float>(std::max<std::size_t>(1, cards_[i].before.size()));
  const float arrow = under + std::min(box.max.y - u - under, 7 * u * rows) / 2;
  write(list_, {middle, arrow - line / 2}, {look_.strong, look_.colour.quiet, 0.5f}, "→");
}

/// A row a rank, a column a chunk, each number in its chunk's colour.
void Cards::matrix(const lessons::Cells& cells, const Corner& box) {
  if (cells.empty()) return;
  std::size_t columns = 1;
  for (const auto& row : cells) columns = std::max(columns, row.size());
  const ImVec2 pitch{
      (box.max.x - box.min.x) / static_cast<float>(columns),
      std::min((box.max.y - box.min.y) / static_cast<float>(cells.size()), 7 * look_.unit)};
  const float text = measure(look_.small, "0").y;
  for (std::size_t r = 0; r < cells.size(); ++r)
    for (std::size_t c = 0; c < cells[r].size(); ++c) {
      const ImVec2 min{box.min.x + static_cast<float>(c) * pitch.x,
                       box.min.y + static_cast<float>(r) * pitch.y};
      const Corner place{min, {min.x + pitch.x - 2, min.y + pitch.y - 2}};
      const auto& value = cells[r][c];
      list_.AddRectFilled(place.min, place.max,
                          value ? chunk_colour({static_cast<std::uint32_t>(c)}, 0.28f)
                                : with_alpha(look_.colour.trough, 0.5f),
                          2);
      if (!value) continue;
      const std::string number = fmt::format("{:g}", *value);
      if (measure(look_.small, number.c_str()).x > pitch.x) continue;
      write(list_, {(place.min.x + place.max.x) / 2, (place.min.y + place.max.y - text) / 2},
            {look_.small, look_.colour.ink, 0.5f}, number.c_str());
    }
}

}  // namespace

void draw_cards(const Panel& panel) {
  Cards(panel).draw();
}

}  // namespace ringside::panels::detail
