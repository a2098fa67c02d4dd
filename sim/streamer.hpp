#pragma once

#include <memory>

#include "core/story.hpp"
#include "sim/folding.hpp"
#include "sim/simulate.hpp"

namespace ringside::sim {

/// How a Streamer hears.
struct Hearing {
  NetworkModel model = NetworkModel::stream;
  /// One group of ranks stands for all. Then run() also fails where that turns out not to be so, as
  /// with a disturbance, and the error says why.
  std::shared_ptr<const Folding> folding = {};
};

/// A simulation of a story as it is told: nothing is kept of it but times that can still delay
/// somebody. To the picosecond what Simulator::run() makes of the stored schedule, jitter included,
/// without its spans. Routes are found once, for all runs. Not thread-safe: several threads have a
/// Streamer each.
///
/// Model flow can be heard as long as no two transfers share a wire. Where they may, run() fails,
/// and is_contended() says why: that takes a stored schedule.
///
/// Memory: 8 or 16 bytes an output or scratch slot, and what the connections need
/// (docs/performance.md). The 8 bytes hold when a slot was last written, and whether it has been
/// used since; when, is kept for the whole rank only: the latest such time. A write that arrives
/// after that one cannot be held up. If one arrives before it, the story is told again, with 16
/// bytes a slot.
class Streamer {
 public:
  /// The router is one of `topology`, which must outlive both. Errors: as Simulator::prepare().
  static Result<Streamer> prepare(Story story, const Topology& topology, Router& router,
                                  const Hearing& hearing = {});
  ~Streamer();
  Streamer(Streamer&&) noexcept;

  /// Errors: as Simulator::run(), and of the story as ScheduleBuilder::build() has them, except for
  /// a step that overwrites an operand too early, which passes unseen; too little memory.
  Result<Simulation> run(const Payload& payload, const Disturbance& disturbance = {},
                         const Patience& patience = {});
  /// Whether the last run() failed because transfers share wires.
  bool is_contended() const;

 private:
  struct State;
  explicit Streamer(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace ringside::sim
