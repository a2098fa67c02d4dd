// The small training that the window does itself: what is right, and what each mistake spoils.

#include "viz/stage/practice.hpp"

#include <gmock/gmock.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "viz/stage/action.hpp"
#include "viz/stage/controls.hpp"
#include "viz/stage/dump.hpp"

namespace ringside::stage {
namespace {

using Json = nlohmann::json;

Workload with(std::string_view field, std::string_view value) {
  Workload workload;
  EXPECT_TRUE(set_workload_field(workload, field, value));
  return workload;
}

double first_relative(const Practice& practice) {
  return practice.run.steps.front().compared->relative;
}

TEST(Practice, EqualsOneWorkerWithTheWholeBatch) {
  for (const auto* shards : {"even", "uneven"}) {
    const Practice practice = practise(with("train.shards", shards));
    ASSERT_EQ(practice.refusal, "");
    EXPECT_TRUE(practice.run.replicas_identical());
    EXPECT_TRUE(practice.run.equals_one_worker());
    EXPECT_GT(practice.run.answers_right, 0.9);
  }
}

TEST(Practice, ReplicasThatAreNotSynchronisedDrift) {
  const auto run = practise(with("train.way", "no_sync")).run;
  EXPECT_FALSE(run.replicas_identical());
  EXPECT_GT(run.steps.back().apart, run.steps.front().apart);
}

TEST(Practice, ASumIsAsManyTimesTooLongAsThereAreWorkers) {
  Workload workload = with("train.way", "sum");
  workload.workers = 2;
  EXPECT_NEAR(practise(workload).run.steps.front().compared->length, 2, 1e-3);
}

TEST(Practice, MeansOfUnequalShardsAreNoMean) {
  Workload workload = with("train.way", "average_losses");
  EXPECT_LT(first_relative(practise(workload)), 1e-5) << "equal shards hide it";
  workload.shards = "uneven";
  EXPECT_GT(first_relative(practise(workload)), 0.1);
}

TEST(Practice, WhoeverStartsFromOtherWeightsStaysThere) {
  EXPECT_FALSE(practise(with("train.start", "own")).run.replicas_identical());
}

TEST(Trainee, DoesWhatWasAskedForLastAndNothingTwice) {
  Trainee trainee;
  EXPECT_EQ(trainee.latest(), nullptr);
  Workload workload;
  trainee.request(workload);
  workload.workers = 3;
  trainee.request(workload);
  workload.workers = 2;
  trainee.request(workload);
  trainee.wait();
  const auto shown = trainee.latest();
  EXPECT_EQ(shown->run.asked.workers, 2U);
  workload.gpus = 8;  // is none of its business
  trainee.request(workload);
  EXPECT_FALSE(trainee.is_busy());
  EXPECT_EQ(trainee.latest(), shown);
}

TEST(PracticeView, ShowsItsOwnControlsAndTrainsAsTheySay) {
  Model model;
  Director director;
  const auto act = [&](const Action& action) {
    apply(model, action, director);
    director.wait();
    receive(model, director);
  };
  act(Command::loss);
  ASSERT_TRUE(model.practice);
  std::vector<std::string> fields;
  for (const Control& control : controls_of(model)) fields.push_back(control.field);
  EXPECT_THAT(fields, testing::ElementsAre("train.network", "train.workers", "train.way",
                                           "train.shards", "train.start"));
  act(Edit{"train.way", "no_sync"});
  const Json state = Json::parse(dump_state(model));
  EXPECT_EQ(state["view"], "loss");
  EXPECT_EQ(state["practice"]["replicas_identical"], false);
  EXPECT_EQ(state["practice"]["shards"], (Json{16, 16, 16, 16}));
  act(Edit{"train.workers", "9"});
  EXPECT_THAT(model.refusal.sentence, testing::HasSubstr("from 1 to 8"));
  EXPECT_EQ(model.practice->run.asked.workers, 4U);
  act(Command::loss);
  EXPECT_EQ(model.view, Model::View::run);
}

}  // namespace
}  // namespace ringside::stage
