#include "viz/panels/arrangement.hpp"

#include <algorithm>
#include <cmath>

namespace ringside::panels {

float fit(ImVec2 window) {
  return std::clamp(std::min(window.x / 1920, window.y / 1080), 0.75f, 2.f);
}

Arrangement arrange(ImVec2 window, const Look& look) {
  const auto px = [&](float units) { return std::round(units * look.unit); };
  const float top = px(6), bottom = window.y - std::min(px(31), std::round(window.y * 0.34f));
  const float left = std::min(px(37.5), std::round(window.x * 0.25f));
  const float right = window.x - std::min(px(60.5), std::round(window.x * 0.3f));
  const float height = bottom - top;
  const float under_numbers = std::min(top + px(22), bottom),
              under_buffers = std::round(std::min(top + height * 0.6f, bottom));
  Arrangement a;
  a.toolbar = {{0, 0}, {window.x, top}};
  a.controls = {{0, top}, {left, bottom}};
  a.stage = {{left, top}, {right, bottom}};
  a.numbers = {{right, top}, {window.x, under_numbers}};
  a.buffers = {{right, under_numbers}, {window.x, under_buffers}};
  a.side = {{right, under_buffers}, {window.x, bottom}};
  a.transport = {{0, bottom}, {window.x, bottom + px(7)}};
  a.space_time = {{0, bottom + px(7)}, window};
  return a;
}

}  // namespace ringside::panels
