#include "core/suggest.hpp"

#include <algorithm>
#include <numeric>
#include <vector>

namespace ringside {
namespace {

/// Damerau's edit distance with adjacent transpositions (optimal string alignment).
std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before(b.size() + 1), last(b.size() + 1), row(b.size() + 1);
  std::iota(last.begin(), last.end(), 0);
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + (a[i - 1] != b[j - 1])});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        row[j] = std::min(row[j], before[j - 2] + 1);
    }
    std::swap(before, last);
    std::swap(last, row);
  }
  return last[b.size()];
}

}  // namespace

std::string_view nearest(std::string_view text, std::span<const std::string_view> known) {
  text = text.substr(0, 64);  // hostile input must not cost quadratic time
  std::string_view best;
  auto best_distance = std::max<std::size_t>(2, text.size() / 3) + 1;
  for (const auto name : known)
    if (const auto d = distance(text, name); d < best_distance) best = name, best_distance = d;
  return best;
}

std::string unknown(std::string_view what, std::string_view text,
                    std::span<const std::string_view> known) {
  std::string message =
      "there is no " + std::string(what) + " \"" + std::string(text.substr(0, 64)) + "\"; ";
  if (const auto guess = nearest(text, known); !guess.empty())
    return message + "did you mean " + std::string(guess) + "?";
  message += "known:";
  for (const auto name : known) message += " " + std::string(name);
  return message;
}

}  // namespace ringside
