// Marks as a table, as JSON and as CSV (hand_ins.hpp).

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <numeric>

#include "viz/terminal/hand_ins.hpp"

namespace ringside::terminal {
namespace {

using lessons::GradedItem;
using lessons::HandIn;
using Json = nlohmann::ordered_json;

/// Foreign text in a terminal: no control characters, which it would obey.
std::string harmless(std::string text) {
  std::replace_if(
      text.begin(), text.end(),
      [](char c) { return static_cast<unsigned char>(c) < 32 || c == 127; }, '?');
  return text;
}

std::uint32_t hints_of(const HandIn& row) {
  return std::accumulate(
      row.items.begin(), row.items.end(), 0u,
      [](std::uint32_t sum, const GradedItem& item) { return sum + item.hints; });
}

/// `fewer-steps at race, tree`
std::vector<std::string> misconceptions_of(const HandIn& row) {
  std::vector<std::string> all;
  for (const GradedItem& item : row.items)
    for (const auto& one : item.misconceptions) all.push_back(one + " at " + item.beat);
  return all;
}

/// A spreadsheet runs what begins like a formula, whoever wrote it.
std::string csv_field(std::string text) {
  if (!text.empty() && std::string_view("=+-@\t").find(text[0]) != std::string_view::npos)
    text.insert(0, "'");
  if (text.find_first_of(",\"\n\r") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + "\"";
}

/// `steps: wrong [fewer-steps]`
std::string item_words(const GradedItem& item) {
  const char* state = item.right ? "right in the end" : item.answered ? "wrong" : "taken back";
  return fmt::format(
      "{}: {}{}{}", item.beat, state, item.trouble.empty() ? "" : ": " + item.trouble,
      item.misconceptions.empty() ? ""
                                  : fmt::format(" [{}]", fmt::join(item.misconceptions, ", ")));
}

std::string table_row(const HandIn& row) {
  if (!row.problem.empty())
    return harmless(fmt::format("{}: not graded: {}", row.file, row.problem)) + "\n";
  std::string text = harmless(fmt::format(
      "{:<16} {:<16} {:>2} of {:<2} {:>9} {:>8} {:>5}  {}", row.student, row.lesson, row.right(),
      row.items.size(), row.right_at_first(), row.attempts(), hints_of(row), row.file));
  text += "\n";
  std::vector<std::string> open;
  for (const GradedItem& item : row.items) {
    if (item.attempts == 0 && !item.answered) open.push_back(item.beat);
    if (item.attempts > 0 && !(item.right && item.misconceptions.empty()))
      text += "    " + harmless(item_words(item)) + "\n";
  }
  if (!open.empty())
    text += "    " + harmless(fmt::format("not answered: {}", fmt::join(open, ", "))) + "\n";
  for (const auto& flag : row.flags) text += harmless("    FLAG " + flag) + "\n";
  return text;
}

}  // namespace

std::string marks_table(const std::vector<HandIn>& rows, const std::string& summary) {
  std::string text = fmt::format("{:<16} {:<16} {:<8} {:>9} {:>8} {:>5}  {}\n", "student", "lesson",
                                 "right", "first try", "attempts", "hints", "file");
  for (const HandIn& row : rows) text += table_row(row);
  return text + "\n" + harmless(summary) + "\n";
}

std::string marks_json(const std::vector<HandIn>& rows, const std::string& summary) {
  Json results = Json::array();
  for (const HandIn& row : rows) {
    Json items = Json::array();
    for (const GradedItem& item : row.items) {
      Json one{{"question", item.beat},
               {"answered", item.answered},
               {"right", item.right},
               {"right_at_first", item.right_at_first},
               {"attempts", item.attempts},
               {"hints", item.hints},
               {"misconceptions", item.misconceptions}};
      if (!item.trouble.empty()) one["trouble"] = item.trouble;
      items.push_back(one);
    }
    Json one{{"file", row.file}, {"student", row.student}, {"lesson", row.lesson}};
    if (!row.problem.empty()) one["problem"] = row.problem;
    if (row.problem.empty())
      one.update({{"right", row.right()},
                  {"of", row.items.size()},
                  {"right_at_first", row.right_at_first()},
                  {"attempts", row.attempts()},
                  {"hints", hints_of(row)},
                  {"flags", row.flags},
                  {"questions", items}});
    results.push_back(one);
  }
  const Json json{
      {"ringside", 1}, {"command", "grade"}, {"results", results}, {"summary", summary}};
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string marks_csv(const std::vector<HandIn>& rows) {
  std::string text =
      "file,student,lesson,right,of,right_at_first,attempts,hints,misconceptions,flags,problem\n";
  for (const HandIn& row : rows) {
    const bool is_graded = row.problem.empty();
    const auto figure = [&](std::uint64_t number) {
      return is_graded ? std::to_string(number) : std::string();
    };
    const std::array fields{row.file,
                            row.student,
                            row.lesson,
                            figure(row.right()),
                            figure(row.items.size()),
                            figure(row.right_at_first()),
                            figure(row.attempts()),
                            figure(hints_of(row)),
                            fmt::format("{}", fmt::join(misconceptions_of(row), "; ")),
                            fmt::format("{}", fmt::join(row.flags, "; ")),
                            row.problem};
    for (const auto& field : fields)
      text += (&field == fields.data() ? "" : ",") + csv_field(harmless(field));
    text += "\n";
  }
  return text;
}

}  // namespace ringside::terminal
