#include "sim/name_pattern.hpp"

#include <algorithm>
#include <charconv>
#include <optional>

namespace ringside::sim {
namespace {

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

std::optional<std::uint32_t> number(std::string_view text) {
  std::uint32_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

tl::unexpected<Error> no_name(std::string_view text) {
  return bad_request("\"" + std::string(text.substr(0, 80)) +
                     "\" is no device name: expected one such as gpu0, or a range such as gpu0..7");
}

}  // namespace

bool is_device_name(std::string_view text) {
  const auto allowed = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || is_digit(c) || c == '_' ||
           c == '-' || c == '.';
  };
  return !text.empty() && text.size() <= 64 && std::all_of(text.begin(), text.end(), allowed) &&
         text.front() != '.' && text.back() != '.' && text.find("..") == std::string_view::npos;
}

Result<std::vector<std::string>> expand_names(std::string_view pattern, std::uint32_t most) {
  const auto dots = pattern.find("..");
  if (dots == std::string_view::npos) {
    if (!is_device_name(pattern)) return no_name(pattern);
    return std::vector{std::string(pattern)};
  }
  auto stem_end = dots;
  while (stem_end > 0 && is_digit(pattern[stem_end - 1])) --stem_end;
  const auto first = number(pattern.substr(stem_end, dots - stem_end));
  const auto last = number(pattern.substr(dots + 2));
  const auto stem = std::string(pattern.substr(0, stem_end));
  if (!first || !last || !is_device_name(stem)) return no_name(pattern);
  if (*last < *first)
    return bad_request("the range \"" + std::string(pattern) + "\" runs backwards");
  if (*last - *first >= most)
    return bad_request("the range \"" + std::string(pattern) +
                       "\" is too long: " + std::to_string(most) + " names at most");
  std::vector<std::string> names;
  for (std::uint64_t i = *first; i <= *last; ++i) names.push_back(stem + std::to_string(i));
  return names;
}

}  // namespace ringside::sim
