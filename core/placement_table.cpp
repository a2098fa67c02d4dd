#include "core/placement_table.hpp"

#include <cstdio>
#include <string_view>

namespace ringside {
namespace {

constexpr std::size_t width_before = 52;  // of size, count, type, redop, root

/// A column that each placement has; two spaces stand before it.
struct Column {
  std::string_view title, unit;
  int width;
  std::string (*value)(const Row&, int width);
};

std::string number(std::optional<double> value, int width) {
  return value ? narrowed(*value, width) : "N/A";
}

std::string wrong(const Row& row, int) {
  if (!row.wrong) return "N/A";
  char text[32];
  std::snprintf(text, sizeof text, "%g", static_cast<double>(*row.wrong));
  return text;
}

template <Duration Statistics::*member>
std::string of_iterations(const Row& row, int width) {
  return row.statistics ? narrowed((*row.statistics.*member).microseconds(), width) : "N/A";
}

std::string time(const Row& row, int width) {
  return row.time ? narrowed(row.time->microseconds(), width) : "N/A";
}

std::string cv(const Row& row, int width) {
  return row.statistics ? narrowed(row.statistics->cv * 100, width) : "N/A";
}

std::string predicted(const Row& row, int width) {
  return row.predicted ? narrowed(row.predicted->microseconds(), width) : "N/A";
}

std::string error(const Row& row, int width) {
  const auto error = row.error();
  return error ? (*error > 0 ? "+" : "") + narrowed(*error * 100, width - 1) : "N/A";
}

std::string link(const Row& row, int width) {
  const auto share = row.busiest_link_share;
  return share ? narrowed(*share * 100, width) : "N/A";
}

constexpr Column measured[] = {
    {"time", "(us)", 7, time},
    {"algbw", "(GB/s)", 6, [](const Row& row, int width) { return number(row.algbw(), width); }},
    {"busbw", "(GB/s)", 6, [](const Row& row, int width) { return number(row.busbw(), width); }},
    {"#wrong", "", 6, wrong}};
constexpr Column spread[] = {{"min", "(us)", 7, of_iterations<&Statistics::min>},
                             {"max", "(us)", 7, of_iterations<&Statistics::max>},
                             {"p99", "(us)", 7, of_iterations<&Statistics::p99>},
                             {"cv", "(%)", 6, cv}};
constexpr Column simulated[] = {
    {"predict", "(us)", 9, predicted}, {"error", "(%)", 7, error}, {"link", "(%)", 6, link}};

/// Columns side by side under one heading, for one placement.
struct Group {
  std::string_view heading;
  bool in_place;
  std::vector<Column> columns;
  std::size_t width() const {
    std::size_t width = 0;
    for (const Column& column : columns) width += 2 + static_cast<std::size_t>(column.width);
    return width;
  }
};

std::vector<Group> groups(const PlacementTable& table) {
  std::vector<Group> groups{{"out-of-place", false, {}}, {"in-place", true, {}}};
  for (Group& group : groups) {
    group.columns.assign(std::begin(measured), std::end(measured));
    if (table.has_spread)
      group.columns.insert(group.columns.end(), std::begin(spread), std::end(spread));
  }
  if (!table.has_prediction) return groups;
  groups.push_back({"simulated out", false, {std::begin(simulated), std::end(simulated)}});
  groups.push_back({"simulated in", true, {std::begin(simulated), std::end(simulated)}});
  return groups;
}

std::string right(std::string_view text, int width) {
  const auto wide = static_cast<std::size_t>(width);
  return std::string(text.size() < wide ? wide - text.size() : 0, ' ') + std::string(text);
}

void add_end(std::string& line, std::string_view algorithm, std::string_view executor) {
  line += "  " + std::string(algorithm);
  line.resize(std::max(line.size(), line.size() - algorithm.size() + 19), ' ');
  line += "  " + std::string(executor);
  while (line.back() == ' ') line.pop_back();
  line += "\n";
}

}  // namespace

std::string PlacementTable::header() const {
  std::string headings = "#", titles = "#       size         count      type   redop    root",
              units = "#        (B)    (elements)                          ";
  std::size_t begin = width_before;
  for (const Group& group : groups(*this)) {
    headings.resize(begin + (group.width() - group.heading.size() + 1) / 2, ' ');
    headings += group.heading;
    begin += group.width();
    for (const Column& column : group.columns) {
      titles += "  " + right(column.title, column.width);
      units += "  " + right(column.unit, column.width);
    }
  }
  while (units.back() == ' ') units.pop_back();
  add_end(titles, "algorithm", "executor");
  return headings + "\n" + titles + units + "\n";
}

std::string PlacementTable::line(const Placements& placements) const {
  const auto& any = placements.out_of_place ? placements.out_of_place : placements.in_place;
  if (!any) return "";
  const std::string type(any->type ? name(*any->type) : ""),
      redop(any->redop ? name(*any->redop) : "none");
  char text[128];
  std::snprintf(text, sizeof text, "%12llu  %12llu  %8s  %6s  %6lld",
                static_cast<unsigned long long>(any->size.value_or(Bytes{}).count),
                static_cast<unsigned long long>(any->count.value_or(0)), type.c_str(),
                redop.c_str(), any->root ? static_cast<long long>(any->root->value) : -1LL);
  std::string line = text;
  for (const Group& group : groups(*this)) {
    const auto& row = group.in_place ? placements.in_place : placements.out_of_place;
    for (const Column& column : group.columns)
      line += "  " + right(row ? column.value(*row, column.width) : "N/A", column.width);
  }
  add_end(line, any->algorithm, any->backend);
  return line;
}

Verdict verdict(const std::vector<Row>& rows) {
  Verdict verdict;
  double sum = 0;
  for (const Row& row : rows) {
    verdict.checked += row.wrong.has_value();
    verdict.wrong += row.wrong.value_or(0) > 0;
    const auto busbw = row.is_yardstick() ? std::nullopt : row.busbw();
    sum += busbw.value_or(0);
    verdict.averaged += busbw.has_value();
  }
  if (verdict.averaged > 0) verdict.average_busbw = sum / static_cast<double>(verdict.averaged);
  return verdict;
}

std::string footer(const Verdict& verdict) {
  const auto out_of_bounds = verdict.checked == 0 ? "N/A"
                             : verdict.wrong == 0 ? "0 OK"
                                                  : std::to_string(verdict.wrong) + " FAILED";
  char average[64] = "N/A";
  if (verdict.average_busbw) std::snprintf(average, sizeof average, "%g", *verdict.average_busbw);
  return "# Out of bounds values : " + out_of_bounds + "\n# Avg bus bandwidth    : " + average +
         "\n";
}

}  // namespace ringside
