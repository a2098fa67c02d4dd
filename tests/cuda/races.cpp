// The interpreter's protocol on real threads, built with ThreadSanitizer: `interpreter_races` runs
// it as it is, `... all` does so for every algorithm, `... MISTAKE` takes away one memory order or
// all barriers. Exits 66 where a race is seen.

#include <cstdio>
#include <map>
#include <string>

#include "core/guarded_memory.hpp"
#include "tests/cuda/interpreter_backend.hpp"

namespace ringside::cuda::interpreter {
namespace {

/// The flags of one kind in all tables.
enum class Kind { message, credit, progress };
std::set<const Flag*> flags(const Job& job, Kind kind) {
  std::set<const Flag*> found;
  for (std::uint32_t t = 0; t < job.task_count; ++t) {
    const Task& task = job.tasks[t];
    for (std::uint32_t i = 0; i < task.count; ++i) {
      const Instruction& instruction = task.instructions[i];
      const auto operands = instruction.sources + instruction.targets + instruction.offers;
      for (std::uint32_t o = 0; o < operands; ++o) {
        const Operand& operand = task.operands[instruction.operands + o];
        if ((operand.site == Site::sent || operand.site == Site::offered) && kind == Kind::message)
          found.insert(task.wires[operand.index].tell);
        if ((operand.site == Site::received || operand.site == Site::peer) && kind == Kind::credit)
          found.insert(task.wires[operand.index].tell);
      }
    }
    if (kind == Kind::progress)
      found.insert(task.progress + task.channel * (line_bytes / sizeof(Flag)));
  }
  return found;
}

using Relax = std::function<void(const Job&, BlockRules&)>;
const std::map<std::string, Relax>& mistakes() {
  const auto loads = [](Kind kind) -> Relax {
    return [kind](const Job& job, BlockRules& rules) { rules.relaxed_loads = flags(job, kind); };
  };
  const auto stores = [](Kind kind) -> Relax {
    return [kind](const Job& job, BlockRules& rules) { rules.relaxed_stores = flags(job, kind); };
  };
  static const std::map<std::string, Relax> all = {
      {"relaxed_message_release", stores(Kind::message)},
      {"relaxed_message_acquire", loads(Kind::message)},
      {"relaxed_credit_release", stores(Kind::credit)},
      {"relaxed_credit_acquire", loads(Kind::credit)},
      {"relaxed_progress_release", stores(Kind::progress)},
      {"relaxed_progress_acquire", loads(Kind::progress)},
      {"no_barriers", [](const Job&, BlockRules& rules) { rules.has_barriers = false; }},
  };
  return all;
}

bool runs_well(const Algorithm& algorithm, const Problem& problem, const Relax& relax) {
  Options options;
  if (algorithm.name == "multi_ring") options.channels = 2;
  const auto plan = make_plan(algorithm, problem.spec, options);
  if (!plan) return true;  // not for so many ranks
  const auto schedule = build_proven(*plan).value();
  bool good = true;
  for (const std::uint32_t threads : {1, 2}) {
    RigBackend backend({.cutting = {.ctas = 1, .longest_message = Bytes{64}},
                        .threads = threads,
                        .timeout_ns = 60'000'000'000,
                        .ranks_a_device = threads,
                        .relax = relax});
    GuardedMemory memory(problem, owned_ranks(backend, problem.spec.ranks));
    const auto prepared = backend.prepare({&schedule, problem.count, problem.type, problem.op, 2.0},
                                          memory.memory(), {});
    for (std::uint64_t run = 1; run <= 2; ++run) {
      const DataSet data(problem, DataKind::exact, run);
      memory.reset(data);
      good = good && (*prepared)->run(1) && memory.check(data).wrong == 0;
    }
  }
  return good;
}

Problem sum_of(CollectiveKind kind, std::uint32_t ranks, ReduceOp op = ReduceOp::sum) {
  return {.spec = {kind, ranks}, .count = 403, .op = op, .mulsum_scalar = 2};
}

bool all_run_well() {
  bool good = true;
  for (const Algorithm& algorithm : all_algorithms())
    for (const std::uint32_t ranks : {1, 2, 3, 4, 5, 8})
      good = runs_well(algorithm, sum_of(algorithm.collective, ranks), {}) && good;
  return good;
}

int run(const std::string& what) {
  if (what == "all") return all_run_well() ? 0 : 1;
  Relax relax;
  if (!what.empty()) {
    if (!mistakes().contains(what)) return std::fputs("no such mistake\n", stderr), 2;
    relax = mistakes().at(what);
  }
  const auto kind = CollectiveKind::all_reduce;
  const auto well = [&](const char* algorithm, ReduceOp op) {
    return runs_well(**find_algorithm(kind, algorithm), sum_of(kind, 4, op), relax);
  };
  bool good = true;
  for (const char* algorithm : {"ring", "recursive_doubling", "direct"})
    good = well(algorithm, ReduceOp::sum) && good;
  for (const auto op : {ReduceOp::avg, ReduceOp::mulsum}) good = well("multi_ring", op) && good;
  return good ? 0 : 1;
}

}  // namespace
}  // namespace ringside::cuda::interpreter

int main(int count, char** arguments) {
  return ringside::cuda::interpreter::run(count > 1 ? arguments[1] : "");
}
