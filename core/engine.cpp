#include "core/engine.hpp"

#include <algorithm>
#include <cmath>
#include <new>
#include <string>
#include <vector>

#include "core/agreement.hpp"
#include "core/assert.hpp"
#include "core/binding.hpp"
#include "core/formats/schedule_file.hpp"
#include "core/guarded_memory.hpp"
#include "core/machine_memory.hpp"
#include "core/schedule_builder.hpp"
#include "core/suggest.hpp"
#include "core/verifier.hpp"

namespace ringside {
namespace {

/// Each ring must visit every rank once; algorithms follow it blindly.
Result<void> check_rank_order(const CollectiveSpec& spec, const Options& given) {
  std::size_t number = 0;
  for (const auto& ring : given.rank_order) {
    std::vector<bool> visited(spec.ranks, false);
    const std::string which = "ring " + std::to_string(number++) + " of the rank order ";
    for (const Rank rank : ring) {
      if (rank.value >= spec.ranks)
        return bad_request(which + "names rank " + std::to_string(rank.value) +
                           ", but the ranks are 0 to " + std::to_string(spec.ranks - 1));
      if (visited[rank.value])
        return bad_request(which + "names rank " + std::to_string(rank.value) + " twice");
      visited[rank.value] = true;
    }
    if (ring.size() != spec.ranks)
      return bad_request(which + "names " + std::to_string(ring.size()) + " of the " +
                         counted(spec.ranks, "rank") + "; it must name each once");
  }
  return {};
}

/// Four times what the largest system's rings need; more is a slip of the keyboard.
constexpr std::uint32_t most_chunks = 4 * Transfer::max_ranks;

Result<void> check_chunks(const Options& options) {
  if (options.chunks <= most_chunks) return {};
  return bad_request("a vector in " + std::to_string(options.chunks) +
                     " chunks is too finely cut: at most " + std::to_string(most_chunks) +
                     " chunks are supported");
}

/// A wish without effect must not pass for granted.
Result<void> check_channels(const Plan& plan, const Options& given) {
  if (given.channels == 0 || plan.options.channels == given.channels) return {};
  const auto has = plan.options.channels;
  return bad_request(std::string(plan.algorithm->name) + " " + std::string(name(plan.spec.kind)) +
                     " has " + counted(has, "channel") + ": --channels " +
                     std::to_string(given.channels) + " would have no effect");
}

/// All blocks are cut alike.
Result<void> check_blocks(const CollectiveSpec& spec, const Options& complete) {
  RS_ASSERT(complete.chunks > 0, "complete options cut the vector into chunks");
  if (!is_blocked(spec.kind) || complete.chunks % spec.ranks == 0) return {};
  return bad_request(std::string(name(spec.kind)) + " over " + counted(spec.ranks, "rank") +
                     " needs a multiple of " + counted(spec.ranks, "chunk") + ", not " +
                     std::to_string(complete.chunks));
}

}  // namespace

Result<Plan> make_plan(const Algorithm& algorithm, const CollectiveSpec& spec,
                       const Options& given) {
  RS_TRY(check(spec));
  RS_ASSERT(spec.kind == algorithm.collective, "the algorithm serves another collective");
  RS_TRY(check_rank_order(spec, given));
  Plan plan{&algorithm, spec, algorithm.complete(spec, given)};
  RS_TRY(algorithm.supports(plan.spec, plan.options));
  RS_TRY(check_channels(plan, given));
  RS_TRY(check_chunks(plan.options));
  RS_TRY(check_blocks(plan.spec, plan.options));
  return plan;
}

std::string name(const Plan& plan) {
  return plan.options.stored ? plan.options.stored->name : std::string(plan.algorithm->name);
}

Result<Schedule> build_schedule(const Plan& plan) {
  ScheduleBuilder builder(plan.spec, plan.options.chunks, plan.options.agents);
  return std::move(builder).build(
      [&](TransferSink& sink) { plan.algorithm->tell(plan.spec, plan.options, sink); });
}

Result<void> prove(const Schedule& schedule) {
  const auto violations = verify(schedule, 1);
  if (violations.empty()) return {};
  return gone_wrong("the schedule of " + std::string(name(schedule.spec().kind)) +
                    " is wrong: " + to_string(violations.front(), schedule));
}

Result<Schedule> build_proven(const Plan& plan) {
  RS_ASSIGN(auto schedule, build_schedule(plan));
  RS_TRY(prove(schedule));
  return schedule;
}

namespace {

Result<Measurement> timed(Prepared& prepared, const Trial& trial) {
  if (trial.warmup > 0) RS_TRY(prepared.run(trial.warmup));
  return prepared.run(trial.iterations);
}

Result<Outcome> execute_without_bytes(Backend& backend, const Work& work, const Trial& trial) {
  Memory none;
  RS_ASSIGN(const auto prepared, backend.prepare(work, none, trial.run));
  Outcome outcome;
  RS_ASSIGN(outcome.measurement, trial.iterations > 0 ? timed(*prepared, trial) : prepared->run(1));
  return outcome;
}

tl::unexpected<Error> too_little_memory(const Problem& problem) {
  return machine_lacks("this machine has too little memory for a count of " +
                       std::to_string(problem.count) + " " + std::string(name(problem.type)) +
                       " on " + counted(problem.spec.ranks, "rank"));
}

Result<GuardedMemory> allocate(Backend& backend, const Work& work, const Trial& trial) try {
  const Problem problem = problem_of(work);
  RS_TRY(check_room(backend, work));
  return GuardedMemory(problem, owned_ranks(backend, problem.spec.ranks), trial.misaligned,
                       backend.memory(trial.run));
} catch (const std::bad_alloc&) {
  return too_little_memory(problem_of(work));
}

/// What this process's ranks come to.
Result<Finding> run_and_check(Prepared& prepared, GuardedMemory& memory, const DataSet& data,
                              const Trial& trial) try {
  const Problem& problem = data.problem();
  memory.reset(data);
  Finding finding;
  RS_ASSIGN(finding.measurement, prepared.run(1));
  if (trial.check) {
    finding.comparison = memory.check(data);
    finding.comparison += memory.check_equal(problem);
    finding.digest = memory.digest(problem);
  }
  if (trial.repeat) {
    const auto before = memory.fingerprint(data);
    memory.reset(data);
    RS_TRY(prepared.run(1));
    if (memory.fingerprint(data) != before)
      finding.comparison += {0, 1, "a second run on the same data gave other bits"};
  }
  if (trial.iterations == 0) return finding;
  RS_ASSIGN(finding.measurement, timed(prepared, trial));
  if (trial.check && !problem.spec.in_place) finding.comparison += memory.check(data);
  return finding;
} catch (const std::bad_alloc&) {
  return too_little_memory(data.problem());
}

Result<Outcome> execute_on_bytes(Backend& backend, const Work& work, const Trial& trial) try {
  RS_TRY(whole_vector(work));
  const DataSet data(problem_of(work), trial.data, trial.seed);
  auto memory = allocate(backend, work, trial);
  RS_TRY(agree(backend, memory.map([](const GuardedMemory&) {})));
  RS_ASSIGN(const auto prepared, backend.prepare(work, memory->memory(), trial.run));
  RS_ASSIGN(auto finding, agree(backend, run_and_check(*prepared, *memory, data, trial)));
  return Outcome{std::move(finding.comparison), std::move(finding.measurement)};
} catch (const std::bad_alloc&) {
  return too_little_memory(problem_of(work));
}

}  // namespace

Result<void> check_executor(const Backend& backend, const std::string& executor) {
  if (executor.empty()) return {};
  const auto has = backend.capabilities().executors;
  if (std::find(has.begin(), has.end(), executor) != has.end()) return {};
  if (has.empty())
    return bad_request("backend " + std::string(backend.name()) +
                       " has one way to run; it takes no executor");
  return bad_request(unknown("executor", executor, {has.begin(), has.end()}));
}

Result<void> check_room(const Backend& backend, const Work& work) {
  __extension__ using Wide = unsigned __int128;
  RS_TRY(whole_vector(work));
  const Schedule& schedule = *work.schedule;
  const auto owned = owned_ranks(backend, schedule.spec().ranks);
  const Wide scratch = Wide{schedule.scratch_chunks()} * layout_of(work).longest() *
                       size_of(work.type).count * (owned.size() + schedule.agents());
  const Wide needed = scratch + GuardedMemory::needed(problem_of(work), owned).count;
  return check_memory(Bytes{static_cast<std::uint64_t>(std::min(needed, Wide{INT64_MAX}))},
                      "a count of " + std::to_string(work.count) + " " +
                          std::string(name(work.type)) + " on " + counted(owned.size(), "rank"));
}

Result<Outcome> execute(Backend& backend, const Work& work, const Trial& trial) {
  RS_TRY(check_executor(backend, trial.run.executor));
  const Problem problem = problem_of(work);
  if (problem.op == ReduceOp::mulsum && !std::isfinite(problem.mulsum_scalar))
    return bad_request("the scalar of mulsum must be a finite number");
  const bool agents = work.schedule->agents() > 0;
  if (agents && !backend.capabilities().agents)
    return bad_request("backend " + std::string(backend.name()) +
                       " has no switch that computes; this algorithm needs one");
  return backend.capabilities().real_bytes ? execute_on_bytes(backend, work, trial)
                                           : execute_without_bytes(backend, work, trial);
}

}  // namespace ringside
