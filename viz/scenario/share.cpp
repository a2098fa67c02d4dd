// Share strings: a run as one line of text that survives chats, slides and shells.

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "core/suggest.hpp"
#include "viz/scenario/fields.hpp"

namespace ringside::scenario {
namespace {

constexpr std::size_t longest = 1u << 16;
/// What the window adds: when, against whom, in which lesson, and how it looks.
constexpr std::string_view extras[] = {"t",    "rival", "lesson", "beat", "seed",
                                       "lang", "theme", "layout", "side"};

bool is_plain(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
         std::string_view("-._~,:/").find(c) != std::string_view::npos;
}

std::string encoded(std::string_view text) {
  std::string out;
  for (const char c : text)
    if (is_plain(c))
      out += c;
    else
      out += fmt::format("%{:02X}", static_cast<unsigned char>(c));
  return out;
}

int hex(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

Result<std::string> decoded(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      out += text[i];
      continue;
    }
    const int high = i + 2 < text.size() ? hex(text[i + 1]) : -1;
    const int low = i + 2 < text.size() ? hex(text[i + 2]) : -1;
    if (high < 0 || low < 0 || high * 16 + low < 32)
      return bad_request(
          "in a share string % stands before two hexadecimal digits of a printable "
          "character, as %20; found " +
          in_quotes(text.substr(i, 3)));
    out += static_cast<char>(high * 16 + low);
    i += 2;
  }
  return out;
}

/// As people paste it: with the command before it, in quotes, with spaces around it.
std::string_view trimmed(std::string_view text) {
  const auto strip = [&](std::string_view what) {
    const auto first = text.find_first_not_of(what);
    if (first == std::string_view::npos) return std::string_view();
    return text.substr(first, text.find_last_not_of(what) - first + 1);
  };
  constexpr std::string_view space = " \t\r\n";
  text = strip(space);
  for (const std::string_view word : {"./ringside ", "ringside ", "view "}) {
    if (text.starts_with(word)) text.remove_prefix(word.size());
    text = strip(space);
  }
  return strip(" \t\r\n'\"");
}

Result<void> take(Share& share, std::string_view pair, std::set<std::string>& seen) {
  const auto equals = pair.find('=');
  if (equals == std::string_view::npos)
    return bad_request("a share string is made of name=value; " + in_quotes(pair) +
                       " has no value");
  RS_ASSIGN(const std::string key, decoded(pair.substr(0, equals)));
  RS_ASSIGN(const std::string value, decoded(pair.substr(equals + 1)));
  if (!seen.insert(key).second)
    return bad_request("the share string names " + in_quotes(key) + " twice");
  if (std::ranges::count(extras, key) > 0) {
    share.extra.emplace_back(key, value);
    return {};
  }
  if (std::ranges::count(field_names(), key) > 0) return set_field(share.scenario, key, value);
  std::vector<std::string_view> known(field_names().begin(), field_names().end());
  known.insert(known.end(), std::begin(extras), std::end(extras));
  return bad_request(unknown("field", key, known));
}

}  // namespace

std::string to_share_string(const Share& share) {
  const Scenario usual;
  std::string text = encoded(*field(share.scenario, "algorithm"));
  char before = '?';
  const auto add = [&](std::string_view key, std::string_view value) {
    text += before;
    text += key;
    text += '=';
    text += encoded(value);
    before = '&';
  };
  for (const auto name : field_names())
    if (name != "algorithm" && *field(share.scenario, name) != *field(usual, name))
      add(name, *field(share.scenario, name));
  for (const auto& [key, value] : share.extra) add(key, value);
  return text;
}

Result<Share> parse_share_string(std::string_view text) {
  if (text.size() > longest)
    return bad_request(
        fmt::format("a share string of {} bytes is longer than the {} that any run "
                    "needs",
                    text.size(), longest));
  text = trimmed(text);
  const auto question = std::min(text.find('?'), text.size());
  Share share;
  const auto head = text.substr(0, question);
  RS_ASSIGN(const std::string algorithm, decoded(head));
  if (algorithm.empty() || head.find_first_of("=&") != std::string_view::npos)
    return bad_request(
        "a share string begins with an algorithm, as in ring?ranks=8&bytes=1M; found " +
        in_quotes(text));
  RS_TRY(set_field(share.scenario, "algorithm", algorithm));
  std::set<std::string> seen{"algorithm"};
  for (std::size_t at = question + 1; at < text.size();) {
    const auto end = std::min(text.find('&', at), text.size());
    if (end > at) RS_TRY(take(share, text.substr(at, end - at), seen));
    at = end + 1;
  }
  return share;
}

}  // namespace ringside::scenario
