// Over all: every key, every mark.

#include <algorithm>
#include <array>
#include <numeric>
#include <vector>

#include "viz/panels/legend.hpp"
#include "viz/panels/panel.hpp"
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
  // The longer names first: PageDown ends in Down.
  static constexpr std::pair<std::string_view, std::string_view> signs[] = {
      {"PageUp", "PgUp"}, {"PageDown", "PgDn"}, {"Escape", "Esc"}, {"Right", "→"},
      {"Left", "←"},      {"Up", "↑"},          {"Down", "↓"}};
  std::string text(key);
  for (const auto& [name, sign] : signs)
    if (text.ends_with(name)) return text.replace(text.size() - name.size(), name.size(), sign);
  return text;
}

/// Keys with what they do, or a mark with its meaning.
struct Line {
  Word what;
  std::vector<std::string> keys;
  const Mark* mark = nullptr;
};
struct Group {
  Word heading;
  std::vector<Line> lines;
};

void add(Group& group, const Binding& binding) {
  if (group.lines.empty() || group.lines.back().what != binding.what)
    group.lines.push_back({binding.what, {}});
  auto& keys = group.lines.back().keys;
  for (const auto key : binding.keys) {
    if (key.empty()) continue;
    const std::string text = printed(key);
    const auto plus = text.find('+');
    const bool shares = plus != std::string::npos && plus + 1 < text.size() && !keys.empty() &&
                        text.find("Tab") == std::string::npos &&
                        keys.back().starts_with(text.substr(0, plus + 1));
    if (shares)
      keys.back() += " " + text.substr(plus + 1);  // Shift+↓ ↑
    else
      keys.push_back(text);
  }
}

/// What the mouse does there, beside the keys that do the same.
void add_mouse(Group& group, const Look& look) {
  for (Line& line : group.lines) {
    if (line.what == Word::key_zoom) line.keys.emplace_back(look.say(Word::mouse_wheel));
    if (line.what == Word::key_pan) line.keys.emplace_back(look.say(Word::mouse_drag));
  }
  group.lines.push_back(
      {Word::mouse_measures, {"Shift+" + std::string(look.say(Word::mouse_drag))}});
}

std::vector<Group> page(const Look& look) {
  std::vector<Group> groups;
  for (std::size_t g = 0; g < stage::key_group_count; ++g) {
    const auto kind = static_cast<KeyGroup>(g);
    Group group{stage::heading(kind), {}};
    for (const Binding& binding : stage::key_table())
      if (binding.group == kind) add(group, binding);
    if (kind == KeyGroup::time) group.lines.push_back({Word::key_tenths, {"0", "…", "9"}});
    if (kind == KeyGroup::diagram) add_mouse(group, look);
    groups.push_back(std::move(group));
  }
  Group marks{Word::keys_marks, {}};
  for (const Mark& mark : legend()) marks.lines.push_back({mark.meaning, {}, &mark});
  groups.push_back(std::move(marks));
  return groups;
}

/// How the page is set: in which font, in how many columns, which group in which.
class Setting {
 public:
  Setting(const Look& look, ImFont* font, const std::vector<Group>& groups, float width)
      : look_(look), font_(font), groups_(groups) {
    line_ = measure(font, "0").y + look.unit / 4;
    for (columns_ = most_columns;; --columns_) {
      share_out();
      if (columns_ == 1 || size().x <= width) break;
    }
  }
  ImVec2 size() const { return {std::accumulate(widths_.begin(), widths_.end(), 0.f), tallest_}; }
  void draw(ImDrawList& list, ImVec2 corner) const;

 private:
  static constexpr std::size_t most_columns = 4;

  float caps_end(const Line& line) const {
    float x = 0;
    for (const auto& key : line.keys) x += cap_width(key) + look_.unit / 2;
    return x;
  }
  float cap_width(const std::string& key) const {
    return measure(font_, key.c_str()).x + look_.unit;
  }
  /// Short keys leave what they do in one line under the other.
  float text_begin(const Line& line) const {
    const float usual = (line.mark != nullptr ? 7.f : 9.f) * look_.unit;
    return std::max(usual, caps_end(line) + look_.unit / 2);
  }
  float height(const Group& group) const {
    return line_ * (heading_lines + static_cast<float>(group.lines.size()));
  }
  float width(const Group& group) const {
    float widest = measure(look_.strong, look_.say(group.heading)).x;
    for (const Line& line : group.lines)
      widest = std::max(widest, text_begin(line) + measure(font_, look_.say(line.what)).x);
    return widest + (font_ == look_.small ? 3.f : 5.f) * look_.unit;
  }
  void share_out();
  void draw(ImDrawList& list, const Line& line, ImVec2 at) const;

  static constexpr float heading_lines = 2;
  const Look& look_;
  ImFont* font_;
  const std::vector<Group>& groups_;
  float line_ = 0, tallest_ = 0;
  std::array<float, most_columns> widths_{};
  std::size_t columns_ = 1;
  std::vector<std::size_t> column_of_;  // by group
};

