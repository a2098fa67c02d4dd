// Over all: every key, every mark.

#include <algorithm>
#include <cmath>
#include <vector>

#include "viz/panels/legend.hpp"
#include "viz/panels/people.hpp"
#include "viz/panels/widgets.hpp"
#include "viz/stage/keys.hpp"

namespace ringside::panels {
namespace {

using stage::Binding;
using stage::KeyGroup;
using stage::Word;

/// Keys as they are printed on a keyboard.
std::string printed(std::string_view key) {
  static constexpr std::pair<std::string_view, std::string_view> signs[] = {
      {"Right", "→"},     {"Left", "←"},        {"Up", "↑"},      {"Down", "↓"},
      {"PageUp", "PgUp"}, {"PageDown", "PgDn"}, {"Escape", "Esc"}};
  std::string text(key);
  for (const auto& [name, sign] : signs)
    if (const auto at = text.find(name); at != std::string::npos && at + name.size() == text.size())
      return text.replace(at, name.size(), sign);
  return text;
}

/// One line of the page: a heading, keys with what they do, or a mark with its meaning.
struct Line {
  Word what;
  std::vector<std::string> keys;
  const Mark* mark = nullptr;
  bool is_heading = false;
};

std::vector<Line> page() {
  std::vector<Line> lines;
  for (std::size_t g = 0; g < stage::key_group_count; ++g) {
    const auto group = static_cast<KeyGroup>(g);
    lines.push_back({stage::heading(group), {}, nullptr, true});
    for (const Binding& binding : stage::key_table()) {
      if (binding.group != group) continue;
      Line line{binding.what, {}};
      for (const auto key : binding.keys)
        if (!key.empty()) line.keys.push_back(printed(key));
      lines.push_back(std::move(line));
    }
    if (group == KeyGroup::time) lines.push_back({Word::key_tenths, {"0", "…", "9"}});
  }
  lines.push_back({Word::keys_marks, {}, nullptr, true});
  for (const Mark& mark : legend()) lines.push_back({mark.meaning, {}, &mark});
  return lines;
}

class Page {
 public:
  Page(const Look& look, const Corner& area)
      : look_(look), area_(area), list_(*ImGui::GetWindowDrawList()) {
    const float u = look.unit;
    line_ = measure(look.body, "0").y + u / 4;
    columns_ = std::max(1, static_cast<int>((area.max.x - area.min.x) / (least_column * u)));
    width_ = (area.max.x - area.min.x) / static_cast<float>(columns_);
  }

  /// Columns of about one height; a heading stays with its lines. Returns the tallest.
  float draw(const std::vector<Line>& lines) {
    const float share = total(lines) / static_cast<float>(columns_);
    float tallest = 0, y = 0;
    int column = 0;
    for (std::size_t i = 0; i < lines.size(); ++i) {
      const bool is_full = y + group_height(lines, i) / 2 > share;
      if (lines[i].is_heading && is_full && column + 1 < columns_) {
        ++column;
        y = 0;
      }
      const float x = area_.min.x + static_cast<float>(column) * width_;
      draw(lines[i], {x, area_.min.y + y});
      y += height(lines[i]);
      tallest = std::max(tallest, y);
    }
    return tallest;
  }

 private:
  static constexpr float least_column = 44;  // in units of the grid

  float height(const Line& line) const { return line.is_heading ? line_ * 1.8f : line_; }
  float total(const std::vector<Line>& lines) const {
    float sum = 0;
    for (const Line& line : lines) sum += height(line);
    return sum;
  }
  /// Of a heading and all up to the next.
  float group_height(const std::vector<Line>& lines, std::size_t first) const {
    float sum = height(lines[first]);
    for (std::size_t i = first + 1; i < lines.size() && !lines[i].is_heading; ++i)
      sum += height(lines[i]);
    return sum;
  }
  void draw(const Line& line, ImVec2 at);

  const Look& look_;
  Corner area_;
  ImDrawList& list_;
  float line_ = 0, width_ = 0;
  int columns_ = 1;
};

void Page::draw(const Line& line, ImVec2 at) {
  const float u = look_.unit, keys = 15 * u;
  if (line.is_heading) {
    write(list_, {at.x, at.y + line_ * 0.7f}, {look_.strong, look_.colour.accent},
          look_.say(line.what));
    return;
  }
  const float text = measure(look_.small, "0").y;
  if (line.mark != nullptr)
    line.mark->draw(list_, look_, {{at.x, at.y + u / 8}, {at.x + 6 * u, at.y + line_ - u / 4}});
  float x = at.x;
  for (const std::string& key : line.keys) {
    const float width = measure(look_.small, key.c_str()).x + u;
    const Corner cap{{x, at.y + u / 8}, {x + width, at.y + u / 8 + text}};
    list_.AddRectFilled(cap.min, cap.max, look_.colour.trough, u / 2);
    write(list_, {x + u / 2, at.y + u / 8}, {look_.small, look_.colour.ink}, key.c_str());
    x += width + u / 2;
  }
  const float left = at.x + (line.mark != nullptr ? 7 * u : std::max(keys, x - at.x + u / 2));
  const std::string what = shortened(look_.small, at.x + width_ - u - left, look_.say(line.what));
  write(list_, {left, at.y + u / 8}, {look_.small, look_.colour.ink}, what.c_str());
}

}  // namespace

void draw_help(const Panel& panel) {
  const Look& look = panel.look;
  const float u = look.unit;
  ImGui::SetNextWindowFocus();
  begin_overlay("help", panel);
  ImDrawList& list = *ImGui::GetWindowDrawList();
  list.AddRectFilled(panel.min, panel.max, with_alpha(look.colour.page, 0.7f));
  const ImVec2 margin{std::min(6 * u, panel.size().x * 0.04f),
                      std::min(5 * u, panel.size().y * 0.04f)};
  const Corner card{{panel.min.x + margin.x, panel.min.y + margin.y},
                    {panel.max.x - margin.x, panel.max.y - margin.y}};
  list.AddRectFilled(card.min, card.max, look.colour.panel, u);
  list.AddRect(card.min, card.max, look.colour.edge, u);
  write(list, {card.min.x + 3 * u, card.min.y + 2 * u}, {look.title, look.colour.ink},
        look.say(Word::keys_and_marks));
  const float top = card.min.y + 2.5f * u + measure(look.title, "0").y;
  const Corner body{{card.min.x + 3 * u, top}, {card.max.x - 2 * u, card.max.y - u}};
  ImGui::SetCursorScreenPos(body.min);
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {0, 0});
  ImGui::BeginChild("page", {body.max.x - body.min.x, body.max.y - body.min.y});
  const ImVec2 at = ImGui::GetCursorScreenPos();
  Page lines(look, {at, {body.max.x - u, body.max.y}});
  const float height = lines.draw(page());
  ImGui::Dummy({1, height + u});
  ImGui::EndChild();
  ImGui::PopStyleVar();
  if (ImGui::IsMouseClicked(0)) panel.actions.emplace_back(stage::Command::help);
  end_panel();
}

}  // namespace ringside::panels
