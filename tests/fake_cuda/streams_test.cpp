// The stream paths on the fake machine: every algorithm, whatever order its streams take.

#include "gpu/cuda/streams.hpp"

#include <gmock/gmock.h>

#include "gpu/cuda/cuda_backend.hpp"
#include "tests/conformance/backend_conformance.hpp"
#include "tests/fake_cuda/machine.hpp"

namespace ringside::cuda {
namespace {

using conformance::Report;

constexpr const char* machines[] = {"devices=4", "devices=1", "devices=3,peers=none",
                                    "devices=8,peers=partial", "devices=4,peers=broken"};

std::string seeded(const std::string& machine, std::uint64_t seed) {
  return machine + ",seed=" + std::to_string(seed);
}

/// All pairs of what there is to choose (every nth case of those), on machines that take turns.
Report run_all(const std::string& executor, std::size_t nth) {
  Report report;
  std::size_t turn = 0;
  for (const Algorithm& algorithm : all_algorithms())
    for (const auto& c : conformance::cases_of(algorithm, {1, 2, 3, 4, 6, 7, 8})) {
      if (++turn % nth != 0) continue;
      const fake::Machine machine(seeded(machines[turn / nth % std::size(machines)], turn));
      auto backend = make_cuda_backend({}).value();
      conformance::run(*backend, c, report, executor);
    }
  return report;
}

TEST(Streams, GiveTheRightResultOnEveryMachine) {
  const auto report = run_all("streams", 5);
  EXPECT_GT(report.cases, 600);
  EXPECT_EQ(report.failures, std::vector<std::string>{});
}

TEST(Streams, GiveTheRightResultAsAGraph) {
  const auto report = run_all("graph", 7);
  EXPECT_GT(report.cases, 400);
  EXPECT_EQ(report.failures, std::vector<std::string>{});
}

TEST(StreamsFull, GiveTheRightResultOnEveryMachine) {
  for (const char* executor : {"streams", "graph"})
    EXPECT_EQ(run_all(executor, 1).failures, std::vector<std::string>{});
}

}  // namespace
}  // namespace ringside::cuda
