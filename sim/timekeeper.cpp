#include "sim/timekeeper.hpp"

#include <array>
#include <optional>
#include <utility>

#include "core/suggest.hpp"
#include "sim/streamer.hpp"

namespace ringside::sim {
namespace {

constexpr std::array<std::string_view, 3> fold_names{"auto", "off", "on"};

/// 16,384.
std::string in_thousands(std::uint64_t number) {
  std::string text = std::to_string(number);
  for (std::size_t at = text.size(); at > 3; at -= 3) text.insert(at - 3, ",");
  return text;
}

std::string folded(const Orbit& orbit, const Topology& topology) {
  const std::uint64_t ranks = topology.ranks.size();
  const bool whole_nodes = topology.nodes > 1 && orbit.ranks * topology.nodes % ranks == 0;
  const std::uint64_t of = whole_nodes ? topology.nodes : ranks;
  return "folded: " + in_thousands(of / orbit.groups) + " of " + in_thousands(of) +
         (whole_nodes ? " nodes" : " ranks") + " simulated";
}

}  // namespace

Result<Fold> parse_fold(std::string_view text) {
  for (std::size_t i = 0; i < fold_names.size(); ++i)
    if (text == fold_names[i]) return static_cast<Fold>(i);
  return bad_request(unknown("way to fold", text, fold_names));
}

struct Timekeeper::State {
  struct Stored {
    Schedule schedule;
    std::optional<Simulator> simulator{};
  };

  Plan plan;
  const Topology& topology;
  Router& router;
  Manner manner;
  std::optional<Streamer> of_one{}, of_all{};
  std::unique_ptr<Stored> stored{};
  std::string folded{}, note{};

  Result<void> fold() {
    const Algorithm& algorithm = *plan.algorithm;
    const Orbit orbit =
        algorithm.symmetry != nullptr ? algorithm.symmetry(plan.spec, plan.options) : Orbit{};
    RS_ASSIGN(auto folding, Folding::find(story_of(plan), orbit, topology));
    folded = sim::folded(folding.orbit(), topology);
    RS_ASSIGN(auto streamer, Streamer::prepare(story_of(plan), topology, router,
                                               {manner.model, std::make_shared<Folding>(folding)}));
    of_one.emplace(std::move(streamer));
    return {};
  }

  /// What was tried, and why it cannot be; an error if nothing else will do.
  Result<void> not_folded(const Error& why) {
    if (manner.fold == Fold::on)
      return bad_request(name(plan) + " cannot be folded here: " + why.message);
    note = "not folded: " + why.message;
    return {};
  }

  Result<Streamer*> told() {
    if (!of_all) {
      RS_ASSIGN(auto streamer,
                Streamer::prepare(story_of(plan), topology, router, {manner.model, nullptr}));
      of_all.emplace(std::move(streamer));
    }
    return &*of_all;
  }

  /// Model flow may need a schedule of all ranks.
  Result<void> check_room() const {
    if (manner.model == NetworkModel::stream || plan.spec.ranks <= most_stored) return {};
    return bad_request(counted(plan.spec.ranks, "rank") + " are more than the " +
                       std::to_string(most_stored) +
                       " whose schedules fit in memory; take --model stream, which keeps none" +
                       (note.empty() ? "" : " (" + note + ")"));
  }

  Result<Simulator*> kept() {
    if (stored) return &*stored->simulator;
    auto schedule = build_schedule(plan);
    if (!schedule) {  // a story too long to keep
      schedule.error().message += ", or --model stream, which keeps none";
      return tl::unexpected<Error>(schedule.error());
    }
    auto anew = std::make_unique<Stored>(Stored{*std::move(schedule)});
    RS_ASSIGN(auto simulator, Simulator::prepare(anew->schedule, topology, router));
    anew->simulator.emplace(std::move(simulator));
    stored = std::move(anew);
    return &*stored->simulator;
  }
};

Timekeeper::Timekeeper(std::unique_ptr<State> state) : state_(std::move(state)) {}
Timekeeper::~Timekeeper() = default;
Timekeeper::Timekeeper(Timekeeper&&) noexcept = default;

const std::string& Timekeeper::note() const {
  return state_->note;
}

Result<Timekeeper> Timekeeper::prepare(const Plan& plan, const Topology& topology, Router& router,
                                       Manner manner) {
  auto state = std::make_unique<State>(State{plan, topology, router, manner});
  const bool is_worth_it = plan.spec.ranks >= least_folded && plan.algorithm->symmetry != nullptr;
  if (manner.fold == Fold::on || (manner.fold == Fold::automatic && is_worth_it))
    if (const auto done = state->fold(); !done) RS_TRY(state->not_folded(done.error()));
  // The rest is prepared when it is needed: of many ranks it takes long.
  if (!state->of_one) {
    RS_TRY(state->check_room());
    if (manner.model == NetworkModel::flow && plan.options.stored) {
      RS_TRY(state->kept());
    } else {
      RS_TRY(state->told());
    }
  }
  return Timekeeper(std::move(state));
}

Result<Simulation> Timekeeper::run(const Payload& payload, const Disturbance& disturbance,
                                   const Patience& patience) {
  State& s = *state_;
  bool is_contended = s.stored != nullptr;
  if (s.of_one && !is_contended) {
    auto simulation = s.of_one->run(payload, disturbance, patience);
    if (simulation) {
      s.note = s.folded;
      return simulation;
    }
    is_contended = s.of_one->is_contended();
    RS_TRY(s.not_folded(simulation.error()));
  }
  RS_TRY(s.check_room());
  if (!is_contended) {
    RS_ASSIGN(Streamer * told, s.told());
    auto simulation = told->run(payload, disturbance, patience);
    if (simulation || !told->is_contended()) {
      if (!simulation && !s.note.empty()) simulation.error().message += " (" + s.note + ")";
      return simulation;
    }
  }
  RS_ASSIGN(const Simulator* kept, s.kept());
  return kept->run(payload, s.manner.model, disturbance, patience);
}

}  // namespace ringside::sim
