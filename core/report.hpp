#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/algorithm.hpp"
#include "core/collective.hpp"
#include "core/statistics.hpp"
#include "core/units.hpp"

namespace ringside {

/// A flag that a result hangs on, as it would be given again: `--set nvlink.bandwidth=x2`.
struct Condition {
  std::string name{};  ///< `set`, `rank-order`, ... without the dashes
  std::vector<std::string> values{};
  bool repeats = false;  ///< may be given several times: a list in JSON even with one value
};

/// One result: one size, one algorithm, one placement. A field that means nothing here stays empty
/// and is absent from JSON and CSV.
struct Row {
  CollectiveKind collective = CollectiveKind::all_reduce;
  std::string algorithm{};
  Options options{};                    ///< complete, as the algorithm ran with them
  std::string protocol{};               ///< `none`: links as they are
  std::string backend{};                ///< `sim/flow`, `reference`, ...
  std::string system{};                 ///< the preset, shape or file it ran on
  std::uint32_t nodes = 0;              ///< copies of it; 0: a shape has none
  std::string net{};                    ///< what joined them
  std::vector<Condition> conditions{};  ///< the rest that running it again takes
  std::string host{};  ///< the machines it really ran on, in order of rank: `node0,node1`
  std::uint32_t ranks = 1;
  std::vector<std::uint32_t> devices{};  ///< by rank: its GPU (Setting::gpus)
  std::optional<Bytes> size{};
  std::optional<std::uint64_t> count{};
  std::optional<ElementType> type{};
  std::optional<ReduceOp> redop{};
  std::optional<Rank> root{};
  bool in_place = false;
  std::optional<Duration> time{};          ///< measured: the median of all iterations
  std::optional<Statistics> statistics{};  ///< of the iterations, where there were some
  std::optional<Duration> predicted{};     ///< what a simulation of the same schedule says
  std::string busiest_link{};              ///< of those that tie, the first
  std::size_t busiest_link_ties = 0;       ///< how many more carry as much
  std::optional<double> busiest_link_share{};
  bool fastest = false;  ///< of all algorithms compared at this size
  std::optional<std::uint64_t> wrong{};
  std::optional<bool> pass{};
  std::string violation{};

  /// Where the time went, on request: what kinds of moments the critical path is made of, which add
  /// up to `time` exactly, and the path in sentences.
  struct Share {
    std::string_view kind;  ///< `wire`, `latency`, `wait for link`, ...
    Duration time;
  };
  std::vector<Share> time_shares{};
  std::vector<std::string> critical_path{};

  /// Whether it is a library's own collective, measured beside ours: algorithm `native`.
  bool is_yardstick() const { return algorithm == "native"; }
  /// Bytes over time in GB/s; empty without both, or in no time at all.
  std::optional<double> algbw() const;
  /// algbw times the collective's factor (busbw_factor).
  std::optional<double> busbw() const;
  /// How far the prediction is from the measured time, in parts of it: 0.1 is 10 % too long.
  std::optional<double> error() const;
};

/// What a command has to say: rows, and sentences about all of them.
struct Report {
  std::string command{};
  std::vector<Row> rows{};
  std::vector<std::string> assumed{};  ///< taken for granted about the system
  std::vector<std::string> notes{};    ///< what was not run and why, crossovers, ...
};

/// `gpu0->gpu1 (+7 alike)`: the busiest link and how many tie with it; empty without one.
std::string busiest_to_string(const Row& row);
/// `--model flow --slow 'gpu0->gpu1=4x'`: for a shell, in order.
std::string to_string(const std::vector<Condition>& conditions);
/// One JSON object: {"ringside": 1, "command", "results": [...], "assumed": [...], "notes": [...]}.
std::string to_json(const Report& report);
/// A header line and a line a row; fields with commas or quotes are quoted (RFC 4180).
std::string to_csv(const Report& report);
/// nccl-tests' table plus algorithm, busiest link and its share; notes below as comment lines.
std::string to_table(const Report& report);
/// The table's pieces, for printing rows as they come.
std::string table_header();
std::string table_row(const Row& row);

/// A number in at most `width` characters as nccl-tests prints it: two decimals, then one, none,
/// exponent.
std::string narrowed(double value, int width);
/// `chunks=8 channels=2`: what an algorithm ran with, in a word each; empty if nothing matters.
std::string to_string(const Options& options);

}  // namespace ringside
