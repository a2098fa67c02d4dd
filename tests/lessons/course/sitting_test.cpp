#include "lessons/course/sitting.hpp"

#include <gmock/gmock.h>

#include "tests/lessons/course/template.hpp"

namespace ringside::lessons {
namespace {

using testing::HasSubstr;

std::shared_ptr<const Instance> instance(std::uint64_t seed = 0) {
  static const stage::Shelf shelf;
  const auto lesson = load_lesson(RINGSIDE_SOURCE_DIR "/lessons/template");
  EXPECT_TRUE(lesson) << (lesson ? "" : lesson.error().message);
  auto made = Instance::make(*lesson, seed, shelf.laboratory());
  EXPECT_TRUE(made) << (made ? "" : made.error().message);
  return std::make_shared<const Instance>(*std::move(made));
}

TEST(Sitting, NothingAdvancesAtAGate) {
  Sitting sitting(instance());
  EXPECT_TRUE(sitting.next());  // the hook asks nothing
  EXPECT_EQ(sitting.gate(), Gate::asking);
  for (int i = 0; i < 3; ++i) EXPECT_FALSE(sitting.next());
  EXPECT_EQ(sitting.beat(), 1);
}

TEST(Sitting, AWrongAnswerIsAnAttemptWithItsMisconception) {
  Sitting sitting(instance());
  sitting.next();
  const auto verdict = sitting.lock("1 step");
  ASSERT_TRUE(verdict);
  EXPECT_FALSE(verdict->right);
  EXPECT_EQ(verdict->misconception, "fewer-steps-faster");
  EXPECT_EQ(sitting.attempts(), 1);
  EXPECT_FALSE(sitting.next());
  sitting.retry();
  EXPECT_EQ(sitting.gate(), Gate::asking);
  EXPECT_TRUE(sitting.lock("3")->right);
  EXPECT_EQ(sitting.attempts(), 2);
  EXPECT_TRUE(sitting.next());
}

TEST(Sitting, WhatCannotBeReadIsNoAttempt) {
  Sitting sitting(instance());
  EXPECT_FALSE(sitting.lock("3"));  // nothing is asked
  sitting.next();
  EXPECT_THAT(sitting.lock("many").error().message, HasSubstr("a number of steps"));
  EXPECT_THAT(sitting.lock("").error().message, HasSubstr("no answer yet"));
  EXPECT_EQ(sitting.attempts(), 0);
  EXPECT_EQ(sitting.gate(), Gate::asking);
}

TEST(Sitting, ThreeHintsAndNoMore) {
  Sitting sitting(instance());
  EXPECT_FALSE(sitting.hint());
  sitting.next();
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(sitting.hint());
  EXPECT_FALSE(sitting.hint());
  EXPECT_EQ(sitting.hints(), 3);
}

/// One button takes a class through: hands, the answer most gave, the truth, onwards.
TEST(Sitting, AClassIsNeverStuck) {
  Sitting sitting(instance());
  int presses = 0;
  while (sitting.advance_class()) ASSERT_LT(++presses, 100);
  EXPECT_TRUE(sitting.is_at_end());
  EXPECT_TRUE(sitting.is_finished());
}

TEST(Sitting, AClassLocksWhatMostHandsWant) {
  Sitting sitting(instance());
  sitting.go(*sitting.instance().find("why"));
  EXPECT_FALSE(sitting.vote(0));
  EXPECT_FALSE(sitting.vote(4));
  const auto& options = sitting.instance().asked(sitting.beat())->options;
  const auto at = std::find_if(options.begin(), options.end(),
                               [](const Option& one) { return one.id == "barrier"; });
  const auto barrier = static_cast<std::size_t>(at - options.begin()) + 1;
  EXPECT_TRUE(sitting.vote(barrier, 5));
  EXPECT_TRUE(sitting.vote(barrier % 3 + 1, 2));
  EXPECT_TRUE(sitting.vote(barrier % 3 + 1, -9));  // taken back, and never below none
  EXPECT_EQ(sitting.votes()[barrier % 3], 0);
  EXPECT_TRUE(sitting.advance_class());
  EXPECT_EQ(sitting.gate(), Gate::wrong);
  EXPECT_EQ(sitting.verdict()->misconception, "barrier-each-step");
  EXPECT_TRUE(sitting.advance_class());
  EXPECT_EQ(sitting.gate(), Gate::revealed);
  EXPECT_TRUE(sitting.advance_class());
  EXPECT_EQ(sitting.instance().beat(sitting.beat()).id, "last-step");
}

/// Right answers, as the lesson says them, lead to the end with any seed.
TEST(Sitting, RightAnswersFinishIt) {
  for (std::uint64_t seed = 0; seed < 6; ++seed) {
    Sitting sitting(instance(seed));
    while (!sitting.is_at_end()) {
      if (const auto* asked = sitting.instance().asked(sitting.beat())) {
        const auto verdict = sitting.lock(right_answer(*asked));
        ASSERT_TRUE(verdict) << verdict.error().message;
        EXPECT_TRUE(verdict->right) << sitting.instance().beat(sitting.beat()).id;
      }
      ASSERT_TRUE(sitting.next());
    }
    EXPECT_TRUE(sitting.is_finished());
  }
}

TEST(Sitting, GoesOnWhereItWasLeft) {
  Sitting first(instance());
  first.next();
  first.lock("1").value();
  first.hint();
  first.retry();
  first.lock("3").value();
  first.next();
  Ledger ledger;
  ledger.put(first.record());
  const auto again = ledger_from_json(to_json(ledger), "ledger.json");
  ASSERT_TRUE(again) << again.error().message;
  const Record* record = again->find("template", 0);
  ASSERT_NE(record, nullptr);
  EXPECT_EQ(*record, first.record());
  const Sitting second(instance(), *record);
  EXPECT_EQ(second.beat(), 2);
  EXPECT_EQ(second.gate(1), Gate::right);
  EXPECT_EQ(second.record(), first.record());
}

TEST(Ledger, WhatIsNoneIsSaid) {
  for (const char* text :
       {"", "[]", "{}", R"({"kind": "ledger"})", R"({"kind": "ledger", "records": [3]})",
        R"({"kind": "ledger", "records": [{"lesson": 1}]})"})
    EXPECT_THAT(ledger_from_json(text, "l.json").error().message, HasSubstr("l.json is no ledger"));
  EXPECT_FALSE(ledger_from_json(std::string(1 << 20, '['), "l.json"));
  EXPECT_TRUE(read_ledger("/nonexistent/ringside/ledger.json")->records.empty());
}

}  // namespace
}  // namespace ringside::lessons
