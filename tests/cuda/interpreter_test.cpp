// What thread blocks do, without a GPU: programs compiled from every algorithm, run block by block.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/conformance/backend_conformance.hpp"
#include "tests/cuda/interpreter_backend.hpp"

namespace ringside::cuda::interpreter {
namespace {

using conformance::Report;

std::string summary(const Report& report) {
  std::string text = std::to_string(report.failures.size()) + " failures";
  for (std::size_t i = 0; i < std::min<std::size_t>(report.failures.size(), 10); ++i)
    text += "\n  " + report.failures[i];
  return text;
}

TEST(Interpreter, DoesEveryAlgorithmRight) {
  RigBackend backend;
  const Report report = conformance::run_all(backend, {1, 2, 3, 4, 5, 6, 7, 8, 9});
  EXPECT_TRUE(report.failures.empty()) << summary(report);
  EXPECT_GT(report.cases, 100 * all_algorithms().size());
}

}  // namespace
}  // namespace ringside::cuda::interpreter
