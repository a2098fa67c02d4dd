#include "viz/scenario/contest.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "core/formats/schedule_file.hpp"
#include "sim/rank_order.hpp"
#include "sim/router.hpp"
#include "sim/topology.hpp"
#include "viz/scenario/in_parallel.hpp"

namespace ringside::scenario {
namespace {

// Where an algorithm is tuned by its chunks, they stay within what real pipelines use.
constexpr std::uint32_t most_chunks = 256;
constexpr Bytes least_chunk = 4_KiB, largest_chunk = 1_MiB;
constexpr std::uint32_t most_asked = 64;  // routes looked at to learn what a typical one costs

/// Latency and bandwidth of the worst route from a rank to the next: what predict() is asked with
/// when chunks are to be chosen.
Result<LinkCost> typical_cost(const sim::Topology& topology, std::uint32_t ranks) {
  sim::Router router(topology);
  LinkCost cost{Duration{0}, Bandwidth{UINT64_MAX}};
  for (std::uint32_t r = 0; r < ranks; r += 1 + ranks / most_asked) {
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

/// Ranks that one switch joins before any network does, or else of one node, where all such groups
/// are equal, consecutive and more than one: what two-level algorithms should take for a node. 0 if
/// there are none.
std::uint32_t domain(const sim::Topology& topology) {
  const auto n = static_cast<std::uint32_t>(topology.ranks.size());
  std::vector<std::uint32_t> switch_of(topology.devices.size(), UINT32_MAX);
  for (const sim::Link& link : topology.links)
    if (topology[link.to].kind == sim::DeviceKind::nvswitch)
      switch_of[link.from.value] = link.to.value;
  const auto count = [&](auto group) {
    std::uint32_t size = 1;
    while (size < n && group(size) == group(0)) ++size;
    if (size == n || n % size != 0) return std::uint32_t{0};
    for (std::uint32_t r = 1; r < n;
         ++r)  // another group begins every `size` ranks, and only there
      if ((group(r) != group(r - 1)) != (r % size == 0)) return std::uint32_t{0};
    return size;
  };
  const bool switched = n > 0 && switch_of[topology.ranks[0].value] != UINT32_MAX;
  if (switched) return count([&](std::uint32_t r) { return switch_of[topology.ranks[r].value]; });
  return count([&](std::uint32_t r) { return topology[topology.ranks[r]].node; });
}

}  // namespace

sim::Payload payload_for(const CollectiveSpec& spec, Bytes size, ElementType type) {
  return {spec.kind == CollectiveKind::barrier ? 0 : count_for(spec, size, type), type};
}

Row result_row(const Outcome& of, const Machine& machine, const sim::Simulation& simulation) {
  const CollectiveSpec& spec = of.plan.spec;
  Row row{.collective = spec.kind,
          .algorithm = name(of.plan),
          .options = of.plan.options,
          .protocol = "none",
          .backend = backend_name(machine.model),
          .system = machine.origin.name,
          .nodes = machine.origin.nodes,
          .net = machine.origin.net,
          .conditions = machine.origin.conditions,
          .ranks = spec.ranks,
          .size = size_of(spec, of.payload.count, of.payload.type),
          .count = of.payload.count,
          .type = of.payload.type,
          .in_place = spec.in_place,
          .time = simulation.time};
  if (row.options.rank_order.empty())  // it had no effect, so it is no condition
    std::erase_if(row.conditions, [](const Condition& condition) {
      return condition.name == "rank-order" && condition.values.front() != "identity";
    });
  name_busiest(of.topology, simulation, row);
  if (reduces(spec.kind)) row.redop = of.request.redop;
  if (has_root(spec.kind)) row.root = spec.root;
  return row;
}

Contest::Contest(CollectiveRequest request, const Machine& machine)
    : request_(std::move(request)), machine_(machine) {}

Result<Contest> Contest::enter(const CollectiveRequest& request, const Machine& machine,
                               const Purpose& purpose) {
  if (request.algorithm == "auto")
    return bad_request(
        "--algorithm auto is NCCL's own choice, which simulate and compare predict but no links "
        "carry: best takes the fastest here, all shows each");
  Contest contest(request, machine);
  contest.purpose_ = purpose;
  contest.is_open_ = request.algorithm == "all" || request.algorithm == "best";
  auto& spec = contest.request_.spec;
  spec.ranks = static_cast<std::uint32_t>(machine.topology().ranks.size());
  RS_TRY(check(spec));
  const bool only_times = purpose.shown == Shown::times;
  const bool keeps_none =
      only_times && (machine.model == sim::NetworkModel::stream || !contest.is_open_);
  if (spec.ranks > sim::Timekeeper::most_stored && !keeps_none)
    return bad_request(
        fmt::format("{} ranks are more than the {} whose schedules fit in memory; take {}",
                    spec.ranks, sim::Timekeeper::most_stored,
                    only_times ? "--model stream, which keeps none" : "fewer --ranks or --nodes"));
  auto& options = contest.request_.options;
  if (options.ranks_per_node == 0) options.ranks_per_node = domain(machine.topology());
  options.dims = machine.dims;
  RS_ASSIGN(options.rank_order, sim::parse_rank_order(machine.rank_order, machine.topology(),
                                                      spec.ranks, options.channels));

  if (contest.is_open_) {
    RS_ASSIGN(contest.typical_, typical_cost(machine.topology(), spec.ranks));
    RS_TRY(contest.enter_all(request.options));
    return contest;
  }
  RS_ASSIGN(const Algorithm* algorithm, algorithm_of(request));
  if (algorithm->chunking == Chunking::tuned) {
    RS_ASSIGN(contest.typical_, typical_cost(machine.topology(), spec.ranks));
  }
  contest.entrants_.push_back(algorithm);
  RS_ASSIGN(const Plan plan, contest.plan(*algorithm, 1_MiB));
  if (const auto unused = contest.unused_flags(plan, request.options); !unused.empty())
    return bad_request(fmt::format("{} {} takes no {}", request.algorithm, name(spec.kind),
                                   fmt::join(unused, ", ")));
  return contest;
}

/// All algorithms of the collective that can run here, in the registry's order.
Result<void> Contest::enter_all(const Options& given) {
  struct Trial {
    const Algorithm* algorithm;
    Result<Plan> plan;
    std::optional<Error> error{};
  };
  std::vector<Trial> trials;
  for (const Algorithm& algorithm : all_algorithms())
    if (algorithm.collective == request_.spec.kind)
      trials.push_back({&algorithm, plan(algorithm, 1_MiB)});
  in_parallel(trials.size(), threads_for(ranks(), purpose_.threads), [&](std::size_t t) {
    Trial& trial = trials[t];
    const auto built = trial.plan ? build(*trial.plan) : tl::unexpected(trial.plan.error());
    if (built)
      leave_to_others(*built);
    else
      trial.error = built.error();
  });
  std::map<std::string, std::vector<std::string_view>> left_out, ignored;  // by reason, flag
  for (const auto& [algorithm, chosen, error] : trials) {
    if (error) {
      left_out[error->message].push_back(algorithm->name);
      continue;
    }
    entrants_.push_back(algorithm);
    for (const auto flag : unused_flags(*chosen, given))
      ignored[std::string(flag)].push_back(algorithm->name);
  }
  for (const auto& [flag, names] : ignored)
    notes_.push_back(fmt::format("{} took no {}", fmt::join(names, ", "), flag));
  for (const auto& [reason, names] : left_out)
    notes_.push_back(fmt::format("{} not run: {}", fmt::join(names, ", "), reason));
  if (entrants_.empty())
    return bad_request(fmt::format("no {} algorithm can run here: {}", name(request_.spec.kind),
                                   fmt::join(notes_, "; ")));
  return {};
}

std::vector<std::string_view> Contest::unused_flags(const Plan& plan, const Options& given) const {
  std::vector<std::string_view> unused;
  if (machine_.rank_order_asked && !request_.options.rank_order.empty() &&
      plan.options.rank_order.empty())
    unused.push_back("--rank-order");
  if (machine_.dims_asked && plan.options.dims.empty()) unused.push_back("--dims");
  if (given.ranks_per_node != 0 && plan.options.ranks_per_node == 0)
    unused.push_back("--ranks-per-node");
  return unused;
}

Result<Plan> Contest::plan(const Algorithm& algorithm, Bytes size) const {
  RS_ASSIGN(Plan by_default, make_plan(algorithm, request_.spec, request_.options));
  if (algorithm.chunking != Chunking::tuned || request_.options.chunks != 0 ||
      purpose_.tuning == Tuning::off)
    return by_default;
  struct Candidate {
    Plan plan;
    Duration predicted;
  };
  std::map<std::uint32_t, Candidate> candidates;  // by chunks
  const auto consider = [&](std::uint32_t chunks) {
    Options options = request_.options;
    options.chunks = chunks;
    const auto plan = make_plan(algorithm, request_.spec, options);
    if (!plan) return;
    const auto predicted = algorithm.predict(plan->spec, plan->options, size, typical_);
    candidates.try_emplace(plan->options.chunks, Candidate{*plan, predicted});
  };
  // An algorithm takes any number, or multiples of the ranks.
  for (const std::uint32_t unit : {1u, request_.spec.ranks})
    for (std::uint32_t chunks = unit; chunks <= most_chunks; chunks *= 2) consider(chunks);
  if (candidates.empty()) consider(request_.spec.ranks);
  if (candidates.empty()) return by_default;
  const auto too_small = [&](std::uint32_t chunks) { return size < chunks * least_chunk; };
  while (candidates.size() > 1 && too_small(candidates.rbegin()->first))
    candidates.erase(std::prev(candidates.end()));
  Duration least = forever;
  for (const auto& [chunks, c] : candidates) least = std::min(least, c.predicted);
  // The fewest chunks that come close to the best; predict() cannot tell finer ones apart, but no
  // chunk should be so large that a real FIFO would cut it anyway.
  for (const auto& [chunks, c] : candidates)
    if (c.predicted.picoseconds - least.picoseconds <= least.picoseconds / 100 &&
        size <= chunks * largest_chunk)
      return c.plan;
  return candidates.rbegin()->second.plan;
}

Result<std::shared_ptr<const Contest::Built>> Contest::build_anew(const Plan& plan) const {
  auto topology = std::make_shared<sim::Topology>(machine_.topology());
  if (plan.options.agents > 0)
    RS_TRY(sim::place_agents(*topology, plan.options.agents, plan.algorithm->in_switch));
  Built built{plan, nullptr, topology, nullptr, nullptr, nullptr};
  if (purpose_.shown == Shown::times) {
    RS_TRY(sim::check(*topology));
    built.router = std::make_shared<sim::Router>(*topology);
    RS_ASSIGN(auto timekeeper, sim::Timekeeper::prepare(plan, *topology, *built.router,
                                                        {machine_.model, purpose_.fold}));
    built.timekeeper = std::make_shared<sim::Timekeeper>(std::move(timekeeper));
    if (is_open_)  // who finds no way is left out once, not at every size
      RS_TRY(built.timekeeper->run({0, request_.type}));
  } else {
    RS_ASSIGN(auto schedule, build_schedule(plan));
    built.schedule = std::make_shared<const Schedule>(std::move(schedule));
    RS_ASSIGN(auto simulator, sim::Simulator::prepare(*built.schedule, *topology));
    built.simulator = std::make_shared<const sim::Simulator>(std::move(simulator));
  }
  return std::make_shared<const Built>(std::move(built));
}

Contest::Shelf::Place& Contest::Shelf::place_of(const Algorithm* algorithm) {
  const std::scoped_lock lock(mutex);
  return places[algorithm];
}

Result<std::shared_ptr<const Contest::Built>> Contest::build(const Plan& plan) {
  Shelf::Place& place = shelf_->place_of(plan.algorithm);
  std::unique_lock lock(place.mutex);
  if (purpose_.shown == Shown::times) {
    std::shared_ptr<const Built> idle;
    if (!place.idle.empty()) {
      idle = std::move(place.idle.back());
      place.idle.pop_back();
    }
    lock.unlock();
    if (idle && idle->plan.options == plan.options) return idle;
    return build_anew(plan);
  }
  if (!place.built || place.built->plan.options != plan.options) {
    RS_ASSIGN(place.built, build_anew(plan));
  }
  return place.built;
}

void Contest::leave_to_others(std::shared_ptr<const Built> built) {
  if (!built->timekeeper) return;
  Shelf::Place& place = shelf_->place_of(built->plan.algorithm);
  const std::scoped_lock lock(place.mutex);
  place.idle.push_back(std::move(built));
}

Result<Contest::Run> Contest::run_one(const Algorithm& entrant, Bytes size,
                                      const sim::Patience& patience) {
  RS_ASSIGN(const Plan chosen, plan(entrant, size));
  RS_ASSIGN(const auto built, build(chosen));
  const sim::Payload payload = payload_for(request_.spec, size, request_.type);
  if (const auto& file = chosen.options.stored)
    RS_TRY(check_divides(*file, payload.count, payload.type));
  RS_ASSIGN(auto simulation,
            built->timekeeper
                ? built->timekeeper->run(payload, machine_.disturbance, patience)
                : built->simulator->run(payload, machine_.model, machine_.disturbance, patience));
  const std::string note = built->timekeeper ? built->timekeeper->note() : "";
  leave_to_others(built);
  const Row row = result_row({chosen, request_, payload, *built->topology}, machine_, simulation);
  return Run{row,
             chosen,
             built->schedule,
             built->topology,
             built->simulator,
             payload,
             std::move(simulation),
             note};
}

Result<void> Contest::run(const Heat& heat, std::vector<LeftOut>& left_out, const Visit& visit) {
  std::optional<Run> fastest;
  for (const Algorithm* algorithm : heat.entrants) {
    auto run = run_one(*algorithm, heat.size, heat.patience);
    if (!run && !is_open_) return tl::unexpected(run.error());
    if (!run)
      left_out.push_back({algorithm->name, run.error().message});
    else if (!wants_fastest())
      RS_TRY(visit(*run));
    else if (!fastest || run->simulation.time < fastest->simulation.time)
      fastest = *std::move(run);
  }
  return fastest ? visit(*fastest) : Result<void>{};
}

Result<void> Contest::run(Bytes size, const Visit& visit) {
  std::vector<LeftOut> left_out;
  RS_TRY(run({size, entrants_}, left_out, visit));
  for (auto& note : notes_of(left_out, size)) notes_.push_back(std::move(note));
  return {};
}

std::vector<std::string> Contest::notes_of(std::span<const LeftOut> left_out, Bytes size) {
  std::map<std::string, std::vector<std::string_view>> names;  // by reason
  for (const auto& [algorithm, reason] : left_out) names[reason].push_back(algorithm);
  std::vector<std::string> notes;
  for (const auto& [reason, algorithms] : names)
    notes.push_back(
        fmt::format("{} not run at {}: {}", fmt::join(algorithms, ", "), to_string(size), reason));
  return notes;
}

Result<void> keep_few_chunks(CollectiveRequest& request, const Machine& machine) {
  RS_ASSIGN(const Algorithm* algorithm, algorithm_of(request));
  if (algorithm->chunking != Chunking::tuned || request.options.chunks != 0) return {};
  CollectiveSpec spec = request.spec;
  spec.ranks = static_cast<std::uint32_t>(machine.topology().ranks.size());
  RS_ASSIGN(const Plan plan, make_plan(*algorithm, spec, request.options));
  Options few = request.options;
  few.chunks = std::min(spec.ranks, plan.options.chunks);
  while (few.chunks < plan.options.chunks && !make_plan(*algorithm, spec, few)) ++few.chunks;
  request.options.chunks = few.chunks;
  return {};
}

bool leaves_open(std::string_view algorithm) {
  return algorithm == "all" || algorithm == "best" || algorithm == "auto";
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

}  // namespace ringside::scenario
