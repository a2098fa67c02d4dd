#include "viz/panels/people.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "viz/panels/widgets.hpp"

namespace ringside::panels {

std::string people(Duration time) {
  std::string text = to_string(time);
  if (const auto at = text.find(" us"); at != std::string::npos) text.replace(at, 3, " µs");
  return text;
}

std::string people(Bytes size) {
  static constexpr const char* units[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  auto amount = static_cast<double>(size.count);
  std::size_t unit = 0;
  for (; amount >= 999.5 && unit + 1 < std::size(units); ++unit) amount /= 1024;
  const int decimals = unit == 0 || amount >= 99.95 ? 0 : amount >= 9.995 ? 1 : 2;
  std::string text = fmt::format("{:.{}f}", amount, decimals);
  if (text.find('.') != std::string::npos) {
    text.erase(text.find_last_not_of('0') + 1);
    if (text.back() == '.') text.pop_back();
  }
  return text + " " + units[unit];
}

namespace {

constexpr ImGuiWindowFlags fixed =
    ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoSavedSettings;

void begin(const char* id, const Panel& panel, ImGuiWindowFlags flags) {
  ImGui::SetNextWindowPos(panel.min);
  ImGui::SetNextWindowSize(panel.size());
  ImGui::PushStyleColor(ImGuiCol_WindowBg, IM_COL32(0, 0, 0, 0));
  ImGui::Begin(id, nullptr, flags);
}

}  // namespace

void begin_panel(const char* id, const Panel& panel) {
  // With this flag a window that is new goes behind all others.
  begin(id, panel, fixed | ImGuiWindowFlags_NoBringToFrontOnFocus);
}

void begin_overlay(const char* id, const Panel& panel) {
  begin(id, panel, fixed);
}

void end_panel() {
  ImGui::End();
  ImGui::PopStyleColor();
}

void draw_tip(const Look& look, const std::string& text) {
  ImDrawList& list = *ImGui::GetForegroundDrawList();
  const ImVec2 screen = ImGui::GetIO().DisplaySize;
  const float u = look.unit;
  ImVec2 size = measure(look.small, text.c_str());
  size.x = std::min(size.x, 0.6f * screen.x);
  size.y = height_of_lines(look.small, size.x + 1, text);
  ImVec2 at{ImGui::GetIO().MousePos.x + 2 * u, ImGui::GetIO().MousePos.y - size.y - 2 * u};
  at.x = std::clamp(at.x, u, std::max(u, screen.x - size.x - 2 * u));
  at.y = std::max(at.y, u);
  list.AddRectFilled({at.x - u, at.y - u / 2}, {at.x + size.x + u, at.y + size.y + u / 2},
                     look.colour.box, u / 2);
  list.AddRect({at.x - u, at.y - u / 2}, {at.x + size.x + u, at.y + size.y + u / 2},
               look.colour.edge, u / 2);
  write_lines(list, {at, {at.x + size.x + 1, at.y + size.y}}, {look.small, look.colour.ink}, text);
}

}  // namespace ringside::panels
