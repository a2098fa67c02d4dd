#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace ringside::terminal {

/// How large a chart is, without its axis.
struct ChartSize {
  std::size_t columns = 64, rows = 10;
};

/// Curves over 0, 1, 2, ... in dots of Braille characters, two across and four down in each, with
/// the least and the largest height beside them. Of curves with more values than there are dots,
/// each dot is a mean. What is no number is left out.
std::string line_chart(std::vector<std::vector<double>> curves, const ChartSize& size = {});

}  // namespace ringside::terminal
