#include "viz/panels/arrangement.hpp"

#include <algorithm>
#include <cmath>

namespace ringside::panels {
namespace {

// All in units of the grid: 240 x 135 of them are 1920 x 1080 at scale 1.
constexpr float toolbar_height = 6, transport_height = 7;

/// Columns from the left; a width of 0 is a column that is left out.
struct Columns {
  float controls, right;
};
Columns columns(float width) {
  constexpr float all_three = 116, with_controls = 84;
  if (width < with_controls) return {0, 0};
  const float controls = std::clamp(width * 0.21f, 31.f, 37.5f);
  if (width < all_three) return {controls, 0};
  return {controls, std::clamp(width * 0.28f, 41.f, 60.5f)};
}

/// Transport and space-time diagram; 0 is none.
struct Bottom {
  float transport, space_time;
};
Bottom bottom(float height) {
  constexpr float with_diagram = 55, with_transport = 30;
  if (height < with_transport) return {0, 0};
  if (height < with_diagram) return {transport_height, 0};
  return {transport_height, std::clamp(height * 0.2f, 13.f, 27.f)};
}

/// The right column from the top: numbers first, then buffers, then curves or the addition tree.
struct Right {
  float numbers, buffers;
};
Right right_column(float height, stage::Model::Side side) {
  constexpr float numbers_need = 20, buffers_need = 16, side_needs = 22;
  const float numbers = std::clamp(height * 0.23f, numbers_need, 23.f);
  if (height < numbers_need + buffers_need) return {height, 0};
  if (height - numbers < buffers_need + side_needs)
    return {numbers, side == stage::Model::Side::curves ? height - numbers : 0};
  // A tree grows with its ranks; the matrix says the same at any size.
  const float share = side == stage::Model::Side::addition_tree ? 0.4f : 0.5f;
  return {numbers, std::round(std::max(buffers_need, (height - numbers) * share))};
}

}  // namespace

float fit(ImVec2 window) {
  constexpr float least = 0.75f, most = 2;
  return std::clamp(std::min(window.x / 1920, window.y / 1080), least, most);
}

Arrangement arrange(ImVec2 window, float unit, stage::Model::Side side) {
  const ImVec2 units{window.x / unit, window.y / unit};
  const auto px = [&](float length) { return std::round(length * unit); };
  const Columns width = columns(units.x);
  const Bottom height = bottom(units.y);
  const float top = px(toolbar_height), diagram = window.y - px(height.space_time);
  const float low = diagram - px(height.transport);
  const float left = px(width.controls), right = window.x - px(width.right);
  const Right share = right_column((low - top) / unit, side);
  const float under_numbers = std::min(low, top + px(share.numbers));
  const float under_buffers = std::min(low, under_numbers + px(share.buffers));
  Arrangement a{};
  a.toolbar = {{0, 0}, {window.x, top}};
  a.controls = {{0, top}, {left, low}};
  a.stage = {{left, top}, {right, low}};
  a.numbers = {{right, top}, {window.x, under_numbers}};
  a.buffers = {{right, under_numbers}, {window.x, under_buffers}};
  a.side = {{right, under_buffers}, {window.x, low}};
  a.transport = {{0, low}, {window.x, diagram}};
  a.space_time = {{0, diagram}, window};
  return a;
}

Arrangement arrange_training(ImVec2 window, float unit) {
  const Arrangement usual = arrange(window, unit, stage::Model::Side::curves);
  Arrangement a{};
  a.toolbar = usual.toolbar;
  a.controls = {usual.controls.min, {usual.controls.max.x, window.y}};
  a.stage = {usual.stage.min, window};
  return a;
}

namespace {

/// Widths in units: the text's, and that of figures on the right, 0 where there is no room.
struct LessonColumns {
  float text, right;
};
LessonColumns lesson_columns(float width, const LessonShape& shape) {
  constexpr float least_stage = 56;
  const float text = std::clamp(width * 0.31f, std::min(54.f, width * 0.58f), 72.f);
  const bool wants = shape.has_numbers || shape.has_buffers || shape.has_side;
  const float right = std::clamp(width * 0.23f, 41.f, 54.f);
  return {text, wants && width - text - right >= least_stage ? right : 0};
}

}  // namespace

Arrangement arrange_lesson(ImVec2 window, float unit, const LessonShape& shape) {
  const ImVec2 units{window.x / unit, window.y / unit};
  const auto px = [&](float length) { return std::round(length * unit); };
  const LessonColumns width = lesson_columns(units.x, shape);
  const Bottom foot = shape.has_time ? bottom(units.y) : Bottom{0, 0};
  const float top = px(toolbar_height), diagram = window.y - px(foot.space_time);
  const float low = diagram - px(foot.transport);
  const float left = px(width.text), right = window.x - px(width.right);
  const float controls = window.y - px(std::min(shape.controls, units.y / 3));
  const float numbers = top + (shape.has_numbers ? px(std::min(23.f, units.y / 3)) : 0);
  float buffers = numbers;
  if (shape.has_buffers) buffers = shape.has_side ? std::round((numbers + low) / 2) : low;
  Arrangement a{};
  a.toolbar = {{0, 0}, {window.x, top}};
  a.lesson = {{0, top}, {left, controls}};
  a.controls = {{0, controls}, {left, window.y}};
  a.stage = {{left, top}, {right, low}};
  a.numbers = {{right, top}, {window.x, numbers}};
  a.buffers = {{right, numbers}, {window.x, buffers}};
  a.side = {{right, buffers}, {window.x, low}};
  a.transport = {{left, low}, {window.x, diagram}};
  a.space_time = {{left, diagram}, window};
  return a;
}

}  // namespace ringside::panels
