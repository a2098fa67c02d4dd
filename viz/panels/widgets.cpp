#include "viz/panels/widgets.hpp"

#include <algorithm>
#include <cctype>
#include <vector>

namespace ringside::panels {
namespace {

std::size_t code_point_length(unsigned char lead) {
  return lead < 0x80 ? 1 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
}

float width_of(ImFont* font, std::string_view text) {
  return measure(font, std::string(text).c_str()).x;
}

template <typename Visit>
int each_line(ImFont* font, float width, std::string_view text, Visit visit) {
  int lines = 0;
  std::string line;
  for (const auto piece : breakable(text)) {
    const std::string longer = line + std::string(piece);
    const auto trimmed = longer.substr(0, longer.find_last_not_of(' ') + 1);
    if (!line.empty() && width_of(font, trimmed) > width) {
      visit(lines++, line);
      line = piece;
    } else {
      line = longer;
    }
    if (!line.ends_with('\n')) continue;
    line.pop_back();
    visit(lines++, line);
    line.clear();
  }
  if (!line.empty()) visit(lines++, line);
  return lines;
}

}  // namespace

std::vector<std::string_view> breakable(std::string_view text) {
  constexpr std::string_view stays = "，。：；、）！？”", leads = "（“";
  std::vector<std::string_view> pieces;
  for (std::size_t begin = 0, at = 0; at < text.size();) {
    const std::size_t length =
        std::min(code_point_length(static_cast<unsigned char>(text[at])), text.size() - at);
    at += length;
    const auto next = text.substr(
        at, at < text.size() ? code_point_length(static_cast<unsigned char>(text[at])) : 0);
    const bool is_wide = length >= 3;
    const bool next_stays = next.size() >= 3 && stays.find(next) != std::string_view::npos;
    const bool leads_on =
        is_wide && leads.find(text.substr(at - length, length)) != std::string_view::npos;
    const bool ends = at >= text.size() || text[at - 1] == ' ' || text[at - 1] == '\n' ||
                      ((is_wide || next.size() >= 3) && !next_stays && !leads_on);
    if (!ends) continue;
    pieces.push_back(text.substr(begin, at - begin));
    begin = at;
  }
  return pieces;
}

Touch touch(std::string_view id, const Corner& box) {
  const ImVec2 size{box.max.x - box.min.x, box.max.y - box.min.y};
  if (!(size.x >= 1 && size.y >= 1)) return {};
  if (Drawn* all = drawn()) all->places.insert_or_assign(std::string(id), box);
  ImGui::SetCursorScreenPos(box.min);
  Touch touch;
  touch.is_clicked = ImGui::InvisibleButton(std::string(id).c_str(), size);
  touch.is_hovered = ImGui::IsItemHovered();
  touch.is_held = ImGui::IsItemActive();
  return touch;
}

float button_width(const Look& look, const char* label) {
  return measure(look.body, label).x + 3 * look.unit;
}

bool draw_button(const Look& look, const Corner& box, const Button& button) {
  const Touch mouse = touch(button.id, box);
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const float radius = (box.max.y - box.min.y) / (button.is_main ? 2 : 4);
  const ImU32 on = button.on_colour != 0 ? button.on_colour : look.colour.accent;
  ImU32 ink = mouse.is_hovered ? look.colour.ink : look.colour.quiet;
  if (button.is_main) {
    list.AddRectFilled(box.min, box.max, with_alpha(on, mouse.is_held ? 0.8f : 1), radius);
    ink = look.colour.is_dark ? look.colour.page : look.colour.panel;
  } else if (button.is_on) {
    list.AddRectFilled(box.min, box.max, with_alpha(on, 0.2f), radius);
    ink = on;
  } else if (mouse.is_hovered) {
    list.AddRectFilled(box.min, box.max, look.colour.trough, radius);
  }
  const ImVec2 size = measure(look.body, button.label);
  write(list, {(box.min.x + box.max.x) / 2, (box.min.y + box.max.y - size.y) / 2},
        {look.body, ink, 0.5f}, button.label);
  return mouse.is_clicked;
}

double draw_slider(const Look& look, const Corner& box, const Slider& slider) {
  const Touch mouse = touch(slider.id, box);
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const float handle = look.unit * 0.75f, track = look.unit * 0.25f;
  const float y = (box.min.y + box.max.y) / 2;
  const float left = box.min.x + handle, right = std::max(left, box.max.x - handle);
  const float x = left + (right - left) * static_cast<float>(std::clamp(slider.place, 0., 1.));
  const ImU32 colour = slider.is_dim ? look.colour.edge : look.colour.good;
  list.AddRectFilled({box.min.x, y - track}, {box.max.x, y + track}, look.colour.trough, track);
  list.AddRectFilled({box.min.x, y - track}, {x, y + track}, colour, track);
  list.AddCircleFilled({x, y}, mouse.is_held ? handle * 1.2f : handle,
                       mouse.is_hovered || mouse.is_held ? look.colour.ink : colour);
  if (!mouse.is_held || right <= left) return -1;
  return std::clamp((ImGui::GetIO().MousePos.x - left) / (right - left), 0.f, 1.f);
}

float write_lines(ImDrawList& list, const Corner& box, const Text& how, const std::string& text) {
  const float line_height = measure(how.font, "0").y;
  const int lines =
      each_line(how.font, box.max.x - box.min.x, text, [&](int nth, const std::string& line) {
        const float y = box.min.y + static_cast<float>(nth) * line_height;
        if (y + line_height <= box.max.y + 1) write(list, {box.min.x, y}, how, line.c_str());
      });
  return static_cast<float>(lines) * line_height;
}

float height_of_lines(ImFont* font, float width, const std::string& text) {
  const int lines = each_line(font, width, text, [](int, const std::string&) {});
  return static_cast<float>(lines) * measure(font, "0").y;
}

std::string shortened(ImFont* font, float width, const std::string& text) {
  if (width_of(font, text) <= width) return text;
  std::string kept;
  for (std::size_t at = 0; at < text.size();) {
    const auto length = code_point_length(static_cast<unsigned char>(text[at]));
    const std::string longer = text.substr(0, at + length);
    if (width_of(font, longer + "…") > width) break;
    kept = longer;
    at += length;
  }
  return kept + "…";
}

std::string as_title(std::string_view name) {
  std::string title(name);
  std::ranges::replace(title, '_', ' ');
  if (!title.empty())
    title[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(title[0])));
  return title;
}

}  // namespace ringside::panels
