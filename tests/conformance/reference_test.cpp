#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <span>

#include "core/binding.hpp"
#include "core/schedule_builder.hpp"
#include "tests/conformance/backend_conformance.hpp"

namespace ringside {
namespace {

using conformance::Report;

TEST(AllPairs, HoldEveryPair) {
  const std::vector<std::size_t> levels{8, 12, 6, 9, 2, 3, 3, 1};
  const auto rows = conformance::AllPairs(levels).rows();
  for (std::size_t f = 0; f < levels.size(); ++f)
    for (std::size_t g = f + 1; g < levels.size(); ++g) {
      std::set<std::pair<std::size_t, std::size_t>> seen;
      for (const auto& row : rows) seen.insert({row[f], row[g]});
      EXPECT_EQ(seen.size(), levels[f] * levels[g]) << f << " " << g;
    }
  EXPECT_LE(rows.size(), 160u) << "the two largest factors alone need 108";
}

TEST(Reference, DoesEveryAlgorithmRight) {
  const auto backend = make_reference_backend();
  const Report report = conformance::run_all(*backend, {1, 2, 3, 4, 5, 6, 7, 8, 9});
  EXPECT_TRUE(report.failures.empty()) << summary(report);
  for (const Algorithm& algorithm : all_algorithms())
    EXPECT_FALSE(conformance::cases_of(algorithm, {2, 3, 4, 8, 9}).empty()) << algorithm.name;
  EXPECT_GT(report.cases, 100 * all_algorithms().size());
  RecordProperty("cases", static_cast<int>(report.cases));
  RecordProperty("elements", static_cast<int>(report.elements));
  EXPECT_GT(report.elements, 100 * report.cases);
}

TEST(ReferenceFull, DoesEveryAlgorithmRightOnMoreRanks) {
  const auto backend = make_reference_backend();
  const Report report = conformance::run_all(*backend, {12, 15, 16, 17, 24, 31, 32, 33, 48});
  EXPECT_TRUE(report.failures.empty()) << summary(report);
}

// A test that cannot fail is a bug: every mistake an executor may make must be seen.

using Tamper = void (*)(const Work&, const Memory&);

/// Does what the reference does, then harms the memory.
class Harmful final : public Backend {
 public:
  explicit Harmful(Tamper tamper) : tamper_(tamper) {}
  std::string_view name() const override { return "harmful"; }
  Capabilities capabilities() const override { return real_->capabilities(); }
  Result<std::unique_ptr<Prepared>> prepare(const Work& work, Memory& memory,
                                            const RunOptions& options) override {
    RS_ASSIGN(auto prepared, real_->prepare(work, memory, options));
    return std::make_unique<Run>(std::move(prepared), work, memory, tamper_);
  }

 private:
  struct Run final : Prepared {
    Run(std::unique_ptr<Prepared> real, const Work& work, const Memory& memory, Tamper tamper)
        : real_(std::move(real)), work_(work), memory_(memory), tamper_(tamper) {}
    Result<Measurement> run(int iterations) override {
      auto measurement = real_->run(iterations);
      if (work_.count > 0) tamper_(work_, memory_);
      return measurement;
    }
    std::unique_ptr<Prepared> real_;
    Work work_;
    Memory memory_;
    Tamper tamper_;
  };
  std::unique_ptr<Backend> real_ = make_reference_backend();
  Tamper tamper_;
};

/// Runs another piece of work than the one asked for.
class Mistaken final : public Backend {
 public:
  using Change = void (*)(Work&);
  explicit Mistaken(Change change) : change_(change) {}
  std::string_view name() const override { return "mistaken"; }
  Capabilities capabilities() const override { return real_->capabilities(); }
  Result<std::unique_ptr<Prepared>> prepare(const Work& work, Memory& memory,
                                            const RunOptions& options) override {
    Work other = work;
    change_(other);
    return real_->prepare(other, memory, options);
  }

