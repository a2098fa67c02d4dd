#include "viz/terminal/contest.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "sim/rank_order.hpp"
#include "sim/router.hpp"
#include "sim/topology.hpp"

namespace ringside::terminal {
namespace {

constexpr std::uint64_t most_slots = 1u
                                     << 22;  // ranks x chunks of a schedule that a search may build

/// Latency and bandwidth of the worst route from a rank to the next: what predict() is asked with
/// when chunks are to be chosen.
Result<LinkCost> typical_cost(const sim::Topology& topology, std::uint32_t ranks) {
  sim::Router router(topology);
  LinkCost cost{Duration{0}, Bandwidth{UINT64_MAX}};
  for (std::uint32_t r = 0; r < ranks; ++r) {
    RS_ASSIGN(const auto route, router.route({r}, {(r + 1) % ranks}, {0}));
    Duration latency{0};
    for (const LinkId id : route) {
      latency += topology[id].latency;
      cost.bandwidth = std::min(cost.bandwidth, topology[id].bandwidth);
    }
    cost.latency = std::max(cost.latency, latency);
  }
  if (cost.bandwidth.bytes_per_second == UINT64_MAX) cost.bandwidth = 1_GBps;  // a single rank
  return cost;
}

void name_busiest(const sim::Topology& topology, const sim::Simulation& simulation, Row& row) {
  const auto busiest = sim::busiest(simulation);
  if (busiest.links.empty()) return;
  row.busiest_link = topology.link_name(busiest.links.front());
  row.busiest_link_ties = busiest.links.size() - 1;
  row.busiest_link_share = busiest.share;
}

}  // namespace

Contest::Contest(CollectiveRequest request, const Machine& machine)
    : request_(std::move(request)), machine_(machine) {}

Result<Contest> Contest::enter(const CollectiveRequest& request, const Machine& machine) {
  Contest contest(request, machine);
  auto& spec = contest.request_.spec;
  spec.ranks = static_cast<std::uint32_t>(machine.topology().ranks.size());
  RS_TRY(check(spec));
  auto& options = contest.request_.options;
  if (machine.topology().nodes > 1 && options.ranks_per_node == 0 &&
      spec.ranks % machine.topology().nodes == 0)
    options.ranks_per_node = spec.ranks / machine.topology().nodes;
  options.dims = machine.dims;
  RS_ASSIGN(options.rank_order, sim::parse_rank_order(machine.rank_order, machine.topology(),
                                                      spec.ranks, options.channels));
  RS_ASSIGN(contest.typical_, typical_cost(machine.topology(), spec.ranks));

  const bool any = request.algorithm == "all" || request.algorithm == "best";
  if (!any) {
    RS_ASSIGN(const Algorithm* algorithm, find_algorithm(spec.kind, request.algorithm));
    contest.entrants_.push_back(algorithm);
    RS_TRY(contest.plan(*algorithm, 1_MiB));
    return contest;
  }
  for (const Algorithm& algorithm : all_algorithms()) {
    if (algorithm.collective != spec.kind) continue;
    const auto plan = contest.plan(algorithm, 1_MiB);
    const auto built = plan ? contest.build(*plan) : tl::unexpected(plan.error());
    if (built)
      contest.entrants_.push_back(&algorithm);
    else
      contest.notes_.push_back(
          fmt::format("{} not run: {}", algorithm.name, built.error().message));
  }
  if (contest.entrants_.empty())
    return bad_request(fmt::format("no {} algorithm can run here: {}", name(spec.kind),
                                   fmt::join(contest.notes_, "; ")));
  return contest;
}

Result<Plan> Contest::plan(const Algorithm& algorithm, Bytes size) const {
  RS_ASSIGN(Plan best, make_plan(algorithm, request_.spec, request_.options));
  if (algorithm.chunking != Chunking::tuned || request_.options.chunks != 0) return best;
  // Any number of chunks is right; predict() says which is good. Each algorithm takes multiples of
  // a unit of its own, which its default is made of.
  const auto n = request_.spec.ranks;
  Duration least = algorithm.predict(best.spec, best.options, size, typical_);
  for (const std::uint32_t unit : {1u, n, best.options.chunks})
    for (std::uint64_t chunks = unit; chunks <= 1024 * std::uint64_t{n} && chunks * n <= most_slots;
         chunks *= 2) {
      Options options = request_.options;
      options.chunks = static_cast<std::uint32_t>(chunks);
      const auto candidate = make_plan(algorithm, request_.spec, options);
      if (!candidate) continue;
      const auto cost = algorithm.predict(candidate->spec, candidate->options, size, typical_);
      if (cost < least) best = *candidate, least = cost;
    }
  return best;
}

Result<const Contest::Built*> Contest::build(const Plan& plan) {
  const auto known = built_.find(plan.algorithm);
  if (known != built_.end() && known->second.plan.options == plan.options) return &known->second;
  RS_ASSIGN(Schedule schedule, build_schedule(plan));
  auto topology = std::make_shared<sim::Topology>(machine_.topology());
  if (plan.options.agents > 0) RS_TRY(sim::place_agents(*topology, plan.options.agents));
  auto kept = std::make_shared<const Schedule>(std::move(schedule));
  RS_ASSIGN(auto simulator, sim::Simulator::prepare(*kept, *topology));
  const Built built{plan, kept, topology,
                    std::make_shared<const sim::Simulator>(std::move(simulator))};
  return &built_.insert_or_assign(plan.algorithm, built).first->second;
}

Result<Contest::Run> Contest::run_one(const Algorithm& algorithm, Bytes size) {
  RS_ASSIGN(const Plan chosen, plan(algorithm, size));
  RS_ASSIGN(const Built* built, build(chosen));
  const auto& spec = request_.spec;
  const sim::Payload payload{
      spec.kind == CollectiveKind::barrier ? 0 : count_for(spec, size, request_.type),
      request_.type};
  RS_ASSIGN(auto simulation, built->simulator->run(payload, machine_.model, machine_.disturbance));
  Row row{.collective = spec.kind,
          .algorithm = std::string(algorithm.name),
          .options = chosen.options,
          .protocol = "none",
          .backend = backend_name(machine_.model),
          .ranks = spec.ranks,
          .size = size_of(spec, payload.count, request_.type),
          .count = payload.count,
          .type = request_.type,
          .in_place = spec.in_place,
          .time = simulation.time};
  name_busiest(*built->topology, simulation, row);
  if (reduces(spec.kind)) row.redop = request_.redop;
  if (has_root(spec.kind)) row.root = spec.root;
  return Run{row,
             chosen,
             built->schedule,
             built->topology,
             built->simulator,
             payload,
             std::move(simulation)};
}

Result<void> Contest::run(Bytes size, const std::function<Result<void>(Run&)>& visit) {
  std::optional<Run> fastest;
  for (const Algorithm* algorithm : entrants_) {
    RS_ASSIGN(auto run, run_one(*algorithm, size));
    if (request_.algorithm != "best")
      RS_TRY(visit(run));
    else if (!fastest || run.simulation.time < fastest->simulation.time)
      fastest = std::move(run);
  }
  return fastest ? visit(*fastest) : Result<void>{};
}

std::vector<std::string> judge(std::vector<Row>& rows) {
  struct Reign {
    std::string algorithm;
    Bytes first, last;
  };
  std::vector<Reign> reigns;
  bool compared = false;
  for (std::size_t begin = 0; begin < rows.size();) {
    auto end = begin;
    auto winner = begin;
    for (; end < rows.size() && rows[end].size == rows[begin].size; ++end)
      if (rows[end].time < rows[winner].time) winner = end;
    compared |= end - begin > 1;
    rows[winner].fastest = true;
    if (reigns.empty() || reigns.back().algorithm != rows[winner].algorithm)
      reigns.push_back({rows[winner].algorithm, *rows[winner].size, *rows[winner].size});
    reigns.back().last = *rows[winner].size;
    begin = end;
  }
  if (!compared && reigns.size() < 2) {
    for (Row& row : rows) row.fastest = false;
    return {};
  }
  std::vector<std::string> who;
  for (const Reign& reign : reigns)
    who.push_back(reign.first == reign.last
                      ? fmt::format("{} at {}", reign.algorithm, to_string(reign.first))
                      : fmt::format("{} from {} to {}", reign.algorithm, to_string(reign.first),
                                    to_string(reign.last)));
  return {fmt::format("fastest: {}", fmt::join(who, ", "))};
}

}  // namespace ringside::terminal
