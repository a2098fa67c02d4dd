#include "viz/stage/staged_run.hpp"

#include <fmt/format.h>

#include "core/message.hpp"
#include "core/mutation.hpp"
#include "core/suggest.hpp"
#include "sim/router.hpp"
#include "viz/scenario/contest.hpp"
#include "viz/scenario/fields.hpp"
#include "viz/stage/staging.hpp"

namespace ringside::stage {
namespace {

using detail::find_routes;
using detail::tell;
using detail::weigh;
using scenario::CollectiveRequest;
using scenario::Machine;

Result<void> check_length(const Schedule& schedule) {
  if (schedule.transfers().size() <= most_transfers) return {};
  return bad_request(fmt::format(
      "this {} on {} ranks takes {} transfers, more than the {} that can be watched: take fewer "
      "ranks or chunks",
      name(schedule.spec().kind), schedule.spec().ranks, schedule.transfers().size(),
      most_transfers));
}

/// What only the plan decides: as long as that stays, sliders need nothing of it anew.
Result<void> tell_plan(StagedRun& run) {
  RS_ASSIGN(Schedule schedule, build_schedule(run.plan));
  if (!run.scenario.mistake.empty()) {
    RS_TRY(check_length(schedule));
    RS_ASSIGN(const auto mistake, scenario::parse_mistake(run.scenario.mistake));
    RS_ASSIGN(Mutant mutant, mutate(schedule, mistake.kind, mistake.seed));
    schedule = std::move(mutant.schedule);
    run.mistake = std::move(mutant.what);
  }
  return tell(run, std::make_shared<const Schedule>(std::move(schedule)));
}

bool tells_the_same(const StagedRun& a, const StagedRun& b) {
  const CollectiveSpec &s = a.plan.spec, &t = b.plan.spec;
  return a.trace.empty() && a.plan.algorithm == b.plan.algorithm && s.kind == t.kind &&
         s.ranks == t.ranks && s.root == t.root && s.in_place == t.in_place &&
         a.plan.options == b.plan.options && a.scenario.mistake == b.scenario.mistake;
}

/// The next thing to do takes its time: is there still anybody who waits for it?
Result<void> check_patience(const sim::Patience& patience) {
  if (patience(0)) return {};
  return bad_request("nobody waits for this run any more");
}

Result<void> simulate(StagedRun& run, const CollectiveRequest& request, const Machine& machine,
                      const sim::Patience& patience) {
  auto topology = std::make_shared<sim::Topology>(machine.topology());
  if (run.plan.options.agents > 0)
    RS_TRY(sim::place_agents(*topology, run.plan.options.agents, run.plan.algorithm->in_switch));
  run.topology = topology;
  RS_ASSIGN(const auto simulator, sim::Simulator::prepare(*run.schedule, *topology));
  auto simulated = simulator.run(run.payload, machine.model, machine.disturbance, patience);
  if (!simulated) {
    simulated.error().message =
        fmt::format("{} on {}: {}", run.plan.algorithm->name, counted(run.ranks(), "rank"),
                    simulated.error().message);
    return tl::unexpected(simulated.error());
  }
  sim::Simulation& simulation = *simulated;
  run.row = scenario::result_row({run.plan, request, run.payload, *topology}, machine, simulation);
  run.spans = std::move(simulation.spans);
  run.links = std::move(simulation.links);
  return {};
}

Result<void> check_watchable(const CollectiveRequest& request, const Machine& machine) {
  if (scenario::leaves_open(request.algorithm))
    return bad_request("one algorithm is watched at a time: name it, such as ring");
  if (const auto ranks = machine.topology().ranks.size(); ranks > most_ranks)
    return bad_request(
        fmt::format("{} ranks are more than the {} that can be watched: take fewer "
                    "ranks or nodes",
                    ranks, most_ranks));
  return {};
}

}  // namespace

namespace detail {

Result<void> tell(StagedRun& run, std::shared_ptr<const Schedule> schedule) {
  RS_TRY(check_length(*schedule));
  run.violations = verify(*schedule);
  run.schedule = std::move(schedule);
  run.story = std::make_shared<const Story>(*run.schedule);
  run.phases = find_phases(*run.schedule, *run.story);
  return {};
}

Result<void> find_routes(StagedRun& run) {
  sim::Router router(*run.topology);
  run.route_begin.assign(1, 0);
  run.route_links.clear();
  for (const Transfer& t : run.schedule->transfers()) {
    if (!t.is_local()) {
      RS_ASSIGN(const auto route, router.route(t.src().rank, t.dst().rank, t.channel()));
      run.route_links.insert(run.route_links.end(), route.begin(), route.end());
    }
    run.route_begin.push_back(static_cast<std::uint32_t>(run.route_links.size()));
  }
  return {};
}

void weigh(StagedRun& run) {
  const ChunkLayout layout(run.schedule->spec(), run.schedule->chunks(), run.payload.count);
  run.sizes.clear();
  for (const Transfer& t : run.schedule->transfers())
    run.sizes.push_back(message_elements(t, layout) * size_of(run.payload.type));
}

}  // namespace detail

std::span<const LinkId> StagedRun::route(TransferId id) const {
  return std::span(route_links)
      .subspan(route_begin[id.value], route_begin[id.value + 1] - route_begin[id.value]);
}

Bytes StagedRun::size(TransferId id) const {
  return sizes[id.value];
}

Result<Run> stage_run(const scenario::Scenario& scenario, const Run& previous,
                      const sim::Patience& patience) {
  auto run = std::make_shared<StagedRun>();
  run->scenario = scenario;
  RS_ASSIGN(auto request, read(scenario.collective));
  RS_ASSIGN(const Bytes size, parse_bytes(scenario.collective.bytes));
  RS_ASSIGN(const Machine machine, read(scenario.system));
  RS_TRY(check_watchable(request, machine));
  RS_TRY(keep_few_chunks(request, machine));
  using scenario::Contest;
  RS_ASSIGN(const Contest contest, Contest::enter(request, machine, Contest::Tuning::off));
  RS_ASSIGN(run->plan, contest.only_plan(size));
  run->payload = scenario::payload_for(run->plan.spec, size, request.type);
  run->notes = machine.topology().assumed;
  run->is_logical = scenario.system.system == "ring";
  if (previous && tells_the_same(*previous, *run)) {
    run->schedule = previous->schedule;
    run->story = previous->story;
    run->phases = previous->phases;
    run->violations = previous->violations;
    run->mistake = previous->mistake;
  } else {
    RS_TRY(check_patience(patience));
    RS_TRY(tell_plan(*run));
  }
  RS_TRY(check_patience(patience));
  RS_TRY(simulate(*run, request, machine, patience));
  RS_TRY(find_routes(*run));
  weigh(*run);
  run->timeline = std::make_shared<const Timeline>(*run->schedule, *run->story, run->spans);
  return Run(std::move(run));
}

}  // namespace ringside::stage
