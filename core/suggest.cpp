#include "core/suggest.hpp"

#include <algorithm>
#include <cctype>
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

constexpr std::size_t longest = 64;  // hostile input must not cost quadratic time

/// As people may write a name: in any case, with any of the usual separators.
std::string plain(std::string_view text) {
  std::string result(text.substr(0, longest));
  for (char& c : result)
    c = c == '-' || c == ' ' ? '_' : static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return result;
}

/// The one name that contains `text`, or is contained in it, or empty.
std::string_view only_one_with(std::string_view text, std::span<const std::string_view> known) {
  constexpr std::size_t shortest = 3;
  std::string_view found;
  if (text.size() < shortest) return found;
  for (const auto name : known) {
    const auto its = plain(name);
    const bool longer = its.find(text) != std::string::npos;
    const bool shorter = its.size() >= shortest && text.find(its) != std::string_view::npos;
    if (!longer && !shorter) continue;
    if (!found.empty()) return {};
    found = name;
  }
  return found;
}

}  // namespace

std::string in_quotes(std::string_view text) {
  std::string result = "\"";
  for (const char c : text.substr(0, longest))
    result += static_cast<unsigned char>(c) < 0x20 || c == 0x7f ? '?' : c;
  return result + (text.size() > longest ? "...\"" : "\"");
}

std::string plural(std::uint64_t number, std::string_view thing) {
  return std::string(thing) + (number == 1 ? "" : "s");
}
std::string counted(std::uint64_t number, std::string_view thing) {
  return std::to_string(number) + " " + plural(number, thing);
}

std::string shell_word(std::string_view text) {
  const bool plain = !text.empty() && text.find_first_not_of(
                                          "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                          "0123456789-_./,:=%+@") == std::string_view::npos;
  if (plain) return std::string(text);
  std::string word = "'";
  for (const char c : text) word += c == '\'' ? "'\\''" : std::string(1, c);
  return word + "'";
}

std::string_view nearest(std::string_view text, std::span<const std::string_view> known) {
  const auto wanted = plain(text);
  std::string_view best;
  auto best_distance = std::clamp<std::size_t>(wanted.size() / 3, 1, 4) + 1;
  for (const auto name : known)
    if (const auto d = distance(wanted, plain(name)); d < best_distance)
      best = name, best_distance = d;
  return best.empty() ? only_one_with(wanted, known) : best;
}

std::string unknown(std::string_view what, std::string_view text,
                    std::span<const std::string_view> known) {
  std::string message = "there is no " + std::string(what) + " " + in_quotes(text) + "; ";
  if (const auto guess = nearest(text, known); !guess.empty())
    return message + "did you mean " + std::string(guess) + "?";
  message += "known:";
  for (const auto name : known) message += " " + std::string(name);
  return message;
}

}  // namespace ringside
