#include "gpu/host/host_backend.hpp"

#include <gtest/gtest.h>

#include <string>

#include "tests/conformance/backend_conformance.hpp"

namespace ringside {
namespace {

using conformance::Report;

std::string summary(const Report& report) {
  std::string text = std::to_string(report.failures.size()) + " failures";
  for (std::size_t i = 0; i < std::min<std::size_t>(report.failures.size(), 10); ++i)
    text += "\n  " + report.failures[i];
  return text;
}

/// The host backend with one way of running.
class Only final : public Backend {
 public:
  explicit Only(std::string executor) : executor_(std::move(executor)) {}
  std::string_view name() const override { return executor_; }
  Capabilities capabilities() const override { return real_->capabilities(); }
  Result<std::unique_ptr<Prepared>> prepare(const Work& work, Memory& memory,
                                            const RunOptions& options) override {
    auto changed = options;
    changed.executor = executor_;
    return real_->prepare(work, memory, changed);
  }

 private:
  std::unique_ptr<Backend> real_ = make_host_backend();
  std::string executor_;
};

class Host : public testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Executors, Host, testing::Values("direct", "sliced", "ranks"),
                         [](const auto& tested) { return std::string(tested.param); });

TEST_P(Host, DoesEveryAlgorithmRight) {
  Only backend(GetParam());
  const Report report = conformance::run_all(backend, {1, 2, 3, 4, 5, 6, 7, 8, 9});
  EXPECT_TRUE(report.failures.empty()) << summary(report);
  EXPECT_GT(report.cases, 100 * all_algorithms().size());
}

}  // namespace
}  // namespace ringside
