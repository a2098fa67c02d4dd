#pragma once

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/engine.hpp"
#include "core/report.hpp"
#include "sim/router.hpp"
#include "sim/simulate.hpp"
#include "sim/timekeeper.hpp"
#include "viz/scenario/collective_options.hpp"
#include "viz/scenario/system_options.hpp"

namespace ringside::scenario {

/// One or many algorithms of one collective, run on one machine at any size. Schedules are built
/// once for each set of options; where the algorithm is tuned by chunks, the number that predict()
/// likes best is taken.
class Contest {
 public:
  /// Whether tuned algorithms get the chunks that suit a size, or their defaults: few, for people
  /// to follow.
  enum class Tuning : std::uint8_t { on, off };
  /// Whether a run must show its schedule and what became of each transfer. Where nobody asks, the
  /// cheapest way to the time is taken (sim/timekeeper.hpp): any number of ranks will do.
  enum class Shown : std::uint8_t { transfers, times };
  struct Purpose {  ///< what runs are for
    Tuning tuning = Tuning::on;
    Shown shown = Shown::transfers;
    sim::Fold fold = sim::Fold::automatic;  ///< where times alone are shown
    unsigned threads = 0;                   ///< that try who can run; 0: one a core
  };
  struct Run {
    Row row;
    Plan plan;
    std::shared_ptr<const Schedule> schedule;         ///< null where only times are shown
    std::shared_ptr<const sim::Topology> topology;    ///< with agents, where the plan has any
    std::shared_ptr<const sim::Simulator> simulator;  ///< null where only times are shown
    sim::Payload payload;
    sim::Simulation simulation;  ///< no spans where only times are shown
    std::string note{};          ///< how times were come by, where there is something to say
  };

  using Visit = std::function<Result<void>(Run&)>;
  struct Heat {
    Bytes size;
    std::span<const Algorithm* const> entrants;
    sim::Patience patience = {};
  };
  struct LeftOut {
    std::string_view algorithm;
    std::string reason;
  };

  /// `request.algorithm`: a name, `all` or `best`. An algorithm asked for by name must be able to
  /// run; of `all` and `best` those that cannot are left out and named in notes().
  static Result<Contest> enter(const CollectiveRequest& request, const Machine& machine,
                               const Purpose& purpose);
  static Result<Contest> enter(const CollectiveRequest& request, const Machine& machine,
                               Tuning tuning = Tuning::on) {
    return enter(request, machine, Purpose{.tuning = tuning});
  }

  /// Shows every run at one size to `visit`, by registry order, or the fastest alone (`best`). One
  /// run is kept at a time: spans of many ranks are large. Of `all` and `best`, those that cannot
  /// run at this size are left out, too.
  Result<void> run(Bytes size, const Visit& visit);
  /// Those that run() would run, in that order; some of them, and one alone, which several threads
  /// may do at once. Errors: `patience` had an end (sim/simulate.hpp).
  std::span<const Algorithm* const> entrants() const { return entrants_; }
  std::uint32_t ranks() const { return request_.spec.ranks; }
  bool wants_fastest() const { return request_.algorithm == "best"; }
  Result<void> run(const Heat& heat, std::vector<LeftOut>& left_out, const Visit& visit);
  Result<Run> run_one(const Algorithm& entrant, Bytes size, const sim::Patience& patience = {});
  /// What the algorithm that was asked for by name would do at one size, without doing it.
  Result<Plan> only_plan(Bytes size) const { return plan(*entrants_.front(), size); }
  /// What was left out, and why.
  const std::vector<std::string>& notes() const { return notes_; }
  static std::vector<std::string> notes_of(std::span<const LeftOut> left_out, Bytes size);

 private:
  /// What one plan needs at every size.
  struct Built {
    Plan plan;
    std::shared_ptr<const Schedule> schedule;
    std::shared_ptr<const sim::Topology> topology;
    std::shared_ptr<const sim::Simulator> simulator;
    std::shared_ptr<sim::Router> router;
    std::shared_ptr<sim::Timekeeper> timekeeper;  ///< instead of schedule and simulator
  };
  /// The latest of each algorithm, which all threads use at once; or those that no thread uses now,
  /// since a timekeeper serves one at a time.
  struct Shelf {
    struct Place {
      std::mutex mutex;
      std::shared_ptr<const Built> built;
      std::vector<std::shared_ptr<const Built>> idle;
    };
    Place& place_of(const Algorithm* algorithm);
    std::mutex mutex;
    std::map<const Algorithm*, Place> places;
  };

  Contest(CollectiveRequest request, const Machine& machine);
  Result<void> enter_all(const Options& given);
  Result<Plan> plan(const Algorithm& algorithm, Bytes size) const;
  /// The flags that the user gave and this plan has no use for.
  std::vector<std::string_view> unused_flags(const Plan& plan, const Options& given) const;
  Result<std::shared_ptr<const Built>> build(const Plan& plan);
  Result<std::shared_ptr<const Built>> build_anew(const Plan& plan) const;
  void leave_to_others(std::shared_ptr<const Built> built);

  CollectiveRequest request_;
  Machine machine_;
  LinkCost typical_;  ///< of the worst route between ranks next to each other, for tuned chunks
  Purpose purpose_;
  bool is_open_ = false;  ///< `all` or `best`: who cannot run is left out
  std::vector<const Algorithm*> entrants_;
  std::vector<std::string> notes_;
  std::unique_ptr<Shelf> shelf_ = std::make_unique<Shelf>();
};

/// The row that a simulation of a plan gives, on the topology it ran on.
struct Outcome {
  const Plan& plan;
  const CollectiveRequest& request;
  const sim::Payload& payload;
  const sim::Topology& topology;
};
Row result_row(const Outcome& of, const Machine& machine, const sim::Simulation& simulation);
/// How many elements a size stands for; a barrier has none.
sim::Payload payload_for(const CollectiveSpec& spec, Bytes size, ElementType type);

/// For people who watch the method: where chunks are tuned and the user left them open, a chunk a
/// rank, or the next number the algorithm takes, where predict() would like hundreds.
Result<void> keep_few_chunks(CollectiveRequest& request, const Machine& machine);

bool leaves_open(std::string_view algorithm);  ///< `all`, `best` and `auto` name none

/// `fastest: direct up to 64 KiB, then ring`: who wins at which size, and where that changes. One
/// sentence, or none where there is nothing to compare. Marks the winners in `rows`.
std::vector<std::string> judge(std::vector<Row>& rows);

}  // namespace ringside::scenario
