// One line of what nccl-tests prints, or of what is left of it.

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>

#include "core/formats/nccl_tests.hpp"

namespace ringside::nccl_tests {
namespace {

template <typename Number>
std::optional<Number> number(std::string_view text) {
  Number value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

bool is_not_available(std::string_view word) {
  return word == "N/A" || word == "n/a" || word == "nan" || word == "-nan" || word == "inf";
}

/// `+23.73`: an error, as Ringside's own tables have it.
bool is_figure(std::string_view word) {
  if (word.starts_with('+')) word.remove_prefix(1);
  return is_not_available(word) || number<double>(word).has_value();
}

/// Not finite where there is none.
double value_of(std::string_view word) {
  return is_not_available(word) ? NAN : number<double>(word).value_or(NAN);
}

std::optional<ElementType> type_of(std::string_view word) {
  static constexpr std::pair<std::string_view, ElementType> other_names[] = {
      {"char", ElementType::int8},       {"uchar", ElementType::uint8},
      {"int", ElementType::int32},       {"uint", ElementType::uint32},
      {"fp8_e4m3", ElementType::f8e4m3}, {"fp8_e5m2", ElementType::f8e5m2},
      {"float16", ElementType::float16}, {"float32", ElementType::float32},
      {"float64", ElementType::float64}};
  for (const auto& [name, type] : other_names)
    if (word == name) return type;
  const auto type = parse_element_type(word);
  return type ? std::optional(*type) : std::nullopt;
}

/// Length of the tag that begins at `at`, or 0: `[0]`, `[1,0]<stdout>:`, an escape sequence.
std::size_t tag_length(std::string_view line, std::size_t at) {
  if (line[at] == '\x1b') {
    const auto end = line.find_first_of("mKHJhl", at);
    return end == line.npos ? 1 : end + 1 - at;
  }
  if (line[at] != '[') return 0;
  const auto close = line.find(']', at);
  if (close == line.npos || close == at + 1) return 0;
  const auto inside = line.substr(at + 1, close - at - 1);
  if (inside.find_first_not_of("0123456789,") != inside.npos) return 0;
  for (const std::string_view stream : {"<stdout>:", "<stderr>:"})
    if (line.substr(close + 1).starts_with(stream)) return close + 1 + stream.size() - at;
  return close + 1 - at;
}

std::string in_lower_case(std::string word) {
  for (char& c : word) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return word;
}

bool is_protocol(const std::string& word) {
  const auto lower = in_lower_case(word);
  return lower == "ll" || lower == "ll128" || lower == "simple";
}

/// How the figures of a row fit columns, if they do.
struct Reading {
  std::optional<std::int64_t> root{};
  std::optional<Printed> out_of_place{}, in_place{};
};

std::optional<Printed> printed(const std::vector<std::string>& figures, std::size_t first,
                               const Columns& columns) {
  Printed printed{value_of(figures[first]), value_of(figures[first + 1]),
                  value_of(figures[first + 2])};
  if (!(printed.time >= 0) || !(printed.algbw >= 0) || !(printed.busbw >= 0)) return std::nullopt;
  if (columns.wrong > 0) printed.wrong = number<std::uint64_t>(figures[first + columns.wrong]);
  return printed;
}

/// `figures` from the left; columns that are missing on the right leave placements empty.
std::optional<Reading> reading(const std::vector<std::string>& figures, const Columns& columns) {
  Reading reading;
  std::size_t at = 0;
  if (columns.root) {
    if (figures.empty()) return std::nullopt;
    reading.root = number<std::int64_t>(figures[at++]);
    if (!reading.root || *reading.root < -1 || *reading.root > INT32_MAX) return std::nullopt;
  }
  for (std::uint32_t p = 0; p < columns.placements && at + columns.each <= figures.size();
       ++p, at += columns.each) {
    if (is_not_available(figures[at])) continue;  // not measured
    auto& place = p == 0 ? reading.out_of_place : reading.in_place;
    place = printed(figures, at, columns);
    if (!place) return std::nullopt;
  }
  return reading;
}

std::size_t width(const Columns& columns) {
  return (columns.root ? 1 : 0) + std::size_t{columns.placements} * columns.each + columns.more;
}

/// Whether bytes over time give the rate beside it; in microseconds or, as long ago, milliseconds;
/// n/(n-1) of it where the rate is that of all-gather long ago. Rates too small to tell are taken.
bool is_plausible(std::uint64_t bytes, const std::optional<Printed>& printed) {
  if (!printed || printed->algbw < 0.1 || !(printed->time > 0)) return true;
  const double rate = static_cast<double>(bytes) / printed->time / 1e3 / printed->algbw;
  const auto fits = [&](double unit) { return rate > 0.95 * unit && rate < 2.1 * unit; };
  return fits(1) || fits(1000);
}

/// Every layout that nccl-tests and its relatives have had, the usual ones first.
std::vector<Columns> all_layouts() {
  std::vector<Columns> all;
  struct Each {
    std::uint32_t columns, wrong;
  };
  for (const auto& [each, wrong] : {Each{4, 3}, Each{3, 0}, Each{8, 3}, Each{7, 0}})
    for (const bool root : {true, false})
      for (const std::uint32_t placements : {2u, 1u})
        all.push_back({root, placements, each, wrong});
  return all;
}

void keep(Draft& draft, const Reading& reading, bool is_whole) {
  if (reading.root) draft.row.root = reading.root;
  draft.row.out_of_place = reading.out_of_place;
  draft.row.in_place = reading.in_place;
  draft.is_whole = is_whole;
}

}  // namespace

std::vector<std::string> words_of(std::string_view line) {
  std::vector<std::string> words;
  std::string word;
  const auto end_word = [&] {
    if (!word.empty()) words.push_back(std::move(word));
    word.clear();
  };
  for (std::size_t at = 0; at < line.size(); ++at) {
    if (const auto length = tag_length(line, at); length > 0) {
      end_word();
      at += length - 1;
    } else if (std::string_view(" \t\r|`\f\v").find(line[at]) != std::string_view::npos) {
      end_word();
    } else {
      word += line[at];
    }
  }
  end_word();
  return words;
}

std::optional<Columns> columns_of(const std::vector<std::string>& words) {
  const auto find = [&](std::string_view word) { return std::ranges::find(words, word); };
  const auto time = find("time");
  if (time == words.end() || (find("size") == words.end() && find("bytes") == words.end()) ||
      find("algbw") == words.end())
    return std::nullopt;
  const auto next = std::find(time + 1, words.end(), "time");
  const auto last = std::find_if(time, words.end(), [](const std::string& word) {
    return word == "algorithm" || word == "ALGO" || word == "PROTO";
  });
  const auto end = next != words.end() ? next : last;
  Columns columns;
  columns.root = std::find(words.begin(), time, "root") != time;
  columns.placements = next == words.end() ? 1 : 2;
  columns.each = static_cast<std::uint32_t>(end - time);
  if (last - time > columns.each * columns.placements)
    columns.more = static_cast<std::uint32_t>(last - time) - columns.each * columns.placements;
  columns.names_algorithm = last != words.end() && *last == "algorithm";
  const auto wrong = std::find_if(time, end, [](const std::string& word) {
    return word == "#wrong" || word == "wrong" || word == "error" || word == "res" ||
           word == "delta";
  });
  columns.wrong = wrong == end ? 0 : static_cast<std::uint32_t>(wrong - time);
  return columns.each < 3 ? std::nullopt : std::optional(columns);
}

bool are_figures(const std::vector<std::string>& words) {
  return !words.empty() && std::ranges::all_of(words, is_figure);
}

std::optional<Draft> draft_of(const std::vector<std::string>& words,
                              const std::optional<Columns>& columns) {
  for (std::size_t at = 2; at < words.size(); ++at) {
    const auto type = type_of(words[at]);
    const auto bytes = number<std::uint64_t>(words[at - 2]),
               count = number<std::uint64_t>(words[at - 1]);
    if (!type || !bytes || !count || *bytes > std::uint64_t{1} << 62) continue;
    Draft draft{.row = {.bytes = *bytes, .count = *count, .type = type}};
    for (std::size_t i = 0; i + 2 < at; ++i)
      draft.before += (draft.before.empty() ? "" : " ") + words[i];
    if (++at < words.size() && !is_figure(words[at])) {
      const auto op = parse_reduce_op(words[at]);
      if (op) draft.row.redop = *op;
      draft.row.names_no_redop = words[at] == "none";
      if (op || draft.row.names_no_redop) ++at;
    }
    for (; at < words.size() && is_figure(words[at]); ++at) draft.figures.push_back(words[at]);
    if (at + 1 < words.size() && is_protocol(words[at + 1])) draft.row.protocol = words[at + 1];
    if (!draft.row.protocol.empty() || (columns && columns->names_algorithm && at < words.size()))
      draft.row.algorithm = in_lower_case(words[at]);
    if (draft.row.protocol.empty() && !draft.row.algorithm.empty() && at + 1 < words.size())
      draft.row.executor = words[at + 1];
    read_figures(draft, columns);
    return draft;
  }
  return std::nullopt;
}

void read_figures(Draft& draft, const std::optional<Columns>& columns) {
  const auto& figures = draft.figures;
  const auto all = all_layouts();
  const Columns usual = columns.value_or(all.front());
  if (figures.size() == width(usual)) {
    const auto whole = reading(figures, usual);
    if (whole && (columns || is_plausible(draft.row.bytes, whole->out_of_place)))
      return keep(draft, *whole, true);
  }
  for (const Columns& layout : all) {
    if (figures.size() != width(layout)) continue;
    const auto whole = reading(figures, layout);
    // A header that asks for more says that this line was cut.
    const bool is_cut =
        columns && (layout.placements < columns->placements || layout.each < columns->each);
    if (is_cut || !whole || !is_plausible(draft.row.bytes, whole->out_of_place) ||
        !is_plausible(draft.row.bytes, whole->in_place))
      continue;
    return keep(draft, *whole, true);
  }
  const auto part = reading(figures, usual);
  if (part && is_plausible(draft.row.bytes, part->out_of_place)) keep(draft, *part, false);
}

}  // namespace ringside::nccl_tests
