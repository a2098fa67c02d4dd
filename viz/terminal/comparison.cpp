#include "viz/terminal/comparison.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <set>

#include "core/statistics.hpp"
#include "core/suggest.hpp"

namespace ringside::terminal {
namespace {

using Json = nlohmann::ordered_json;
constexpr Bytes large = 1_MiB;  // from here on bandwidth counts more than latency

/// `8 KiB in place`.
std::string where(const Row& row) {
  return to_string(*row.size) + (row.in_place ? " in place" : "");
}

/// `below 1 MiB: 24 rows, median error 8.1 %, worst -21.4 % at 64 KiB`; empty if there are no rows.
void judge(Comparison& all, std::string_view range, bool is_large) {
  std::vector<double> offs;
  const Pair* worst = nullptr;
  for (const Pair& pair : all.pairs) {
    if (pair.stands_out || (*pair.row.size >= large) != is_large) continue;
    const double off = all.off(pair);
    offs.push_back(all.against_prediction ? std::abs(off) : off);
    if (worst == nullptr || std::abs(off) > std::abs(all.off(*worst))) worst = &pair;
  }
  if (offs.empty()) return;
  all.notes.push_back(fmt::format(
      "{}: {}, median {} {:.1f} %, {} {:+.1f} % at {}", range, counted(offs.size(), "row"),
      all.against_prediction ? "error" : "change", median(offs) * 100,
      all.against_prediction ? "worst" : "largest", all.off(*worst) * 100, where(worst->row)));
}

/// How the best rates compare.
void judge_peak(Comparison& all) {
  double measured = 0, predicted = 0;
  for (const Pair& pair : all.pairs) {
    if (pair.stands_out || all.pairs.front().row.collective != pair.row.collective) continue;
    Row row = pair.row;
    measured = std::max(measured, row.busbw().value_or(0));
    row.time = pair.other;
    predicted = std::max(predicted, row.busbw().value_or(0));
  }
  if (measured <= 0) return;
  all.notes.push_back(fmt::format("peak busbw: {:.1f} GB/s measured, {:.1f} predicted ({:+.1f} %)",
                                  measured, predicted, (predicted / measured - 1) * 100));
}

Json json_of(const scenario::LogFit& fit) {
  return {{"latency_us", fit.latency.microseconds()},
          {"latency_us_range", {fit.least_latency.microseconds(), fit.most_latency.microseconds()}},
          {"bandwidth_GBps", fit.bandwidth.gigabytes_per_second()},
          {"bandwidth_GBps_range",
           {fit.least_bandwidth.gigabytes_per_second(), fit.most_bandwidth.gigabytes_per_second()}},
          {"rows", fit.rows}};
}

void tell_outliers(Comparison& all) {
  std::vector<std::string> places;
  for (const Pair& pair : all.pairs)
    if (pair.stands_out) places.push_back(where(pair.row));
  if (!places.empty())
    all.notes.push_back(fmt::format(
        "not judged, as they stand out from the sizes beside them (first use of something, or a "
        "disturbance): {}",
        fmt::join(places, ", ")));
}

void tell_wrong(Comparison& all) {
  std::vector<std::string> places;
  for (const Pair& pair : all.pairs)
    if (pair.row.wrong.value_or(0) > 0)
      places.push_back(fmt::format("{} at {}", *pair.row.wrong, where(pair.row)));
  if (!places.empty())
    all.notes.push_back(fmt::format("wrong elements: {}{}", fmt::join(places, ", "),
                                    all.tolerance ? ": FAILED" : ""));
}

/// Times of different executors are no change of one.
void tell_backends(Comparison& all) {
  std::set<std::string> changes;
  for (const Pair& pair : all.pairs)
    if (!pair.other_backend.empty())
      changes.insert(fmt::format("{} before, {} now", pair.other_backend, pair.row.backend));
  if (!changes.empty())
    all.notes.push_back(fmt::format("not the same executors: {}", fmt::join(changes, "; ")));
}

}  // namespace

double Comparison::off(const Pair& pair) const {
  const double before = pair.other.seconds(), now = pair.row.time->seconds();
  return against_prediction ? before / now - 1 : now / before - 1;
}

std::optional<scenario::Residual> Comparison::residual(const Pair& pair) const {
  if (!against_prediction) return std::nullopt;
  return scenario::residual_of(pair.row, pair.other, pair.stands_out, limits);
}

bool Comparison::is_failure(const Pair& pair) const {
  if (!tolerance) return false;
  if (pair.row.wrong.value_or(0) > 0) return true;
  if (pair.stands_out) return false;
  const double by = off(pair);
  return (against_prediction ? std::abs(by) : by) > *tolerance;
}

std::size_t Comparison::failures() const {
  return static_cast<std::size_t>(
      std::ranges::count_if(pairs, [&](const Pair& pair) { return is_failure(pair); }));
}

void sum_up(Comparison& all) {
  judge(all, "below 1 MiB", false);
  judge(all, "from 1 MiB", true);
  if (all.against_prediction) judge_peak(all);
  tell_outliers(all);
  tell_wrong(all);
  tell_backends(all);
  if (!all.tolerance) return;
  const auto far_off = std::ranges::count_if(all.pairs, [&](const Pair& pair) {
    return all.is_failure(pair) && pair.row.wrong.value_or(0) == 0;
  });
  all.notes.push_back(fmt::format("{} of {} {} by more than {:g} %", far_off,
                                  counted(all.pairs.size(), "row"),
                                  all.against_prediction ? "off" : "slower", *all.tolerance * 100));
  if (all.missing > 0)
    all.notes.push_back(counted(all.missing, "row") +
                        " of the first file missing in the second: FAILED");
}

std::string as_text(const Comparison& all) {
  const bool predicted = all.against_prediction;
  std::string text;
  for (const auto& one : all.assumed) text += "# " + one + "\n";
  text += fmt::format(
      "#       size      type   redop  placement     {:>12}  {:>12}  {:>8}  algorithm         "
      "protocol  executor\n"
      "#        (B)                                          (us)          (us)       (%)\n",
      predicted ? "measured" : "before", predicted ? "predicted" : "now",
      predicted ? "error" : "change");
  for (const Pair& pair : all.pairs) {
    const Row& row = pair.row;
    const auto first = predicted ? *row.time : pair.other,
               second = predicted ? pair.other : *row.time;
    std::string line = fmt::format(
        "{:>12}  {:>8}  {:>6}  {:<12}  {:>12}  {:>12}  {:>+8.1f}  {:<16}  {:<8}  {:<12}",
        row.size->count, row.type ? name(*row.type) : "", row.redop ? name(*row.redop) : "none",
        row.in_place ? "in place" : "out of place", narrowed(first.microseconds(), 12),
        narrowed(second.microseconds(), 12), all.off(pair) * 100, row.algorithm, row.protocol,
        row.backend);
    const auto residual = all.residual(pair);
    if (residual && !says_nothing(*residual))
      line += "  " + in_words(*residual, all.limits);
    else if (pair.stands_out)
      line += "  stands out";
    if (all.is_failure(pair)) line += "  FAILED";
    text += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
  }
  for (const auto& note : all.notes) text += "# " + note + "\n";
  return text;
}

std::string as_json(const Comparison& all) {
  Json json{{"ringside", 1}, {"command", "compare"}, {"results", Json::array()}};
  for (const Pair& pair : all.pairs) {
    const Row& row = pair.row;
    Json one{{"collective", name(row.collective)}, {"algorithm", row.algorithm}};
    if (!row.protocol.empty()) one["protocol"] = row.protocol;
    if (!row.backend.empty()) one["backend"] = row.backend;
    if (!pair.other_backend.empty()) one["before_backend"] = pair.other_backend;
    if (row.ranks > 0) one["ranks"] = row.ranks;
    one["bytes"] = row.size->count;
    if (row.type) one["type"] = name(*row.type);
    if (row.redop) one["redop"] = name(*row.redop);
    if (row.root) one["root"] = row.root->value;
    one["in_place"] = row.in_place;
    one["time_us"] = row.time->microseconds();
    one[all.against_prediction ? "predicted_us" : "before_us"] = pair.other.microseconds();
    one[all.against_prediction ? "error" : "change"] = all.off(pair);
    if (pair.stands_out) one["stands_out"] = true;
    if (const auto residual = all.residual(pair)) one["badge"] = name(residual->badge);
    if (row.wrong) one["wrong"] = *row.wrong;
    if (all.tolerance) one["pass"] = !all.is_failure(pair);
    json["results"].push_back(one);
  }
  if (all.fitted) json["fit"] = json_of(*all.fitted);
  if (!all.assumed.empty()) json["assumed"] = all.assumed;
  if (!all.notes.empty()) json["notes"] = all.notes;
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace ringside::terminal
