// What a table's figures say about it: which collective ran, on how many ranks, in what unit the
// times are. All of it is redundant in a log, and in some logs it is wrong.

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "core/formats/nccl_tests.hpp"
#include "core/statistics.hpp"
#include "core/suggest.hpp"

namespace ringside::nccl_tests {
namespace {

constexpr std::uint32_t most_ranks = 1u << 20;
constexpr double longest_us = 1e12;

std::string in_digits(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.4g", value);
  return text;
}

template <typename Visit>
void for_each_placement(const PrintedRow& row, const Visit& visit) {
  if (row.out_of_place) visit(*row.out_of_place);
  if (row.in_place) visit(*row.in_place);
}

/// Which values a quotient of two printed rates may have had before they were rounded.
struct Interval {
  double least = 0, most = 1e300;
  void narrow(double rate, double other) {
    constexpr double half = 0.006;  // of the last digit of two decimals
    // Large rates are printed with fewer: 1016.6 to a tenth, 12345 to one.
    const auto loose = [&](double x) { return x < 1000 ? half : x < 10'000 ? 0.06 : x * 1e-3; };
    least = std::max(least, (rate - loose(rate)) / (other + loose(other)));
    most = std::min(most, (rate + loose(rate)) / std::max(other - loose(other), 1e-9));
  }
  bool holds(double value) const { return value >= least - 1e-9 && value <= most + 1e-9; }
  bool is_empty() const { return least > most + 1e-9; }
};

/// What the figures of a whole table have in common.
class Evidence {
 public:
  explicit Evidence(const Test& test);

  /// Times are in milliseconds, as versions before 2020 printed them.
  bool in_milliseconds = false;
  /// Bytes over time over algbw: 1, or n/(n-1) where algbw already was busbw; 0: not to be told.
  double rate_ratio = 0;
  std::size_t implausible = 0;  ///< rows whose algbw their size and time do not give

  bool fits(CollectiveKind kind, std::uint32_t ranks) const;
  /// The one number of ranks that the figures of this collective allow; 0 if none, or several.
  std::uint32_t ranks_of(CollectiveKind kind) const;

