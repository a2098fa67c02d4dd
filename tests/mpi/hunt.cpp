#include "tests/mpi/hunt.hpp"

#include <cstdio>

#include "core/engine.hpp"
#include "gpu/mpi/mpi_backend.hpp"

namespace ringside::mpi {
namespace {

/// Whether some run was wrong.
Result<bool> finds(const Mistake& mistake, std::span<const Ground> grounds,
                   const std::string& executor) {
  RS_ASSIGN(const auto backend, make_tampered_backend(mistake.tampering));
  const auto ranks = backend->capabilities().ranks;
  bool found = false;
  for (const auto& [kind, name] : grounds)
    for (const bool in_place : {false, true})
      for (const auto op : {ReduceOp::sum, ReduceOp::avg}) {
        RS_ASSIGN(const Algorithm* algorithm, find_algorithm(kind, name));
        const auto plan =
            make_plan(*algorithm, {.kind = kind, .ranks = ranks, .in_place = in_place}, {});
        if (!plan) continue;
        RS_ASSIGN(const auto schedule, build_proven(*plan));
        Trial trial;
        trial.repeat = true;
        trial.run.executor = executor;
        RS_ASSIGN(const auto outcome,
                  execute(*backend, {&schedule, 100'003, ElementType::int32, op}, trial));
        found |= outcome.comparison.wrong > 0;
      }
  return found;
}

}  // namespace

int report_hunt(std::span<const Mistake> mistakes, std::span<const Ground> grounds,
                const std::string& executor) {
  bool is_good = true;
  for (const Mistake& mistake : mistakes) {
    const auto found = finds(mistake, grounds, executor);
    if (!found) return leave(1, found.error().message);
    is_good &= *found == mistake.is_wrong;
    if (is_first())
      std::printf("%s: %s\n", std::string(mistake.name).c_str(),
                  *found             ? "found"
                  : mistake.is_wrong ? "NOT FOUND"
                                     : "right");
  }
  return leave(is_good ? 0 : 1, "");
}

}  // namespace ringside::mpi
