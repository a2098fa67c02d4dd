#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "core/engine.hpp"
#include "core/guarded_memory.hpp"
#include "tests/conformance/all_pairs.hpp"

namespace ringside::conformance {

/// What a backend went through, and what it got wrong: one sentence each.
struct Report {
  std::uint64_t cases = 0, elements = 0;
  std::vector<std::string> failures;
};

/// The first failures, for a test to print.
inline std::string summary(const Report& report) {
  std::string text = std::to_string(report.failures.size()) + " failures";
  for (std::size_t i = 0; i < std::min<std::size_t>(report.failures.size(), 10); ++i)
    text += "\n  " + report.failures[i];
  return text;
}

/// One run of one algorithm.
struct Case {
  const Algorithm* algorithm = nullptr;
  Options options;
  Problem problem;
  DataKind data = DataKind::exact;

  std::string describe() const {
    return std::string(name(problem.spec.kind)) + " " + std::string(algorithm->name) +
           " N=" + std::to_string(problem.spec.ranks) + " " + std::string(name(problem.type)) +
           " " + std::string(name(problem.op)) + " count=" + std::to_string(problem.count) +
           " root=" + std::to_string(problem.spec.root.value) +
           (problem.spec.in_place ? " in place" : " out of place") + ", " +
           std::string(name(data)) + " data";
  }
};

/// 0, 1, around the number of ranks, primes; none needs to divide anything.
inline std::uint64_t awkward_count(std::size_t level, std::uint64_t ranks) {
  const std::array<std::uint64_t, 9> counts{0, 1, ranks - 1, ranks, ranks + 1, 2, 7, 31, 67};
  return counts[level];
}
inline constexpr std::size_t awkward_counts = 9;

/// Every pair of (ranks, type, op, count, placement, root, data, chunks) that this algorithm takes.
inline std::vector<Case> cases_of(const Algorithm& algorithm,
                                  const std::vector<std::uint32_t>& rank_counts) {
  std::vector<std::uint32_t> supported;
  for (const auto n : rank_counts)
    if (make_plan(algorithm, {.kind = algorithm.collective, .ranks = n}, {}))
      supported.push_back(n);
  if (supported.empty()) return {};
  const auto kind = algorithm.collective;
  const std::array<std::size_t, 8> levels{supported.size(),
                                          element_type_count,
                                          reduces(kind) ? reduce_op_count : 1,
                                          awkward_counts,
                                          may_be_in_place(kind) ? 2u : 1u,
                                          has_root(kind) ? 3u : 1u,
                                          data_kind_count,
                                          algorithm.chunking == Chunking::fixed ? 1u : 3u};
  std::vector<Case> cases;
  for (const Row& row : AllPairs(levels).rows()) {
    const auto n = supported[row[0]];
    const std::array<std::uint32_t, 3> roots{n - 1, 0, n / 2};
    Case c;
    c.algorithm = &algorithm;
    c.data = static_cast<DataKind>(row[6]);
    c.problem = {.spec = {kind, n, {has_root(kind) ? roots[row[5]] : 0}, row[4] == 1},
                 .count = awkward_count(row[3], n),
                 .type = static_cast<ElementType>(row[1]),
                 .op = static_cast<ReduceOp>(row[2]),
                 .mulsum_scalar = 2};
    if (row[7] > 0) {  // the default, and two numbers of chunks a user may ask for
      c.options.chunks = algorithm.complete(c.problem.spec, {}).chunks * (row[7] == 1 ? 2 : 3);
      if (!make_plan(algorithm, c.problem.spec, c.options)) c.options.chunks = 0;
    }
    cases.push_back(c);
  }
  return cases;
}

inline void run(Backend& backend, const Case& c, Report& report, const std::string& executor = {}) {
  const auto fail = [&](const std::string& why) {
    report.failures.push_back(c.describe() + ": " + why);
  };
  const auto plan = make_plan(*c.algorithm, c.problem.spec, c.options);
  if (!plan) return fail(plan.error().message);
  if (plan->options.agents > 0 && !backend.capabilities().agents) return;
  const auto schedule = build_proven(*plan);
  if (!schedule) return fail(schedule.error().message);
  const Work work{&*schedule, c.problem.count, c.problem.type, c.problem.op,
                  c.problem.mulsum_scalar};
  Trial trial{.data = c.data, .seed = report.cases, .iterations = 2};
  trial.run.executor = executor;
  const auto outcome = execute(backend, work, trial);
  if (!outcome) return fail(outcome.error().message);
  ++report.cases;
  report.elements += outcome->comparison.checked;
  if (outcome->comparison.wrong > 0) fail(outcome->comparison.first);
}

/// All outputs, rank by rank, after one run on random data: for comparing bits.
inline std::vector<std::vector<std::byte>> outputs_of(Backend& backend, const Case& c) {
  const auto schedule = build_proven(*make_plan(*c.algorithm, c.problem.spec, c.options)).value();
  GuardedMemory memory(c.problem, owned_ranks(backend, c.problem.spec.ranks));
  const auto prepared = backend.prepare(
      {&schedule, c.problem.count, c.problem.type, c.problem.op, 0.3}, memory.memory(), {});
  memory.reset(DataSet(c.problem, DataKind::real, 5));
  EXPECT_TRUE((*prepared)->run(1));
  std::vector<std::vector<std::byte>> outputs;
  for (const auto& rank : memory.memory().ranks)
    outputs.emplace_back(rank.output.begin(), rank.output.end());
  return outputs;
}

/// Puts a backend that moves real bytes through every algorithm of the registry.
inline Report run_all(Backend& backend, const std::vector<std::uint32_t>& rank_counts) {
  Report report;
  for (const Algorithm& algorithm : all_algorithms())
    for (const Case& c : cases_of(algorithm, rank_counts)) run(backend, c, report);
  return report;
}

}  // namespace ringside::conformance
