// Training in the window: the step's lanes, the curve that is drawn first, and what moves them.

#include "viz/stage/training.hpp"

#include <gmock/gmock.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "viz/scenario/grown.hpp"
#include "viz/stage/action.hpp"
#include "viz/stage/controls.hpp"
#include "viz/stage/dump.hpp"

namespace ringside::stage {
namespace {

using Json = nlohmann::json;
using testing::HasSubstr;

struct Training : testing::Test {
  Model model;
  Director director;

  explicit Training(const char* system = "dgx-h100") {
    model.scenario.system.system = system;
    director.request(Director::Part::lead, model.scenario, nullptr);
    settle();
    act(Command::training_step);
  }
  void settle() {
    director.wait();
    receive(model, director);
  }
  void act(const Action& action) {
    apply(model, action, director);
    settle();
  }
  void set(const char* field, const char* value) { act(Edit{field, value}); }
  Json state() const { return Json::parse(dump_state(model)); }
  double speedup(std::size_t nth) const { return model.forecast->curve->points[nth].speedup; }
};

/// Several kinds of communication at once.
void make_busy(Training& training) {
  training.set("train.model", "llama2-7b");
  training.set("train.gpus", "32");
  training.set("train.batch", "64");
  training.set("train.tensor", "2");
  training.set("train.pipeline", "4");
  ASSERT_TRUE(training.model.forecast->step) << training.model.forecast->no_step;
}

TEST_F(Training, IdleTimeOfALaneIsWhatTheStepCallsExposedAndBubble) {
  make_busy(*this);
  const auto& step = model.forecast->step->step;
  std::uint32_t computing = 0;
  for (const StepLane& lane : model.forecast->lanes.lanes) {
    if (lane.stream != sim::StreamKind::compute) continue;
    ++computing;
    sim::TimeShares shares;
    TimePoint at{};
    std::vector<Idle> all = lane.idle;
    for (const auto& span : lane.spans) {
      shares.compute += span.end - span.begin;
      all.push_back({span.begin, span.end, false});
    }
    for (const Idle& gap : lane.idle)
      (gap.is_exposed ? shares.exposed : shares.bubble) += gap.end - gap.begin;
    EXPECT_EQ(shares.compute, step.stages[lane.stage].compute) << lane.stage;
    EXPECT_EQ(shares.exposed, step.stages[lane.stage].exposed) << lane.stage;
    EXPECT_EQ(shares.bubble, step.stages[lane.stage].bubble) << lane.stage;
    // And together they cover the step once.
    std::ranges::sort(all, {}, &Idle::begin);
    for (const Idle& piece : all) {
      EXPECT_EQ(piece.begin, at);
      at = piece.end;
    }
    EXPECT_EQ(at, step.time);
  }
  EXPECT_EQ(computing, 4u);
}

TEST_F(Training, ASlowerNetworkMovesTheStepAndTheCurve) {
  set("train.batch", "256");
  const auto before = *model.forecast;
  ASSERT_TRUE(before.step && before.curve);
  set("ib.bandwidth", "2");
  EXPECT_EQ(model.refusal.sentence, "") << "the run's one node has no such wires, training has";
  EXPECT_GT(model.forecast->step->step.time, before.step->step.time);
  EXPECT_LT(speedup(before.curve->points.size() - 1), before.curve->points.back().speedup);
  const auto wires = wires_of(model);
  EXPECT_TRUE(std::ranges::any_of(
      wires, [](const Wires& w) { return w.kind == sim::LinkKind::ib && w.bandwidth == 2_GBps; }));
  // What the machine already has is the scenario's, and the run's too.
  const auto run = model.run->time();
  set("nvlink.bandwidth", "10");
  EXPECT_GT(model.run->time(), run);
  set("system", "dgx-a100");
  EXPECT_TRUE(model.workload.set.empty());
}

TEST_F(Training, ASlowLinkCountsOnEveryNumberOfGpusThatHasIt) {
  set("train.gpus", "8");
  const auto before = model.forecast->step->step.communication;
  set("slow", "gpu0->nvsw0=8x");
  EXPECT_EQ(model.refusal.sentence, "");
  EXPECT_GT(model.forecast->step->step.communication, before);
}

TEST_F(Training, EveryFieldIsAControlAndRefusesNonsense) {
  set("train.pipeline", "2");
  for (const auto field : workload_fields()) {
    const auto view = is_of_practice(field) ? Model::View::loss : Model::View::scaling;
    if (model.view != view) act(is_of_practice(field) ? Command::loss : Command::scaling);
    const auto controls = controls_of(model);
    EXPECT_TRUE(std::ranges::count(controls, field, &Control::field)) << field;
    const Workload before = model.workload;
    set(std::string(field).c_str(), "nonsense");
    EXPECT_THAT(model.refusal.sentence, HasSubstr(std::string(field)));
    EXPECT_EQ(model.workload, before);
    for (const auto& choice : workload_choices(field)) {
      Workload tried = before;
      EXPECT_TRUE(set_workload_field(tried, field, choice)) << field << " " << choice;
      EXPECT_EQ(workload_field(tried, field), choice);
    }
  }
  EXPECT_FALSE(set_workload_field(model.workload, "train.modle", "x"));
}

TEST_F(Training, TheKeysUpAndDownDoubleAndHalve) {
  act(Focus{"train.gpus", false});
  act(Command::raise);
  EXPECT_EQ(model.workload.gpus, 128u);
  act(Command::lower);
  act(Command::lower);
  EXPECT_EQ(model.workload.gpus, 32u);
  act(Focus{"train.mode", false});
  act(Command::scaling);
  act(Focus{"train.mode", false});
  act(Command::lower);
  EXPECT_EQ(model.workload.mode, "weak");
}

TEST_F(Training, WhatCannotBeDoneIsASentenceAndTheCurveStays) {
  set("train.model", "llama2-7b");
  set("train.gpus", "6");
  set("train.tensor", "4");
  EXPECT_FALSE(model.forecast->step);
  EXPECT_THAT(model.forecast->no_step, HasSubstr("6 GPUs"));
  EXPECT_TRUE(model.forecast->curve);
}

TEST_F(Training, TheStepIsThePointOfTheCurveAtItsNumberOfGpus) {
  set("train.zero", "1");
  set("train.recompute", "full");
  for (const char* mode : {"strong", "weak"}) {
    set("train.mode", mode);
    ASSERT_TRUE(model.forecast->step && model.forecast->curve) << mode;
    const auto& points = model.forecast->curve->points;
    const auto same = std::ranges::find(points, 64u, &sim::ScalingPoint::gpus);
    ASSERT_NE(same, points.end());
    EXPECT_EQ(same->step.time, model.forecast->step->step.time) << mode;
  }
}

TEST_F(Training, ACurveIsDrawnComparedAndDrawnAnew) {
  act(Draw{1, 1, 256, 256});
  EXPECT_TRUE(model.drawing.speedup.empty()) << "the chart is not shown";
  act(Command::scaling);
  act(Draw{1, 1, 256, 16});
  ASSERT_EQ(model.drawing.speedup.size(), 9u);
  EXPECT_NEAR(model.drawing.speedup[16], 4, 1e-9) << "straight in the log-log picture";
  act(Draw{30, 20, 30, 20});
  EXPECT_EQ(model.drawing.speedup[32], 20) << "the nearest count";
  EXPECT_TRUE(state()["training"]["missed_by"].is_null());
  act(Command::compare);
  EXPECT_GT(state()["training"]["missed_by"], 1.0);
  const auto drawn = model.drawing.speedup;
  act(Draw{1, 1, 256, 256});
  set("ib.bandwidth", "3");
  EXPECT_EQ(model.drawing.speedup, drawn) << "what was drawn stays";
  EXPECT_TRUE(model.drawing.is_compared);
  act(Command::redraw);
  EXPECT_TRUE(model.drawing.speedup.empty());
  EXPECT_FALSE(model.drawing.is_compared);
}

TEST_F(Training, WhoDrawsTheTruthMissesNothing) {
  act(Command::scaling);
  for (const auto& point : model.forecast->curve->points)
    act(Draw{double(point.gpus), point.speedup, double(point.gpus), point.speedup});
  EXPECT_NEAR(*missed_by(model.drawing, *model.forecast->curve), 1, 1e-12);
  for (auto& [gpus, speedup] : model.drawing.speedup) speedup *= gpus % 2 == 0 ? 2 : 0.5;
  EXPECT_NEAR(*missed_by(model.drawing, *model.forecast->curve), 2, 1e-12);
}

TEST_F(Training, KeysLeadThereAndBack) {
  EXPECT_EQ(model.view, Model::View::training_step);
  act(Command::scaling);
  EXPECT_EQ(model.view, Model::View::scaling);
  act(Command::scaling);
  EXPECT_EQ(model.view, Model::View::run);
  act(Command::training_step);
  act(Command::escape);
  EXPECT_EQ(model.view, Model::View::run);
}

TEST(Draw, TakesNothingThatIsNoPlace) {
  Drawing drawing;
  const std::uint32_t counts[] = {1, 2, 4};
  for (const double bad : {0., -1., std::nan(""), HUGE_VAL}) {
    draw(drawing, counts, {bad, 1, 2, 1});
    draw(drawing, counts, {1, 1, 2, bad});
  }
  EXPECT_TRUE(drawing.speedup.empty());
  draw(drawing, {}, {1, 1, 2, 2});
  EXPECT_TRUE(drawing.speedup.empty());
}

TEST(Grown, ReachesAnyNumberOfGpusOfMachinesAndShapes) {
  for (const char* system : {"ring", "mesh", "dgx-h100", "dgx-a100"}) {
    scenario::SystemOptions options;
    options.system = system;
    options.straggler = {"3=50us"};
    const auto grown = scenario::grow(options);
    ASSERT_TRUE(grown) << grown.error().message;
    for (const std::uint32_t gpus : {1u, 2u, 5u, 8u, 12u, 32u})
      EXPECT_EQ(grown->of(gpus)->ranks.size(), gpus) << system;
  }
  scenario::SystemOptions options;
  options.system = "dgx-h100";
  options.set = {"roce.bandwidth=1GB/s"};
  EXPECT_THAT(scenario::grow(options).error().message, HasSubstr("roce"));
}

}  // namespace
}  // namespace ringside::stage
