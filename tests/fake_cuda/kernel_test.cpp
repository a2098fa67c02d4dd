// The one-kernel path on the fake machine: its thread blocks on CPU threads, all else as compiled.

#include <gmock/gmock.h>

#include "gpu/cuda/cuda_backend.hpp"
#include "gpu/cuda/interpreter/one_kernel.hpp"
#include "tests/conformance/backend_conformance.hpp"
#include "tests/fake_cuda/machine.hpp"

namespace ringside::cuda {
namespace {

using conformance::Report;

constexpr const char* machines[] = {"devices=4", "devices=1", "devices=3,peers=none",
                                    "devices=8,peers=partial", "devices=4,peers=broken"};

/// All pairs of what there is to choose (every nth case of those), on machines that take turns.
Report run_all(std::size_t nth) {
  Report report;
  std::size_t turn = 0;
  for (const Algorithm& algorithm : all_algorithms())
    for (const auto& c : conformance::cases_of(algorithm, {1, 2, 3, 4, 6, 7, 8})) {
      if (++turn % nth != 0) continue;
      const auto machine_text = std::string(machines[turn / nth % std::size(machines)]);
      const fake::Machine machine(machine_text + ",seed=" + std::to_string(turn));
      auto backend = make_cuda_backend({.ctas = turn % 3 == 0 ? 0u : 2u, .threads = 64}).value();
      conformance::run(*backend, c, report, "kernel");
    }
  return report;
}

TEST(Kernel, GivesTheRightResultOnEveryMachine) {
  const auto report = run_all(11);
  EXPECT_GT(report.cases, 100);
  EXPECT_EQ(report.failures, std::vector<std::string>{});
}

TEST(KernelFull, GivesTheRightResultOnEveryMachine) {
  EXPECT_EQ(run_all(1).failures, std::vector<std::string>{});
}

}  // namespace
}  // namespace ringside::cuda
