#include "core/schedule_builder.hpp"

#include <gmock/gmock.h>

namespace ringside {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr auto raw = DependencyKind::raw;
constexpr auto war = DependencyKind::war;
constexpr auto waw = DependencyKind::waw;

std::vector<Dependency> of(const Schedule& schedule, std::uint32_t id) {
  const auto given = schedule.dependencies({id});
  return {given.begin(), given.end()};
}

TEST(ScheduleBuilder, ExchangesWithinAStepWaitForEachOthersRead) {
  ScheduleBuilder builder({.ranks = 2, .in_place = true}, 1);
  builder.reduce(output(0, 0), output(1, 0));
  builder.reduce(output(1, 0), output(0, 0));
  const auto schedule = std::move(builder).build();
  ASSERT_TRUE(schedule);
  EXPECT_THAT(of(*schedule, 0), ElementsAre(Dependency{{1}, war}));
  EXPECT_THAT(of(*schedule, 1), ElementsAre(Dependency{{0}, war}));
}

TEST(ScheduleBuilder, DerivesEveryKindAcrossSteps) {
  ScheduleBuilder builder({.ranks = 3}, 2);
  builder.copy(input(0, 0), scratch(1, 0), 2);  // 0 writes both slots
  builder.next_step();
  builder.copy(scratch(1, 1), output(2, 1));  // 1 reads the second
  builder.next_step();
  builder.reduce(input(2, 0), scratch(1, 0), scratch(1, 5));  // 2 uses the first as operand
  builder.next_step();
  builder.copy(input(0, 0), scratch(1, 0), 2);  // 3 overwrites both
  const auto schedule = std::move(builder).build();
  ASSERT_TRUE(schedule);
  EXPECT_THAT(of(*schedule, 0), IsEmpty());
  EXPECT_THAT(of(*schedule, 1), ElementsAre(Dependency{{0}, raw}));
  EXPECT_THAT(of(*schedule, 2), ElementsAre(Dependency{{0}, waw}));
  EXPECT_THAT(of(*schedule, 3),
              ElementsAre(Dependency{{0}, waw}, Dependency{{1}, war}, Dependency{{2}, waw}));
  EXPECT_EQ(schedule->scratch_chunks(), 6u);
  EXPECT_EQ(schedule->steps(), 4u);
}

TEST(ScheduleBuilder, AccumulatesWithinAStepInToldOrder) {
  ScheduleBuilder builder({.kind = CollectiveKind::reduce, .ranks = 3, .in_place = true}, 1);
  for (std::uint32_t r = 1; r < 3; ++r) builder.reduce(input(r, 0), input(0, 0));
  const auto schedule = std::move(builder).build();
  ASSERT_TRUE(schedule);
  EXPECT_THAT(of(*schedule, 1), ElementsAre(Dependency{{0}, waw}));
}

TEST(ScheduleBuilder, InPlaceDropsCopiesOntoThemselves) {
  ScheduleBuilder builder({.kind = CollectiveKind::all_gather, .ranks = 2, .in_place = true}, 2);
  for (std::uint32_t r = 0; r < 2; ++r) builder.copy(input(r, r), output(r, r));
  for (std::uint32_t r = 0; r < 2; ++r) builder.copy(input(r, r), output(1 - r, r));
  const auto schedule = std::move(builder).build();
  ASSERT_TRUE(schedule);
  EXPECT_EQ(schedule->transfers().size(), 2u);
  EXPECT_EQ(schedule->transfers()[0].src(), output(0, 0));
}

TEST(ScheduleBuilder, RefusesWhatCannotBeASchedule) {
  const auto refusal = [](const CollectiveSpec& spec, std::uint32_t chunks, auto tell) {
    ScheduleBuilder builder(spec, chunks);
    tell(builder);
    const auto schedule = std::move(builder).build();
    return schedule ? std::string("accepted") : schedule.error().message;
  };
  const auto nothing = [](TransferSink&) {};
  EXPECT_THAT(refusal({.ranks = 2}, 0, nothing), HasSubstr("a positive multiple of 1 chunk"));
  EXPECT_THAT(refusal({.kind = CollectiveKind::all_gather, .ranks = 4}, 6, nothing),
              HasSubstr("a positive multiple of 4 chunks, not 6"));
  EXPECT_THAT(refusal({.ranks = 2}, 2, [](TransferSink& s) { s.copy(input(0, 0), output(2, 0)); }),
              HasSubstr("there are 2 ranks"));
  EXPECT_THAT(
      refusal({.ranks = 2}, 2, [](TransferSink& s) { s.copy(input(0, 1), output(1, 0), 2); }),
      HasSubstr("reaches past the 2 chunks of input[1] on rank 0"));
  EXPECT_THAT(refusal({.ranks = 2}, 2,
                      [](TransferSink& s) { s.copy(input(0, 0), scratch(1, UINT32_MAX), 2); }),
              HasSubstr("of scratch[4294967295] on rank 1"));  // no wrap to slot 1
  EXPECT_THAT(refusal({.ranks = 2}, 2, [](TransferSink& s) { s.copy(output(0, 0), input(1, 0)); }),
              HasSubstr("an out-of-place input is never written"));
  EXPECT_THAT(refusal({.ranks = 2}, 2,
                      [](TransferSink& s) {
                        s.copy(input(0, 0), output(1, 0));
                        s.reduce(input(0, 1), output(1, 0), output(1, 1));
                      }),
              HasSubstr("transfer 0 (step 0) overwrites the operand that transfer 1 of the same "
                        "step still needs; tell that one first"));
}

TEST(ScheduleBuilder, RefusesWhatDoesNotFitMemoryBeforeItIsExhausted) {
  ScheduleBuilder long_story({.ranks = 2, .in_place = true}, 1);
  for (std::uint32_t i = 0; i <= 1u << 25; ++i) long_story.copy(input(0, 0), output(0, 0));
  EXPECT_THAT(std::move(long_story).build().error().message,
              HasSubstr("all_reduce over 2 ranks in 1 chunk takes 33554433 transfers; at most "
                        "33554432 are kept in memory: take fewer ranks or chunks"));
  ScheduleBuilder long_messages({.ranks = 2}, 1u << 25);
  for (int i = 0; i < 5; ++i) long_messages.copy(input(0, 0), output(1, 0), 1u << 25);
  EXPECT_THAT(std::move(long_messages).build().error().message,
              HasSubstr("takes 167772160 transfers of one chunk each; at most 134217728"));
  ScheduleBuilder wide({.ranks = 1024}, 1u << 20);
  EXPECT_THAT(std::move(wide).build().error().message, HasSubstr("slots; at most 67108864"));
  ScheduleBuilder deep({.ranks = 2}, 1);
  deep.copy(input(0, 0), scratch(1, UINT32_MAX - 1));
  EXPECT_THAT(std::move(deep).build().error().message, HasSubstr("slots; at most 67108864"));
}

}  // namespace
}  // namespace ringside
