#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "core/engine.hpp"
#include "sim/router.hpp"
#include "sim/simulate.hpp"

namespace ringside::sim {

/// Whether one group of ranks may stand for all (sim/folding.hpp).
enum class Fold : std::uint8_t {
  automatic,  ///< where it can, from `Timekeeper::least_folded` ranks on
  off,
  on,  ///< or not at all
};
Result<Fold> parse_fold(std::string_view text);  ///< `auto` `off` `on`

/// How long a plan takes, without saying what becomes of each transfer: by the cheapest way that
/// gives the exact time. One group of ranks stands for all where it can, else the whole story is
/// heard as it is told, and only where model flow must see all of it is a schedule stored. Not
/// thread-safe.
class Timekeeper {
 public:
  static constexpr std::uint32_t least_folded = 64;
  static constexpr std::uint32_t most_stored = 1u << 14;  ///< ranks whose schedules fit in memory

  /// How to go about it.
  struct Manner {
    NetworkModel model;
    Fold fold;
  };
  /// The router is one of `topology`, which must outlive both. Errors: as Simulator::prepare();
  /// Fold::on where no group of ranks can stand for all.
  static Result<Timekeeper> prepare(const Plan& plan, const Topology& topology, Router& router,
                                    Manner manner);
  ~Timekeeper();
  Timekeeper(Timekeeper&&) noexcept;

  /// As Simulator::run(), without spans. Further errors: Fold::on, and no group of ranks can stand
  /// for all here; too many ranks for a stored schedule, or too little memory.
  Result<Simulation> run(const Payload& payload, const Disturbance& disturbance = {},
                         const Patience& patience = {});
  /// How the last run was done: `folded: 1 of 16,384 nodes simulated`, `not folded: ` and why, or
  /// empty where there is nothing to say.
  const std::string& note() const;

 private:
  struct State;
  explicit Timekeeper(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace ringside::sim
