// The nccl backend on pretended machines: every algorithm by groups of sends and receives, and the
// library's own collectives, on 1 to 8 devices, in orders of all kinds.

#include <gmock/gmock.h>

#include <array>

#include "gpu/nccl/nccl_backend.hpp"
#include "tests/conformance/backend_conformance.hpp"
#include "tests/fake_cuda/machine.hpp"

namespace fake {
namespace {

using namespace ringside;
using conformance::Case;
using conformance::Report;

constexpr std::array<std::string_view, 3> peers{"full", "partial", "none"};

void run(const Case& c, std::string_view executor, std::uint64_t seed, Report& report) {
  const auto config = "devices=" + std::to_string(c.problem.spec.ranks) +
                      ",peers=" + std::string(peers[seed % peers.size()]) +
                      ",seed=" + std::to_string(seed);
  Machine machine(config);
  const auto failures = report.failures.size();
  {
    auto backend = make_nccl_backend({});
    if (!backend) return report.failures.push_back(backend.error().message);
    conformance::run(**backend, c, report, std::string(executor));
  }
  const auto found = machine.findings();
  if (!found.empty()) report.failures.push_back(c.describe() + " left behind: " + found);
  for (auto i = failures; i < report.failures.size(); ++i)
    report.failures[i] += " (" + std::string(executor) + ", " + config + ")";
}

class NcclBackend : public testing::TestWithParam<std::size_t> {
 protected:
  static CollectiveKind kind() { return static_cast<CollectiveKind>(GetParam()); }
};
std::string collective_name(const testing::TestParamInfo<std::size_t>& tested) {
  return std::string(name(static_cast<CollectiveKind>(tested.param)));
}
INSTANTIATE_TEST_SUITE_P(Collectives, NcclBackend, testing::Range<std::size_t>(0, collective_count),
                         collective_name);

TEST_P(NcclBackend, DoesEveryAlgorithmByGroups) {
  Report report;
  std::uint64_t seed = 0;
  for (const Algorithm& algorithm : all_algorithms())
    if (algorithm.collective == kind())
      for (const Case& c : conformance::cases_of(algorithm, {1, 2, 3, 4, 5, 8}))
        if (++seed % 3 == 0) run(c, "grouped", seed, report);
  EXPECT_TRUE(report.failures.empty()) << summary(report);
  EXPECT_GT(report.cases, 5u);
}

/// Its own collective needs no algorithm: one is named because every run has a schedule.
TEST_P(NcclBackend, ItsOwnCollectiveIsRight) {
  Report report;
  std::uint64_t seed = 0;
  const auto first = std::ranges::find(all_algorithms(), kind(), &Algorithm::collective);
  for (const Case& c : conformance::cases_of(*first, {1, 2, 3, 4, 7, 8}))
    run(c, "native", ++seed, report);
  EXPECT_TRUE(report.failures.empty()) << summary(report);
  EXPECT_GT(report.cases, 5u);
}

class NcclBackendFull : public NcclBackend {};
INSTANTIATE_TEST_SUITE_P(Collectives, NcclBackendFull,
                         testing::Range<std::size_t>(0, collective_count), collective_name);

TEST_P(NcclBackendFull, DoesEveryAlgorithmByGroups) {
  Report report;
  std::uint64_t seed = 0;
  for (const Algorithm& algorithm : all_algorithms())
    if (algorithm.collective == kind())
      for (const Case& c : conformance::cases_of(algorithm, {1, 2, 3, 4, 5, 6, 7, 8}))
        for (int times = 0; times < 4; ++times) run(c, "grouped", ++seed, report);
  EXPECT_TRUE(report.failures.empty()) << summary(report);
}

}  // namespace
}  // namespace fake