/// Tries every way to deal the groups out and keeps the lowest; of equal ones the first, which is
/// the nearest to reading order.
void Setting::share_out() {
  column_of_.clear();
  std::vector<std::size_t> deal(groups_.size(), 0);
  for (bool more = true; more;) {
    std::array<float, most_columns> heights{};
    for (std::size_t g = 0; g < deal.size(); ++g) heights[deal[g]] += height(groups_[g]);
    const float tallest = std::ranges::max(heights);
    if (column_of_.empty() || tallest < tallest_ - 1) {
      column_of_ = deal;
      tallest_ = tallest;
    }
    more = false;
    // The first group's column is the first: any other deal is one of these with columns changed.
    for (auto digit = deal.rbegin(); digit + 1 != deal.rend() && !more; ++digit) {
      more = *digit + 1 < columns_;
      *digit = more ? *digit + 1 : 0;
    }
  }
  widths_.fill(0);
  for (std::size_t g = 0; g < groups_.size(); ++g)
    widths_[column_of_[g]] = std::max(widths_[column_of_[g]], width(groups_[g]));
}

void Setting::draw(ImDrawList& list, ImVec2 corner) const {
  std::array<float, most_columns> filled{};
  for (std::size_t g = 0; g < groups_.size(); ++g) {
    const std::size_t c = column_of_[g];
    const auto left =
        std::accumulate(widths_.begin(), widths_.begin() + static_cast<std::ptrdiff_t>(c), 0.f);
    ImVec2 at{corner.x + left, corner.y + filled[c]};
    filled[c] += height(groups_[g]);
    write(list, {at.x, at.y + line_ * (heading_lines - 1.25f)}, {look_.strong, look_.colour.accent},
          look_.say(groups_[g].heading));
    at.y += line_ * heading_lines;
    for (const Line& line : groups_[g].lines) {
      draw(list, line, at);
      at.y += line_;
    }
  }
}

void Setting::draw(ImDrawList& list, const Line& line, ImVec2 at) const {
  const float u = look_.unit, text = measure(font_, "0").y;
  if (line.mark != nullptr)
    line.mark->draw(list, look_, {{at.x, at.y + u / 4}, {at.x + 6 * u, at.y + text - u / 8}});
  float x = at.x;
  for (const std::string& key : line.keys) {
    const float width = cap_width(key);
    list.AddRectFilled({x, at.y}, {x + width, at.y + text}, look_.colour.trough, u / 2);
    write(list, {x + u / 2, at.y}, {font_, look_.colour.ink}, key.c_str());
    x += width + u / 2;
  }
  write(list, {at.x + text_begin(line), at.y}, {font_, look_.colour.ink}, look_.say(line.what));
}

/// In the larger font if all of it fits so.
Setting fitting(const Look& look, const std::vector<Group>& groups, ImVec2 room) {
  Setting large(look, look.body, groups, room.x);
  if (large.size().y <= room.y && large.size().x <= room.x) return large;
  return Setting(look, look.small, groups, room.x);
}

void draw_card(const Panel& panel) {
  const Look& look = panel.look;
  const float u = look.unit, title = measure(look.title, "0").y + u;
  const auto groups = page(look);
  const ImVec2 most{panel.size().x - 4 * u, panel.size().y - 2 * u};
  const Setting setting = fitting(look, groups, {most.x - 6 * u, most.y - title - 4 * u});
  const ImVec2 size{std::min(most.x, setting.size().x + 6 * u),
                    std::min(most.y, setting.size().y + title + 4 * u)};
  const ImVec2 min{(panel.min.x + panel.max.x - size.x) / 2,
                   (panel.min.y + panel.max.y - size.y) / 2};
  const ImVec2 max{min.x + size.x, min.y + size.y};
  ImDrawList& list = *ImGui::GetWindowDrawList();
  list.AddRectFilled(panel.min, panel.max, with_alpha(look.colour.page, 0.75f));
  list.AddRectFilled(min, max, look.colour.panel, u);
  list.AddRect(min, max, look.colour.edge, u);
  write(list, {min.x + 3 * u, min.y + 1.5f * u}, {look.title, look.colour.ink},
        look.say(Word::keys_and_marks));
  const ImVec2 body{min.x + 3 * u, min.y + 1.5f * u + title};
  ImGui::SetCursorScreenPos(body);
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {0, 0});
  ImGui::BeginChild("page", {max.x - body.x - u, max.y - body.y - u});
  setting.draw(*ImGui::GetWindowDrawList(), ImGui::GetCursorScreenPos());
  ImGui::Dummy(setting.size());
  ImGui::EndChild();
  ImGui::PopStyleVar();
}

}  // namespace

void draw_help(const Panel& panel) {
  ImGui::SetNextWindowFocus();
  begin_overlay("help", panel);
  draw_card(panel);
  if (ImGui::IsMouseClicked(0) && !ImGui::IsWindowAppearing())
    panel.actions.emplace_back(stage::Command::help);
  end_panel();
}

}  // namespace ringside::panels
