// The cuda backend on pretended machines: every algorithm, in awkward sizes, on 1 to 8 devices with
// 1 to 4 ranks each, with and without peer access, in orders of all kinds.

#include <gmock/gmock.h>

#include <algorithm>
#include <array>

#include "gpu/cuda/cuda_backend.hpp"
#include "tests/conformance/backend_conformance.hpp"
#include "tests/fake_cuda/machine.hpp"

namespace fake {
namespace {

using namespace ringside;
using conformance::AllPairs;
using conformance::Case;
using conformance::Report;

constexpr std::array<std::string_view, 3> executors{"streams", "graph", "kernel"};
constexpr std::array<std::string_view, 3> peers{"full", "partial", "none"};

struct Setup {
  std::uint32_t devices = 1, ranks_each = 1;
  std::string_view peers, executor;
  std::uint64_t seed = 1;

  std::string config() const {
    return "devices=" + std::to_string(devices) + ",peers=" + std::string(peers) +
           ",sms=32,seed=" + std::to_string(seed);
  }
};

/// One case on one machine.
void run(const Setup& setup, const Case& c, Report& report) {
  Machine machine(setup.config());
  const auto failures = report.failures.size();
  {
    auto backend = make_cuda_backend({});
    if (!backend) return report.failures.push_back(backend.error().message);
    conformance::run(**backend, c, report, std::string(setup.executor));
  }
  const auto found = machine.findings();
  if (!found.empty()) report.failures.push_back(c.describe() + " left behind: " + found);
  for (auto i = failures; i < report.failures.size(); ++i)
    report.failures[i] += " (" + std::string(setup.executor) + ", " + setup.config() + ")";
}

/// What varies, by position in a row.
enum Factor {
  devices,
  ranks_each,
  peering,
  executor,
  type,
  op,
  count,
  placement,
  root,
  data,
  chunks
};

std::vector<std::size_t> levels_of(const Algorithm& algorithm) {
  const auto kind = algorithm.collective;
  return {8,
          4,
          peers.size(),
          executors.size(),
          element_type_count,
          reduces(kind) ? reduce_op_count : 1,
          conformance::awkward_counts,
          may_be_in_place(kind) ? 2u : 1u,
          has_root(kind) ? 3u : 1u,
          data_kind_count,
          algorithm.chunking == Chunking::fixed ? 1u : 3u};
}

/// Nothing where this algorithm cannot run on so many ranks.
std::optional<Case> case_of(const Algorithm& algorithm, const conformance::Row& row) {
  const auto kind = algorithm.collective;
  const auto n = static_cast<std::uint32_t>((row[devices] + 1) * (row[ranks_each] + 1));
  const std::array<std::uint32_t, 3> roots{n - 1, 0, n / 2};
  Case c;
  c.algorithm = &algorithm;
  c.data = static_cast<DataKind>(row[data]);
  c.problem = {.spec = {kind, n, {has_root(kind) ? roots[row[root]] : 0}, row[placement] == 1},
               .count = conformance::awkward_count(row[count], n),
               .type = static_cast<ElementType>(row[type]),
               .op = static_cast<ReduceOp>(row[op]),
               .mulsum_scalar = 2};
  if (!make_plan(algorithm, c.problem.spec, {})) return std::nullopt;
  if (row[chunks] > 0) {
    c.options.chunks = algorithm.complete(c.problem.spec, {}).chunks * (row[chunks] == 1 ? 2 : 3);
    if (!make_plan(algorithm, c.problem.spec, c.options)) c.options.chunks = 0;
  }
  return c;
}

Setup setup_of(const conformance::Row& row, std::uint64_t seed) {
  return {static_cast<std::uint32_t>(row[devices] + 1),
          static_cast<std::uint32_t>(row[ranks_each] + 1), peers[row[peering]],
          executors[row[executor]], seed};
}

class CudaBackend : public testing::TestWithParam<std::size_t> {};
std::string collective_name(const testing::TestParamInfo<std::size_t>& tested) {
  return std::string(name(static_cast<CollectiveKind>(tested.param)));
}
INSTANTIATE_TEST_SUITE_P(Collectives, CudaBackend, testing::Range<std::size_t>(0, collective_count),
                         collective_name);

TEST_P(CudaBackend, DoesEveryAlgorithmRight) {
  Report report;
  std::uint64_t seed = 0;
  for (const Algorithm& algorithm : all_algorithms()) {
    if (algorithm.collective != static_cast<CollectiveKind>(GetParam())) continue;
    const auto levels = levels_of(algorithm);
    for (const auto& row : AllPairs(levels).rows())
      if (const auto c = case_of(algorithm, row)) run(setup_of(row, ++seed), *c, report);
  }
  EXPECT_TRUE(report.failures.empty()) << summary(report);
  EXPECT_GT(report.cases, 20u);
}

/// Every machine with every executor and algorithm; what is left varies from one to the next.
class CudaBackendFull : public CudaBackend {};
INSTANTIATE_TEST_SUITE_P(Collectives, CudaBackendFull,
                         testing::Range<std::size_t>(0, collective_count), collective_name);

TEST_P(CudaBackendFull, DoesEveryAlgorithmRightOnEveryMachine) {
  Report report;
  std::uint64_t seed = 0;
  for (const Algorithm& algorithm : all_algorithms()) {
    if (algorithm.collective != static_cast<CollectiveKind>(GetParam())) continue;
    const auto levels = levels_of(algorithm);
    const auto rows = AllPairs(levels).rows();
    std::array<std::size_t, 4> at{};
    for (at[0] = 0; at[0] < 8; ++at[0])
      for (at[1] = 0; at[1] < 4; ++at[1])
        for (at[2] = 0; at[2] < peers.size(); ++at[2])
          for (at[3] = 0; at[3] < executors.size(); ++at[3]) {
            for (int varied = 0; varied < 4; ++varied) {
              auto row = rows[++seed * 31 % rows.size()];
              std::copy(at.begin(), at.end(), row.begin());
              if (const auto c = case_of(algorithm, row)) run(setup_of(row, seed), *c, report);
            }
          }
  }
  EXPECT_TRUE(report.failures.empty()) << summary(report);
}

}  // namespace
}  // namespace fake