 private:
  bool fits_words(CollectiveKind kind) const;
  const Test& test_;
  Interval factor_;  // busbw over algbw
  Interval blocks_;  // bytes over count: ranks where blocked, else 1
};

Evidence::Evidence(const Test& test) : test_(test) {
  std::vector<double> ratios;
  for (const PrintedRow& row : test.rows) {
    const auto bytes = static_cast<double>(row.bytes);
    for_each_placement(row, [&](const Printed& printed) {
      if (printed.algbw < 0.1 || printed.time <= 0) return;
      ratios.push_back(bytes / printed.time / 1e3 / printed.algbw);
      Interval narrower = factor_;
      narrower.narrow(printed.busbw, printed.algbw);
      if (!narrower.is_empty()) factor_ = narrower;
    });
    if (row.count > 0 && row.type && row.bytes > 0) {
      const double whole = bytes / static_cast<double>(row.count * size_of(*row.type).count);
      blocks_.least = std::max(blocks_.least, whole - 1e-6);
      blocks_.most = std::min(blocks_.most, whole + 1e-6);
    }
  }
  if (ratios.empty()) return;
  const double middle = median(ratios);
  in_milliseconds = middle > 100;
  rate_ratio = in_milliseconds ? middle / 1000 : middle;
  implausible = static_cast<std::size_t>(std::ranges::count_if(
      ratios, [&](double ratio) { return std::abs(ratio / middle - 1) > 0.05; }));
}

/// Root and op, where the rows say something about them.
bool Evidence::fits_words(CollectiveKind kind) const {
  for (const PrintedRow& row : test_.rows) {
    if (row.redop && !reduces(kind)) return false;
    if (row.names_no_redop && reduces(kind)) return false;
    if (row.root && *row.root >= 0 && !has_root(kind)) return false;
    if (row.root && *row.root < 0 && has_root(kind)) return false;
  }
  return true;
}

bool Evidence::fits(CollectiveKind kind, std::uint32_t ranks) const {
  if (!fits_words(kind)) return false;
  if (ranks == 0) ranks = ranks_of(kind);
  if (ranks < 2) return false;
  const bool is_old = is_blocked(kind) && factor_.holds(1) && rate_ratio > 1.005;
  const bool blocks_fit =
      blocks_.is_empty() || blocks_.holds(is_blocked(kind) ? ranks : 1) || is_old;
  return blocks_fit && (is_old || factor_.holds(busbw_factor(kind, ranks)));
}

std::uint32_t Evidence::ranks_of(CollectiveKind kind) const {
  if (is_blocked(kind) && !blocks_.is_empty() && blocks_.least > 1.5 && blocks_.most < most_ranks)
    return static_cast<std::uint32_t>(std::lround(blocks_.least));
  if (busbw_factor(kind, 2) == busbw_factor(kind, 3)) return 0;
  std::uint32_t found = 0;
  for (std::uint32_t ranks = 2; ranks < most_ranks; ++ranks) {
    const double factor = busbw_factor(kind, ranks);
    if (factor > factor_.most + 1e-9) break;  // it grows with the ranks
    if (!factor_.holds(factor)) continue;
    if (found > 0) return 0;
    found = ranks;
  }
  return found;
}

Result<CollectiveKind> choose_collective(const Test& test, const Evidence& evidence,
                                         std::vector<std::string>& notes) {
  if (test.collective) return *test.collective;
  std::vector<CollectiveKind> fitting;
  std::string names;
  for (std::size_t k = 0; k < collective_count; ++k) {
    const auto kind = static_cast<CollectiveKind>(k);
    if (kind == CollectiveKind::barrier || !evidence.fits(kind, test.stated_ranks)) continue;
    fitting.push_back(kind);
    names += (names.empty() ? "" : ", ") + std::string(name(kind));
  }
  if (fitting.size() != 1)
    return bad_request("it is not said which collective ran, and " +
                       (names.empty() ? "its figures fit none" : "its figures fit " + names) +
                       ": say it with --collective");
  notes.push_back("taken for " + names + ": no line says so, its busbw, op and root do");
  return fitting.front();
}

std::uint32_t choose_ranks(const Test& test, const Evidence& evidence, CollectiveKind kind,
                           std::vector<std::string>& notes) {
  const auto stated = test.stated_ranks;
  const auto counted = evidence.ranks_of(kind);
  if (counted == 0 || counted == stated) return stated;
  if (stated > 0 && evidence.fits(kind, stated)) return stated;
  const auto why = stated > 0 ? "ranks listed: " + std::to_string(stated) + ", but"
                              : std::string("no line says how many ranks took part:");
  notes.push_back(why + " the figures are those of " + std::to_string(counted));
  return counted;
}

/// What was read off a test as a whole.
struct Meaning {
  CollectiveKind kind;
  std::uint32_t ranks;
  double to_us;  ///< what one of its units of time is
};

/// Adds up to two rows; the number of those that had no bytes, and of those that had no time.
struct Dropped {
  std::size_t empty = 0, timeless = 0;
};

void add_rows(const PrintedRow& printed, const Meaning& meaning, MeasuredLog& log,
              Dropped& dropped) {
  const auto add = [&](const std::optional<Printed>& placed, bool in_place) {
    if (!placed) return;
    const double us = placed->time * meaning.to_us;
    if (printed.bytes == 0) return void(++dropped.empty);
    if (!(us > 0 && us < longest_us) || std::llround(us * 1e6) <= 0)
      return void(++dropped.timeless);
    Row row{.collective = meaning.kind,
            .algorithm = printed.algorithm,
            .protocol = printed.protocol,
            .backend = printed.executor,
            .ranks = meaning.ranks,
            .size = Bytes{printed.bytes},
            .type = printed.type,
            .redop = printed.redop,
            .in_place = in_place,
            .time = Duration{std::llround(us * 1e6)},
            .wrong = placed->wrong};
    if (printed.root && *printed.root >= 0)
      row.root = Rank{static_cast<std::uint32_t>(*printed.root)};
    log.rows.push_back(std::move(row));
  };
  add(printed.out_of_place, false);
  add(printed.in_place, true);
  if (!printed.out_of_place && !printed.in_place) ++dropped.timeless;  // N/A in both
}

/// In the words people use for it.
const char* in_words(Test::Network network) {
  static constexpr const char* words[] = {"FasTrak",    "EFA",         "RoCE",
                                          "InfiniBand", "TCP sockets", ""};
  return words[static_cast<std::size_t>(network)];
}

/// Of several tests, the first that says something.
void add_machine(const Test& test, std::uint32_t ranks, MeasuredOn& on) {
  if (on.ranks == 0) on.ranks = ranks;
  if (on.nodes == 0 && test.ranks.size() == ranks)
    on.nodes = static_cast<std::uint32_t>(test.hosts.size());
  if (on.gpus_per_process == 0) {
    const auto listed = test.ranks.size() / std::max<std::size_t>(test.processes.size(), 1);
    on.gpus_per_process = std::max(test.gpus_per_process, static_cast<std::uint32_t>(listed));
  }
  if (on.interconnect.empty()) on.interconnect = in_words(test.network);
  if (on.hardware.empty() && !test.devices.empty()) on.hardware = *test.devices.begin();
}

void tell(const Test& test, const Evidence& evidence, const Dropped& dropped,
          std::vector<std::string>& notes) {
  const auto rows = [](std::size_t n) { return counted(n, "row"); };
  if (evidence.in_milliseconds)
    notes.push_back("times are read as milliseconds: size over time gives algbw only so");
  if (evidence.rate_ratio > 1.005)
    notes.push_back("size over time is " + in_digits(evidence.rate_ratio) +
                    " times the algbw printed, as in old versions, whose algbw of blocked "
                    "collectives carries (n-1)/n: size and time are taken");
  if (evidence.implausible > 0)
    notes.push_back("of " + rows(evidence.implausible) +
                    " the algbw is not size over time: size and time are taken");
  if (dropped.empty > 0) notes.push_back(rows(dropped.empty) + " of no bytes left out");
  if (dropped.timeless > 0)
    notes.push_back(rows(dropped.timeless) + " without a time above zero left out");
  std::size_t wrong = 0, alone = 0;
  for (const PrintedRow& row : test.rows) {
    alone += row.out_of_place && !row.in_place;
    for_each_placement(row, [&](const Printed& p) { wrong += p.wrong.value_or(0) > 0; });
  }
  if (wrong > 0) notes.push_back(rows(wrong) + " had wrong elements: their times are taken");
  if (alone == test.rows.size()) notes.push_back("there are no in-place columns");
  if (test.devices.size() > 1)
    notes.push_back("its GPUs are not all the same: " + *test.devices.begin() + ", " +
                    *test.devices.rbegin());
}

}  // namespace

Result<CollectiveKind> collective_of(std::string text) {
  if (const auto end = text.find("_perf"); end != std::string::npos) text.resize(end);
  if (text == "alltoall") text = "all_to_all";
  if (text == "sendrecv") text = "send_recv";
  return parse_collective(text);
}

std::optional<CollectiveKind> collective_in(std::string_view line) {
  const auto end = line.find("_perf");
  if (end == line.npos || end == 0) return std::nullopt;
  const auto before = line.substr(0, end).find_last_not_of("abcdefghijklmnopqrstuvwxyz_");
  const auto begin = before == line.npos ? 0 : before + 1;
  const auto kind = collective_of(std::string(line.substr(begin, end - begin)));
  return kind ? std::optional(*kind) : std::nullopt;
}

Result<void> conclude(const Test& test, std::string_view name, const LogOptions& options,
                      MeasuredLog& log) {
  const Evidence evidence(test);
  Test told = test;
  if (options.collective) told.collective = options.collective;
  if (options.ranks > 0) told.stated_ranks = options.ranks;
  if (told.stated_ranks == 0) told.stated_ranks = static_cast<std::uint32_t>(test.ranks.size());
  std::vector<std::string> notes;
  auto kind = choose_collective(told, evidence, notes);
  if (!kind) return bad_request(std::string(name) + ": " + kind.error().message);
  const auto ranks = options.ranks > 0 ? options.ranks : choose_ranks(told, evidence, *kind, notes);
  Dropped dropped;
  const Meaning meaning{*kind, ranks, evidence.in_milliseconds ? 1e3 : 1};
  for (const PrintedRow& row : test.rows) add_rows(row, meaning, log, dropped);
  add_machine(test, ranks, log.on);
  tell(test, evidence, dropped, notes);
  for (auto& note : notes)
    if (std::ranges::find(log.notes, note) == log.notes.end()) log.notes.push_back(std::move(note));
  return {};
}

}  // namespace ringside::nccl_tests
