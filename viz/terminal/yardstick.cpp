#include "viz/terminal/yardstick.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "core/placement_table.hpp"
#include "core/suggest.hpp"
#include "viz/scenario/flags.hpp"

namespace ringside::terminal {

Result<void> check_has_own_collective(const Backend& backend, const std::string& flag) {
  if (std::ranges::count(backend.capabilities().executors, "native") > 0) return {};
  return bad_request(fmt::format(
      "{}: backend {} is no library with a collective of its own to measure; nccl and mpi are",
      flag, backend.name()));
}

std::vector<std::string> comparisons(const std::vector<Row>& rows) {
  std::vector<std::string> sentences;
  const auto is_comparable = [&](const Row& ours, const Row& native) {
    return !ours.is_yardstick() && ours.in_place == native.in_place && ours.size == native.size &&
           ours.type == native.type && ours.redop == native.redop && ours.root == native.root &&
           ours.time && native.time;
  };
  const auto stands = [](const Row& ours, const Row& native) {
    if (*ours.time > Duration{} && *native.time > Duration{})
      return fmt::format("{:.2f} times as long as {}",
                         ours.time->seconds() / native.time->seconds(), native.backend);
    const Row& quick = *ours.time > Duration{} ? native : ours;
    return fmt::format("not comparable with {}: the time of {} is less than its clock can tell",
                       native.backend, quick.backend);
  };
  for (const Row& native : rows) {
    if (!native.is_yardstick() || native.size != rows.back().size) continue;
    for (const Row& ours : rows)
      if (is_comparable(ours, native))
        sentences.push_back(
            fmt::format("{} by {}, {}, {}: {}", ours.algorithm, ours.backend, to_string(*ours.size),
                        ours.in_place ? "in place" : "out of place", stands(ours, native)));
  }
  return sentences;
}

Result<double> parse_busbw(const std::string& text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error == std::errc() && end == text.data() + text.size() && value >= 0) return value;
  RS_ASSIGN(const Bandwidth bandwidth, scenario::of_flag("--min-busbw", parse_bandwidth(text)));
  return bandwidth.gigabytes_per_second();
}

Gate gate(const std::vector<Row>& rows, std::optional<double> least) {
  const Verdict ours = verdict(rows);
  const auto yardstick = std::ranges::find_if(rows, &Row::is_yardstick);
  if (!least && yardstick == rows.end()) return {};
  const double average = ours.average_busbw.value_or(0);
  Gate gate;
  gate.sentence = ours.averaged == 0
                      ? "no row has a bus bandwidth: nothing moved, or in no time a clock can tell"
                      : fmt::format("average bus bandwidth of {}: {:.3g} GB/s",
                                    counted(ours.averaged, "row"), average);
  if (yardstick != rows.end()) gate.sentence += ", without those of " + yardstick->backend;
  if (!least) return gate;
  gate.is_open = average >= *least;
  gate.sentence +=
      fmt::format("; at least {:g} asked for: {}", *least, gate.is_open ? "OK" : "FAILED");
  return gate;
}

}  // namespace ringside::terminal
