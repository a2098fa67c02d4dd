#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "viz/stage/staged_run.hpp"

namespace ringside::stage {

/// What one rank's port has moved.
struct Port {
  Bytes out, in;
};

/// A run's figures up to one moment. Bytes are counted as they leave their source, evenly between a
/// transfer's begin and its read; local transfers count nothing.
struct Numbers {
  TimePoint now;
  Duration time;             ///< of the whole run
  bool is_finished = false;  ///< now >= time
  Bytes sent, to_send;       ///< by all ranks together: so far, in the whole run
  std::uint64_t messages = 0, messages_in_all = 0;  ///< committed between ranks
  std::vector<Port> ports;                          ///< by participant, so far
  /// The rank with the most bytes out and in together, so far; the first where several tie.
  Rank busiest_port;
  std::size_t port_ties = 0;  ///< how many more move as much
  /// Of the whole run: nccl-tests' two figures, in GB/s; empty where it took no time.
  std::optional<double> algbw, busbw;
  /// Links that were busy for the largest share of the whole run, by id; and that share. None for a
  /// measured run.
  std::vector<LinkId> busiest;
  double busiest_share = 0;
  Step step;  ///< of the latest transfer to begin
};

Numbers numbers_at(const StagedRun& run, TimePoint now);

/// Bytes that a transfer has sent by then, rounded down.
Bytes sent_by(const StagedRun& run, TransferId id, TimePoint now);

/// Share of each link's bandwidth in use at that moment, 0..1, by LinkId: the sum over the
/// transfers that are leaving their source, each at its mean rate. (A mean can be less than the
/// rate of the moment, so shares that add up to a little more than 1 are cut.)
std::vector<double> load_at(const StagedRun& run, TimePoint now);

/// How long each participant has had nothing on its way from or to it, by then or by the run's end:
/// no transfer of its between begin and arrival.
std::vector<Duration> idle_times(const StagedRun& run, TimePoint now);

}  // namespace ringside::stage
