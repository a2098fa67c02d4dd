// One rank of an MPI job in which something goes wrong on purpose: what mpi_test starts under
// mpirun. Prints what came of it on rank 0; the exit status is the job's.
//
// - mpi_ranks FAULT RANK [TIMEOUT_MS]: that rank is stopped, naps, is killed, late, or
//   asks for other things
// - mpi_ranks quick EXECUTOR: every algorithm and placement, types, ops, counts and data in turn
// - mpi_ranks executor NAME: all collectives, types and ops without a schedule
// - mpi_ranks tamper NUMBER: every rank's plan has a mistake in it
// - mpi_ranks slices EXECUTOR: mistakes of processes that share out slices, one after the other
// - mpi_ranks window 0: mistakes of the executor window, one after the other
// - mpi_ranks trace 0: the trace of a ring is checked

#include <unistd.h>

#include <array>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>

#include "core/engine.hpp"
#include "core/variants.hpp"
#include "gpu/mpi/mpi_backend.hpp"
#include "gpu/mpi/tampering.hpp"
#include "tests/mpi/mistakes.hpp"
#include "tests/mpi/slice_mistakes.hpp"
#include "tests/mpi/window_mistakes.hpp"

namespace ringside {
namespace {

Schedule schedule_of(CollectiveKind kind, std::string_view algorithm, std::uint32_t ranks) {
  return build_proven(make_plan(**find_algorithm(kind, algorithm), {kind, ranks}, {}).value())
      .value();
}

Schedule any_schedule(const CollectiveSpec& spec) {
  for (const Algorithm& algorithm : all_algorithms()) {
    if (algorithm.collective != spec.kind) continue;
    const auto plan = make_plan(algorithm, spec, {});
    if (plan && plan->options.agents == 0) return build_proven(*plan).value();
  }
  std::abort();
}

/// Stops until the others have complained, and wakes before mpirun has ended it.
void nap() {
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  const pid_t sleeper = getpid();
  if (fork() == 0) {
    std::this_thread::sleep_for(std::chrono::milliseconds(2100));
    kill(sleeper, SIGCONT);
    _exit(0);
  }
  std::raise(SIGSTOP);
}

/// What happens to the chosen rank, between two runs.
void suffer(const std::string& fault) {
  if (fault == "stopped") std::raise(SIGSTOP);
  if (fault == "naps") nap();
  if (fault == "killed") std::raise(SIGKILL);
  if (fault == "late") std::this_thread::sleep_for(std::chrono::seconds(60));
}

int report(const Result<void>& result) {
  return mpi::leave(result                                      ? 0
                    : result.error().kind == ErrorKind::request ? 2
                                                                : 1,
                    result ? "" : result.error().message);
}

Result<void> run_with(Backend& backend, const std::string& fault, Rank victim, Duration timeout) {
  const auto schedule =
      schedule_of(CollectiveKind::all_reduce, "ring", backend.capabilities().ranks);
  Work work{&schedule, 20'000};
  const bool is_victim = backend.owns(victim);
  if (fault == "other_type" && is_victim) work.type = ElementType::float16;
  if (fault == "other_count" && is_victim) work.count = 5;
  Trial trial;
  trial.run.timeout = timeout;
  for (int i = 0; i < 3; ++i) {
    // From inside a run: others are in the middle of theirs.
    std::thread later;
    if (is_victim && i == 1 && fault != "late")
      later = std::thread([&fault] {
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
        suffer(fault);
      });
    else if (is_victim && i == 1)
      suffer(fault);
    if (fault == "naps" && i == 1 && !is_victim)  // who naps is waiting for the others
      std::this_thread::sleep_for(std::chrono::milliseconds(100));
    trial.iterations = i == 1 ? 50 : 0;
    const auto outcome = execute(backend, work, trial);
    if (later.joinable()) later.join();
    RS_TRY(outcome);
    if (outcome->comparison.wrong > 0) return gone_wrong(outcome->comparison.first);
  }
  return {};
}

/// A trace of a ring: its order, that both ends of every transfer have told, and that large
/// messages of a connection go one after the other.
Result<void> trace(Backend& backend) {
  const auto schedule =
      schedule_of(CollectiveKind::all_reduce, "ring", backend.capabilities().ranks);
  Trial trial;
  trial.run.trace = true;
  RS_ASSIGN(const auto outcome, execute(backend, {&schedule, 200'000}, trial));
  const auto& spans = outcome.measurement.trace;
  for (std::uint32_t id = 0; id < spans.size(); ++id) {
    const Span& s = spans[id];
    const bool in_order = s.ready <= s.begin && s.begin <= s.read && s.read <= s.commit &&
                          s.begin <= s.arrival && s.arrival <= s.commit;
    if (!in_order || s.arrival == Duration{})
      return gone_wrong(describe({id}, schedule) + " has a span out of order");
    for (const Dependency& d : schedule.dependencies({id}))
      if (d.kind == DependencyKind::raw && spans[d.on.value].commit > s.begin)
        return gone_wrong(describe({id}, schedule) + " began before what it sends had come");
  }
  const auto n = schedule.spec().ranks;
  for (std::uint32_t id = n; id < spans.size(); ++id)  // a ring: the same connection, a step ago
    if (spans[id].begin < spans[id - n].read)
      return gone_wrong(describe({id}, schedule) + " began beside the large message before it");
  if (mpi::is_first()) std::printf("%zu spans\n", spans.size());
  return {};
}

/// A few runs of each schedule, so that every type meets every op, count and kind of data
/// somewhere.
Result<void> quick(Backend& backend, const std::string& executor) {
  const auto n = backend.capabilities().ranks;
  std::uint64_t runs = 0;
  for (const Algorithm& algorithm : all_algorithms())
    for (const auto& spec : specs_that_matter(algorithm.collective, n)) {
      const auto plan = make_plan(algorithm, spec, {});
      if (!plan || plan->options.agents > 0) continue;
      RS_ASSIGN(const auto schedule, build_proven(*plan));
      for (int i = 0; i < 7; ++i, ++runs) {
        const std::array<std::uint64_t, 6> counts{0, 1, n - 1, n, n + 1, 67};
        const auto count = counts[runs / 5 % counts.size()];
        const Work work{&schedule, spec.kind == CollectiveKind::barrier ? 0 : count,
                        static_cast<ElementType>(runs % element_type_count),
                        static_cast<ReduceOp>(runs / element_type_count % reduce_op_count), 2};
        Trial trial;
        trial.data = static_cast<DataKind>(runs / 7 % data_kind_count);
        trial.seed = runs;
        trial.run.executor = executor;
        RS_ASSIGN(const auto outcome, execute(backend, work, trial));
        if (outcome.comparison.wrong > 0)
          return gone_wrong(std::string(name(spec.kind)) + " " + std::string(algorithm.name) +
                            ", " + std::string(name(work.type)) + " " + std::string(name(work.op)) +
                            ": " + outcome.comparison.first);
      }
    }
  if (mpi::is_first())
    std::printf("%llu runs on mpi/%s are right\n", static_cast<unsigned long long>(runs),
                executor.c_str());
  return {};
}

/// Open MPI's vector instructions saturate sums of small integers, where MPI's definition and NCCL
/// wrap around: `run --native` counts those elements as wrong.
bool saturates(const Work& work) {
  return size_of(work.type) == 1_B && reduces(work.schedule->spec().kind) &&
         work.op != ReduceOp::min && work.op != ReduceOp::max;
}

/// Every collective, placement, type and op without a schedule, in sizes that take none, a part,
/// one and several slices.
Result<void> without_schedule(Backend& backend, const std::string& executor) {
  std::uint64_t runs = 0;
  for (std::size_t k = 0; k < collective_count; ++k)
    for (const auto& spec :
         specs_that_matter(static_cast<CollectiveKind>(k), backend.capabilities().ranks)) {
      const auto schedule = any_schedule(spec);
      for (std::size_t type = 0; type < element_type_count; ++type)
        for (std::size_t op = 0; op < (reduces(spec.kind) ? reduce_op_count : 1); ++op)
          for (const std::uint64_t count : {0, 1, 67, type == 8 && op == 0 ? 100'000 : 0}) {
            Trial trial;
            trial.run.executor = executor;
            trial.seed = ++runs;
            trial.iterations = 2;
            const Work work{&schedule, spec.kind == CollectiveKind::barrier ? 0 : count,
                            static_cast<ElementType>(type), static_cast<ReduceOp>(op), 2};
            if (executor == "native" && saturates(work)) continue;
            const auto outcome = execute(backend, work, trial);
            if (!outcome && outcome.error().kind == ErrorKind::machine) continue;
            RS_TRY(outcome);
            if (outcome->comparison.wrong > 0)
              return gone_wrong(std::string(name(spec.kind)) + " " + std::string(name(work.type)) +
                                " " + std::string(name(work.op)) + ": " +
                                outcome->comparison.first);
          }
    }
  if (mpi::is_first())
    std::printf("%llu runs on mpi/%s\n", static_cast<unsigned long long>(runs), executor.c_str());
  return {};
}

}  // namespace
}  // namespace ringside

int main(int argc, char** argv) {
  using namespace ringside;
  if (argc < 3) return 2;
  const std::string what = argv[1];
  const auto number = static_cast<std::uint32_t>(std::atoi(argv[2]));
  if (what == "tamper") return mpi::report_mistake(number);
  if (what == "slices") return mpi::report_slice_mistakes(argv[2]);
  if (what == "window") return mpi::report_window_mistakes();
  const auto timeout = nanoseconds(1'000'000LL * (argc > 3 ? std::atoi(argv[3]) : 3000));
  const auto backend = make_mpi_backend();
  if (!backend) return 3;
  if (what == "quick") return report(quick(**backend, argv[2]));
  if (what == "executor") return report(without_schedule(**backend, argv[2]));
  if (what == "trace") return report(trace(**backend));
  return report(run_with(**backend, what, Rank{number}, timeout));
}
