#include "gpu/host/host_backend.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "gpu/host/faults.hpp"
#include "tests/conformance/backend_conformance.hpp"

namespace ringside {
namespace {

using conformance::outputs_of;
using conformance::Report;
using host::Fault;

/// A host backend with one way of running, and little patience.
class Only final : public Backend {
 public:
  explicit Only(std::string executor, Fault fault = Fault::none)
      : real_(host::make_faulty_host_backend(fault)), executor_(std::move(executor)) {}
  std::string_view name() const override { return executor_; }
  Capabilities capabilities() const override { return real_->capabilities(); }
  Result<std::unique_ptr<Prepared>> prepare(const Work& work, Memory& memory,
                                            const RunOptions& options) override {
    auto changed = options;
    changed.executor = executor_;
    if (timeout > Duration{}) changed.timeout = timeout;
    return real_->prepare(work, memory, changed);
  }
  Duration timeout;

 private:
  std::unique_ptr<Backend> real_;
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

void run_long(Backend& backend, const Algorithm& algorithm, std::uint64_t count, Report& report) {
  conformance::Case c;
  c.algorithm = &algorithm;
  c.problem.spec = {.kind = algorithm.collective, .ranks = 3};
  c.problem.count = count;
  for (const bool in_place : {false, true}) {
    c.problem.spec.in_place = in_place;
    if (make_plan(algorithm, c.problem.spec, {})) conformance::run(backend, c, report);
  }
}

/// Enough bytes that threads share the slices: another way through the code than short vectors
/// take.
TEST_P(Host, SharesLongVectors) {
  Only backend(GetParam());
  Report report;
  for (const Algorithm& algorithm : all_algorithms()) run_long(backend, algorithm, 6'007, report);
  EXPECT_TRUE(report.failures.empty()) << summary(report);
  EXPECT_GT(report.cases, all_algorithms().size());
}

/// More than caches hold: no fused loops.
TEST(HostFull, SharesVectorsLongerThanCaches) {
  for (const char* executor : {"direct", "sliced", "ranks"}) {
    Only backend(executor);
    Report report;
    run_long(backend, **find_algorithm(CollectiveKind::all_reduce, "ring"), 1'500'007, report);
    EXPECT_TRUE(report.failures.empty()) << summary(report);
    EXPECT_EQ(report.cases, 2u);
  }
}

/// Not only within the bound of roundings: the same order of additions, so the same bits. Whatever
/// is done in one loop that the schedule does in many.
TEST(HostSchedules, GiveTheReferencesBits) {
  const auto reference = make_reference_backend();
  for (const char* executor : {"sliced", "ranks"}) {
    Only backend(executor);
    for (const Algorithm& algorithm : all_algorithms())
      for (auto& c : conformance::cases_of(algorithm, {2, 3, 5, 8})) {
        if (!is_floating(c.problem.type)) continue;
        c.problem.count *= 11;
        if (algorithm.collective == CollectiveKind::barrier) continue;
        EXPECT_EQ(outputs_of(backend, c), outputs_of(*reference, c))
            << executor << " " << c.describe();
      }
  }
}

// A test that cannot fail is a bug: the mistakes that executors make must be seen, each.

/// Runs the conformance tests until they complain: what about, or nothing.
std::string first_complaint(Backend& backend) {
  Report report;
  for (const Algorithm& algorithm : all_algorithms())
    for (const auto& c : conformance::cases_of(algorithm, {2, 3, 4, 5, 8})) {
      conformance::run(backend, c, report);
      if (!report.failures.empty()) return report.failures.front();
    }
  return "";
}

std::vector<std::pair<const char*, Fault>> faults_of_executors() {
  std::vector<std::pair<const char*, Fault>> all;
  for (std::size_t f = 1; f < host::fault_count; ++f) {
    const auto fault = static_cast<Fault>(f);
    if (fault < Fault::skipped_wait)
      for (const char* executor : {"sliced", "direct"}) all.emplace_back(executor, fault);
    const bool in_slices =
        fault == Fault::missed_slice || fault == Fault::undivided || fault == Fault::wrong_order;
    if (!in_slices) all.emplace_back("ranks", fault);
  }
  return all;
}

class HostFault : public testing::TestWithParam<std::pair<const char*, Fault>> {};
INSTANTIATE_TEST_SUITE_P(Each, HostFault, testing::ValuesIn(faults_of_executors()),
                         [](const auto& tested) {
                           return std::string(tested.param.first) + "_" +
                                  std::string(name(tested.param.second));
                         });

TEST_P(HostFault, IsSeen) {
  const auto [executor, fault] = GetParam();
#if defined(__SANITIZE_THREAD__)
  if (fault >= Fault::skipped_wait) GTEST_SKIP() << "ThreadSanitizer sees the race itself";
#endif
  Only backend(executor, fault);
  backend.timeout = microseconds(100'000);
  EXPECT_FALSE(first_complaint(backend).empty());
}

TEST(HostRanks, NameWhoTheyWaitedForInVain) {
  Only backend("ranks", Fault::lost_rank);
  // Long enough for all to come to the start, however busy the machine.
  backend.timeout = microseconds(3'000'000);
  const auto ring = find_algorithm(CollectiveKind::all_reduce, "ring");
  const auto schedule = build_proven(*make_plan(**ring, {.ranks = 4}, {})).value();
  const auto outcome = execute(backend, {&schedule, 64}, {});
  ASSERT_FALSE(outcome);
  EXPECT_EQ(outcome.error().kind, ErrorKind::wrong);
  EXPECT_THAT(outcome.error().message,
              testing::MatchesRegex("rank [0-3] waited 3 s for rank [0-3] to do transfer [0-9]+ "
                                    "\\(step [0-9]+\\), on which its own transfer [0-9]+ "
                                    "\\(step [0-9]+\\) depends"));
}

}  // namespace
}  // namespace ringside
