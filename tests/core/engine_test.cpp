#include "core/engine.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "core/schedule_builder.hpp"

namespace ringside {
namespace {

const Algorithm& ring() {
  return **find_algorithm(CollectiveKind::all_reduce, "ring");
}

TEST(Engine, PlansOnlyWhatCanBe) {
  EXPECT_TRUE(make_plan(ring(), {.ranks = 4}, {}));
  EXPECT_FALSE(make_plan(ring(), {.ranks = 0}, {}));
  EXPECT_FALSE(make_plan(ring(), {.ranks = 1'000'000'000}, {}));
  EXPECT_FALSE(make_plan(ring(), {.ranks = 4}, {.chunks = 3}));
  for (const Algorithm& algorithm : all_algorithms()) {
    if (!is_blocked(algorithm.collective)) continue;
    const auto plan =
        make_plan(algorithm, {.kind = algorithm.collective, .ranks = 4}, {.chunks = 7});
    if (plan) {
      EXPECT_EQ(plan->options.chunks % 4, 0u) << algorithm.name;
    }
  }
}

TEST(Engine, AStoryThatWillNotFitIsNotTold) {
  static std::uint64_t told;
  told = 0;
  Algorithm counted = ring();
  counted.tell = [](const CollectiveSpec&, const Options&, TransferSink&) { ++told; };
  for (const Algorithm& algorithm : {ring(), counted}) {
    const auto plan = make_plan(algorithm, {.ranks = 100'000}, {});
    ASSERT_TRUE(plan) << plan.error().message;
    const auto schedule = build_schedule(*plan);
    ASSERT_FALSE(schedule);
    EXPECT_NE(schedule.error().message.find("all_reduce over 100000 ranks in 100000 chunks takes "
                                            "20000000000 slots; at most 67108864"),
              std::string::npos)
        << schedule.error().message;
  }
  EXPECT_EQ(told, 0u);
}

TEST(Engine, AStoryThatGrowsTooLongIsInterrupted) {
  Algorithm endless = ring();
  endless.tell = [](const CollectiveSpec&, const Options&, TransferSink& sink) {
    for (;;) sink.copy(input(0, 0), output(1, 0), 1u << 20);
  };
  const auto schedule =
      build_schedule({&endless, {.ranks = 2}, {.chunks = 1u << 20, .channels = 1}});
  ASSERT_FALSE(schedule);
  EXPECT_NE(schedule.error().message.find("takes more than 134217728 transfers of one chunk each"),
            std::string::npos)
      << schedule.error().message;
}

/// A story that forgets the last copy.
Schedule unfinished() {
  ScheduleBuilder builder({.ranks = 2}, 1);
  builder.copy(input(0, 0), output(0, 0));
  builder.next_step();
  builder.reduce(input(1, 0), output(0, 0));
  return std::move(builder).build().value();
}

TEST(Engine, AnUnprovenScheduleIsWrongNotARequest) {
  const auto proof = prove(unfinished());
  ASSERT_FALSE(proof);
  EXPECT_EQ(proof.error().kind, ErrorKind::wrong);
  EXPECT_NE(proof.error().message.find("all_reduce"), std::string::npos);
}

TEST(Engine, DataShowsTheSameFault) {
  const auto schedule = unfinished();
  const auto backend = make_reference_backend();
  const auto outcome = execute(*backend, {&schedule, 5, ElementType::float32}, {});
  ASSERT_TRUE(outcome);
  EXPECT_EQ(outcome->comparison.wrong, 5u + 5u) << "rank 1's poison, and that the two differ";
  EXPECT_NE(outcome->comparison.first.find("element 0 of rank 1"), std::string::npos);
}

TEST(Engine, RefusesAScalarThatIsNoNumber) {
  const auto schedule = build_proven(*make_plan(ring(), {.ranks = 2}, {})).value();
  const auto backend = make_reference_backend();
  for (const double scalar : {HUGE_VAL, -HUGE_VAL, std::nan("")}) {
    const auto outcome =
        execute(*backend, {&schedule, 5, ElementType::float32, ReduceOp::mulsum, scalar}, {});
    ASSERT_FALSE(outcome);
    EXPECT_EQ(outcome.error().kind, ErrorKind::request);
  }
}

TEST(Engine, RefusesSizesThatNoMachineHas) {
  const auto schedule = build_proven(*make_plan(ring(), {.ranks = 2}, {})).value();
  const auto backend = make_reference_backend();
  for (const std::uint64_t count : {1ull << 59, 1ull << 61, ~0ull})
    EXPECT_FALSE(execute(*backend, {&schedule, count, ElementType::float64}, {})) << count;
}

/// Tells what it was given and moves nothing.
class Dry final : public Backend {
 public:
  explicit Dry(bool agents) : agents_(agents) {}
  std::string_view name() const override { return "dry"; }
  Capabilities capabilities() const override { return {.agents = agents_}; }
  Result<std::unique_ptr<Prepared>> prepare(const Work&, Memory& memory,
                                            const RunOptions& options) override {
    struct Clock final : Prepared {
      Result<Measurement> run(int iterations) override {
        Measurement m;
        m.iterations.assign(static_cast<std::size_t>(iterations), 1_us);
        return m;
      }
    };
    EXPECT_TRUE(memory.ranks.empty()) << "no bytes move, none are allocated";
    traced = options.trace;
    return std::make_unique<Clock>();
  }
  bool traced = false;

 private:
  bool agents_;
};

TEST(Engine, ABackendWithoutBytesIsTimedNotChecked) {
  const auto schedule = build_proven(*make_plan(ring(), {.ranks = 4}, {})).value();
  Dry backend(false);
  const auto outcome = execute(backend, {&schedule, 1ull << 40, ElementType::float64},
                               {.warmup = 1, .iterations = 3, .run = {.trace = true}});
  ASSERT_TRUE(outcome) << outcome.error().message;
  EXPECT_EQ(outcome->comparison.checked, 0u);
  EXPECT_EQ(outcome->measurement.iterations.size(), 3u);
  EXPECT_TRUE(backend.traced);
}

TEST(Engine, AnExecutorThatTheBackendLacksIsRefused) {
  const auto schedule = build_proven(*make_plan(ring(), {.ranks = 2}, {})).value();
  Dry backend(false);
  const auto outcome =
      execute(backend, {&schedule, 8, ElementType::float32}, {.run = {.executor = "direct"}});
  ASSERT_FALSE(outcome);
  EXPECT_EQ(outcome.error().kind, ErrorKind::request);
  EXPECT_NE(outcome.error().message.find("takes no executor"), std::string::npos);
}

/// Right within every bound, and never the same twice.
class Wavering final : public Backend {
 public:
  std::string_view name() const override { return "wavering"; }
  Capabilities capabilities() const override { return {.real_bytes = true}; }
  Result<std::unique_ptr<Prepared>> prepare(const Work& work, Memory& memory,
                                            const RunOptions& options) override {
    struct Shaken final : Prepared {
      Result<Measurement> run(int iterations) override {
        auto done = real->run(iterations);
        for (auto& rank : memory.ranks) rank.output[0] ^= runs % 2 ? std::byte{1} : std::byte{0};
        ++runs;
        return done;
      }
      std::unique_ptr<Prepared> real;
      Memory memory;
      int runs = 0;
    };
    auto shaken = std::make_unique<Shaken>();
    shaken->memory = memory;
    RS_ASSIGN(shaken->real, real_->prepare(work, memory, options));
    return shaken;
  }

 private:
  std::unique_ptr<Backend> real_ = make_reference_backend();
};

TEST(Engine, OtherBitsTheSecondTimeAreWrong) {
  const auto schedule = build_proven(*make_plan(ring(), {.ranks = 4}, {})).value();
  const Work work{&schedule, 100, ElementType::float32};
  Wavering wavering;
  const auto reference = make_reference_backend();
  Trial trial{.data = DataKind::real};
  EXPECT_EQ(execute(wavering, work, trial)->comparison.wrong, 0u) << "once it is within the bound";
  trial.repeat = true;
  const auto outcome = execute(wavering, work, trial);
  EXPECT_EQ(outcome->comparison.wrong, 1u);
  EXPECT_NE(outcome->comparison.first.find("other bits"), std::string::npos);
  EXPECT_EQ(execute(*reference, work, trial)->comparison.wrong, 0u);
}

TEST(Engine, InSwitchSchedulesNeedABackendThatSaysSo) {
  for (const Algorithm& algorithm : all_algorithms()) {
    const auto plan = make_plan(algorithm, {.kind = algorithm.collective, .ranks = 4}, {});
    if (!plan || plan->options.agents == 0) continue;
    const auto schedule = build_proven(*plan).value();
    Dry without(false), with(true);
    EXPECT_FALSE(execute(without, {&schedule, 8, ElementType::float32}, {})) << algorithm.name;
    EXPECT_TRUE(execute(with, {&schedule, 8, ElementType::float32}, {})) << algorithm.name;
  }
}

}  // namespace
}  // namespace ringside
