#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "core/formats/trace_json.hpp"

namespace ringside {

/// The wires that a run used, and when. `stretches` are in order of link, then of `from`.
struct UsedWires {
  struct Wire {
    std::string name;       ///< `gpu0->nvsw0`
    Bandwidth bandwidth{};  ///< 0: unknown
  };
  std::vector<Wire> wires{};  ///< by LinkId
  std::vector<LinkStretch> stretches{};
};

/// What is known of a run whose machine is not: a wire for each pair of ranks that exchanged
/// messages, each at its mean rate from first to last byte.
UsedWires wires_between_ranks(const RecordedRun& run);

struct TraceEvents {
  const RecordedRun& run;
  const UsedWires& used;
  std::vector<std::string> places{};  ///< by participant: the device it sits on; may be empty
  std::string version{}, command{};   ///< who wrote this, and asked for what
};

/// The run in the Trace Event Format (the JSON that Perfetto and Chrome's tracing open), piece by
/// piece into `sink`; sorted by no clock, as the format allows.
///
/// A rank is a process, a channel's sends and receives are threads of it. A slice ("B", "E") is a
/// message that leaves (begin to read), arrives (its first byte could be there, begin + arrival -
/// read, to commit) or stays on its rank. Messages of one channel that overlap take further
/// threads, since slices of a thread nest. An arrow ("s", "f") joins the two slices of a message.
/// Two processes more hold a counter ("C") for each wire: the bytes of messages under way on it,
/// and the share of its bandwidth in use, or GB/s where that is unknown. Times are microseconds
/// with three decimals: whole nanoseconds, rounded down.
Result<void> write_trace_events(const TraceEvents& events,
                                const std::function<Result<void>(std::string_view)>& sink);

}  // namespace ringside