 private:
  std::unique_ptr<Backend> real_ = make_reference_backend();
  Change change_;
};

Report ring_under(Backend& backend) {
  Report report;
  const auto ring = find_algorithm(CollectiveKind::all_reduce, "ring");
  for (const auto& c : conformance::cases_of(**ring, {1, 2, 3, 5, 8}))
    conformance::run(backend, c, report);
  return report;
}

/// Some rank with an output to harm.
std::span<std::byte> last_output(const Memory& memory) {
  return memory.ranks.back().output;
}

TEST(Conformance, SeesHarmedMemory) {
  const std::pair<const char*, Tamper> harms[] = {
      {"a flipped bit",
       [](const Work&, const Memory& m) { last_output(m).back() ^= std::byte{1}; }},
      {"elements one place off",
       [](const Work& w, const Memory& m) {
         const auto out = last_output(m);
         std::rotate(out.begin(), out.begin() + static_cast<std::ptrdiff_t>(size_of(w.type).count),
                     out.end());
       }},
      {"a byte behind the end",
       [](const Work&, const Memory& m) {
         const auto out = last_output(m);
         *(out.data() + out.size()) = std::byte{0};
       }},
      {"a byte before the start",
       [](const Work&, const Memory& m) { *(last_output(m).data() - 1) = std::byte{0}; }},
      {"a changed source",
       [](const Work&, const Memory& m) {
         *const_cast<std::byte*>(m.ranks.front().input.data()) ^= std::byte{4};
       }},
      {"another rank's result", [](const Work& w, const Memory& m) {
         if (m.ranks.size() < 2) return;
         const auto from = m.ranks.front().input;
         std::copy_n(from.begin(), size_of(w.type).count, last_output(m).begin());
       }}};
  for (const auto& [what, tamper] : harms) {
    Harmful backend(tamper);
    EXPECT_FALSE(ring_under(backend).failures.empty()) << what;
  }
}

TEST(Conformance, SeesMistakenArithmetic) {
  const std::pair<const char*, Mistaken::Change> mistakes[] = {
      {"an average never divided",
       [](Work& w) {
         if (w.op == ReduceOp::avg) w.op = ReduceOp::sum;
       }},
      {"inputs never scaled",
       [](Work& w) {
         if (w.op == ReduceOp::mulsum) w.op = ReduceOp::sum;
       }},
      {"bytes compared with a sign",
       [](Work& w) {
         if (w.type == ElementType::uint8) w.type = ElementType::int8;
       }},
      {"words compared with a sign",
       [](Work& w) {
         if (w.type == ElementType::uint32) w.type = ElementType::int32;
       }},
      {"bfloat16 taken for half",
       [](Work& w) {
         if (w.type == ElementType::bfloat16) w.type = ElementType::float16;
       }},
      {"min for max",
       [](Work& w) {
         if (w.op == ReduceOp::max) w.op = ReduceOp::min;
       }},
      {"the last element forgotten", [](Work& w) { w.count -= w.count > 0; }}};
  for (const auto& [what, change] : mistakes) {
    Mistaken backend(change);
    EXPECT_FALSE(ring_under(backend).failures.empty()) << what;
  }
}

/// The same story without transfer number `skipped`.
Schedule without(const Schedule& schedule, std::uint32_t skipped) {
  ScheduleBuilder builder(schedule.spec(), schedule.chunks(), schedule.agents());
  for (std::uint32_t s = 0; s < schedule.steps(); ++s, builder.next_step())
    for (auto id = schedule.step_begin({s}); id < schedule.step_end({s}); ++id.value) {
      const Transfer& t = schedule[id];
      if (id.value == skipped) continue;
      if (t.action() == Action::copy)
        builder.copy(t.src(), t.dst(), t.chunks(), t.channel().value);
      else
        builder.reduce(t.src(), t.with(), t.dst(), t.chunks(), t.channel().value);
    }
  return std::move(builder).build().value();
}

TEST(Conformance, SeesEverySkippedTransferInTheData) {
  const auto backend = make_reference_backend();
  for (const bool in_place : {false, true})
    for (const DataKind kind : {DataKind::exact, DataKind::real}) {
      const auto ring = find_algorithm(CollectiveKind::all_reduce, "ring");
      const auto plan = make_plan(**ring, {.ranks = 5, .in_place = in_place}, {});
      const auto schedule = build_proven(*plan).value();
      for (std::uint32_t t = 0; t < schedule.transfers().size(); ++t)
        for (const ElementType type : {ElementType::int8, ElementType::f8e4m3,
                                       ElementType::bfloat16, ElementType::float32}) {
          if (kind == DataKind::real && type == ElementType::f8e4m3) continue;  // bound too wide
          const auto mutant = without(schedule, t);
          const auto outcome = execute(*backend, {&mutant, 61, type}, {.data = kind});
          ASSERT_TRUE(outcome) << outcome.error().message;
          EXPECT_GT(outcome->comparison.wrong, 0u)
              << "transfer " << t << " " << name(type) << " " << name(kind);
        }
    }
}

TEST(Conformance, AllReduceOutputsMustAgreeEvenWithinTheBound) {
  Harmful backend([](const Work& w, const Memory& m) {
    if (w.type == ElementType::float32) last_output(m)[0] ^= std::byte{1};
  });
  const auto ring = find_algorithm(CollectiveKind::all_reduce, "ring");
  const auto plan = make_plan(**ring, {.ranks = 8}, {});
  const auto schedule = build_proven(*plan).value();
  const auto outcome =
      execute(backend, {&schedule, 8, ElementType::float32}, {.data = DataKind::real});
  ASSERT_TRUE(outcome);
  EXPECT_EQ(outcome->comparison.wrong, 1u) << "one bit: within the bound, but rank 7 differs";
  EXPECT_NE(outcome->comparison.first.find("rank 7 but"), std::string::npos)
      << outcome->comparison.first;
}

}  // namespace
}  // namespace ringside
