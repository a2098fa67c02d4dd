#include "viz/terminal/line_chart.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

namespace ringside::terminal {
namespace {

constexpr std::size_t across = 2, down = 4;  // dots of a character

/// Unicode's Braille patterns number their dots down the left column, then the right; the lowest
/// two came later.
constexpr std::uint32_t bit_of[down][across] = {
    {0x01, 0x08}, {0x02, 0x10}, {0x04, 0x20}, {0x40, 0x80}};

std::string braille(std::uint32_t dots) {
  if (dots == 0) return " ";
  const std::uint32_t point = 0x2800 + dots;  // three bytes of UTF-8
  return {static_cast<char>(0xe0 | (point >> 12)), static_cast<char>(0x80 | ((point >> 6) & 0x3f)),
          static_cast<char>(0x80 | (point & 0x3f))};
}

struct Range {
  double least = std::numeric_limits<double>::infinity(), most = -least;
};

using Curve = std::vector<double>;

/// As many values as there are dots, each the mean of those that fall on one dot.
Curve thinned(const Curve& curve, std::size_t dots) {
  if (curve.size() <= dots) return curve;
  Curve means(dots);
  for (std::size_t dot = 0; dot < dots; ++dot) {
    const std::size_t first = dot * curve.size() / dots, last = (dot + 1) * curve.size() / dots;
    for (std::size_t i = first; i < last; ++i)
      means[dot] += curve[i] / static_cast<double>(last - first);
  }
  return means;
}

Range range_of(const std::vector<Curve>& curves) {
  Range range;
  for (const Curve& curve : curves)
    for (const double y : curve) {
      if (!std::isfinite(y)) continue;
      range.least = std::min(range.least, y);
      range.most = std::max(range.most, y);
    }
  return range;
}

}  // namespace

std::string line_chart(std::vector<std::vector<double>> curves, const ChartSize& size) {
  const std::size_t wide = size.columns * across, high = size.rows * down;
  for (Curve& curve : curves) curve = thinned(curve, wide);
  const Range range = range_of(curves);
  if (range.least > range.most) return "";
  std::vector<std::uint32_t> cells(size.columns * size.rows);
  for (const Curve& curve : curves)
    for (std::size_t i = 0; i < curve.size(); ++i) {
      if (!std::isfinite(curve[i])) continue;
      const std::size_t x = i * wide / curve.size();
      const double share =
          range.most > range.least ? (range.most - curve[i]) / (range.most - range.least) : 0.5;
      const auto y = static_cast<std::size_t>(std::lround(share * static_cast<double>(high - 1)));
      cells[y / down * size.columns + x / across] |= bit_of[y % down][x % across];
    }
  std::string text;
  for (std::size_t row = 0; row < size.rows; ++row) {
    std::string line(10, ' ');
    if (row == 0) line = fmt::format("{:>9.4g} ", range.most);
    if (row + 1 == size.rows) line = fmt::format("{:>9.4g} ", range.least);
    line += "|";
    for (std::size_t c = 0; c < size.columns; ++c) line += braille(cells[row * size.columns + c]);
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + "\n";
  }
  return text;
}

}  // namespace ringside::terminal
