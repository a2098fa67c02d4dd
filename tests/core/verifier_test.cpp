#include "core/verifier.hpp"

#include <gmock/gmock.h>

#include <functional>

#include "core/engine.hpp"
#include "core/schedule_builder.hpp"

namespace ringside {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::Field;
using testing::IsEmpty;

using Tell = std::function<void(TransferSink&)>;

Schedule told(const CollectiveSpec& spec, std::uint32_t chunks, const Tell& tell) {
  ScheduleBuilder builder(spec, chunks);
  tell(builder);
  auto schedule = std::move(builder).build();
  EXPECT_TRUE(schedule) << schedule.error().message;
  return *std::move(schedule);
}

auto is(ViolationKind kind, Slot slot) {
  return AllOf(Field(&Violation::kind, kind), Field(&Violation::slot, slot));
}

/// Two ranks swap their inputs and add: the smallest right all-reduce.
void exchange(TransferSink& sink) {
  for (std::uint32_t r = 0; r < 2; ++r) sink.reduce(input(1 - r, 0), input(r, 0), output(r, 0));
}

TEST(Verifier, ProvesTheSmallestAllReduceInAndOutOfPlace) {
  for (const bool in_place : {false, true})
    EXPECT_THAT(verify(told({.ranks = 2, .in_place = in_place}, 1, exchange)), IsEmpty());
}

TEST(Verifier, NamesEveryKindOfViolation) {
  const CollectiveSpec spec{.ranks = 2};
  EXPECT_THAT(verify(told(spec, 1,
                          [](TransferSink& sink) {
                            sink.reduce(input(1, 0), input(0, 0), output(0, 0));
                            sink.copy(input(1, 0), output(1, 0));
                          })),
              ElementsAre(is(ViolationKind::missing, output(1, 0))));
  EXPECT_THAT(verify(told(spec, 1,
                          [](TransferSink& sink) {
                            exchange(sink);
                            sink.next_step();
                            sink.reduce(input(0, 0), output(1, 0));
                          })),
              ElementsAre(is(ViolationKind::repeated, output(1, 0))));
  EXPECT_THAT(verify(told({.kind = CollectiveKind::broadcast, .ranks = 2}, 2,
                          [](TransferSink& sink) {
                            sink.copy(input(0, 0), output(0, 0), 2);
                            sink.copy(input(0, 1), output(1, 0));
                            sink.copy(input(0, 1), output(1, 1));
                          })),
              ElementsAre(is(ViolationKind::wrong, output(1, 0)),
                          is(ViolationKind::missing, output(1, 0))));
  EXPECT_THAT(
      verify(told(spec, 1, [](TransferSink& sink) { sink.reduce(input(0, 0), output(1, 0)); }), 1),
      ElementsAre(is(ViolationKind::uninitialised, output(1, 0))));
}

TEST(Verifier, SaysWhichPartIsMissing) {
  const auto schedule = told({.ranks = 3}, 1, [](TransferSink& sink) {
    for (std::uint32_t r = 0; r < 3; ++r) {
      sink.reduce(input((r + 1) % 3, 0), input(r, 0), output(r, 0));
    }
  });
  const auto found = verify(schedule);
  ASSERT_EQ(found.size(), 3u);
  EXPECT_EQ(found[0].contributor, Rank{2});
  EXPECT_EQ(found[1].contributor, Rank{0});
  EXPECT_EQ(to_string(found[2], schedule),
            "missing: output[0] on rank 2, last written by transfer 2 (step 0), lacks rank 1's "
            "chunk 0");
}

TEST(Verifier, FindsTheRaceThatAMissingDependencyLeaves) {
  const auto right = told({.ranks = 2, .in_place = true}, 1, exchange);
  ASSERT_EQ(right.dependencies({0}).size(), 1u);  // my commit after the other's read
  const auto racy = right.with_dependency_dropped({0}, 0);
  const auto found = verify(racy);
  ASSERT_THAT(found, ElementsAre(is(ViolationKind::race, output(0, 0))));
  EXPECT_EQ(found[0].transfer, TransferId{0});
  EXPECT_EQ(found[0].other, TransferId{1});
}

TEST(Verifier, AcceptsAnOrderThatOtherDependenciesImply) {
  // Transfer 2 reads what 1 wrote; with that, its order after 0 and after the read of 1 is implied.
  const CollectiveSpec spec{.kind = CollectiveKind::broadcast, .ranks = 1};
  const auto schedule = told(spec, 1, [](TransferSink& sink) {
    sink.copy(input(0, 0), scratch(0, 0));
    sink.next_step();
    sink.copy(scratch(0, 0), scratch(0, 1));
    sink.next_step();
    sink.copy(scratch(0, 1), scratch(0, 0));
    sink.next_step();
    sink.copy(scratch(0, 0), output(0, 0));
  });
  const auto given = schedule.dependencies({2});
  ASSERT_EQ(given.size(), 3u);  // waw on 0, raw on 1, war on 1
  for (std::size_t nth = 0; nth < given.size(); ++nth) {
    const bool needed = given[nth].kind == DependencyKind::raw;
    EXPECT_EQ(verify(schedule.with_dependency_dropped({2}, nth)).empty(), !needed) << nth;
  }
}

TEST(Verifier, KnowsWhichSlotsARankHas) {
  EXPECT_THAT(verify(told({.kind = CollectiveKind::all_gather, .ranks = 2}, 2,
                          [](TransferSink& sink) {
                            for (std::uint32_t r = 0; r < 2; ++r) {
                              sink.copy(input(r, r), output(0, r));
                              sink.copy(input(r, r), output(1, r));
                            }
                            sink.next_step();
                            sink.copy(input(0, 1), scratch(0, 0));
                          })),
              ElementsAre(is(ViolationKind::outside, input(0, 1)),
                          is(ViolationKind::uninitialised, input(0, 1))));
  const Tell reduce_on_both = [](TransferSink& sink) {
    sink.reduce(input(1, 0), input(0, 0), output(0, 0));
    sink.copy(input(1, 0), output(1, 0));
  };
  const CollectiveSpec reduce{.kind = CollectiveKind::reduce, .ranks = 2};
  EXPECT_THAT(verify(told(reduce, 1, reduce_on_both)),
              ElementsAre(is(ViolationKind::outside, output(1, 0))));
}

TEST(Verifier, FindsAnOperandThatItsOwnTransferOverwrites) {
  const CollectiveSpec spec{.kind = CollectiveKind::broadcast, .ranks = 1};
  const auto found = verify(told(spec, 2, [](TransferSink& sink) {
    sink.copy(input(0, 0), scratch(0, 0), 2);
    sink.copy(input(0, 0), output(0, 0), 2);
    sink.next_step();
    sink.copy(input(0, 0), scratch(0, 2));
    sink.next_step();
    sink.reduce(input(0, 0), scratch(0, 0), scratch(0, 1), 2);
  }));
  ASSERT_THAT(found, ElementsAre(is(ViolationKind::race, scratch(0, 1))));
  EXPECT_EQ(found[0].transfer, found[0].other);
}

TEST(Verifier, AllowsRepeatsInABarrierOnly) {
  // Dissemination over three ranks brings some signals twice.
  const auto schedule =
      told({.kind = CollectiveKind::barrier, .ranks = 3}, 1, [](TransferSink& sink) {
        for (std::uint32_t r = 0; r < 3; ++r) sink.copy(input(r, 0), output(r, 0));
        sink.next_step();
        for (std::uint32_t r = 0; r < 3; ++r) sink.reduce(output(r, 0), output((r + 1) % 3, 0));
        sink.next_step();
        for (std::uint32_t r = 0; r < 3; ++r) sink.reduce(output(r, 0), output((r + 2) % 3, 0));
      });
  EXPECT_THAT(verify(schedule), IsEmpty());
}

TEST(Verifier, StopsAtTheLimitWithTheEarliest) {
  const auto broken = told({.ranks = 64}, 1, [](TransferSink& sink) {
    for (std::uint32_t r = 0; r < 64; ++r) sink.copy(input(r, 0), output(r, 0));
  });
  const auto found = verify(broken, 5);
  ASSERT_EQ(found.size(), 5u);
  for (std::uint32_t r = 0; r < 5; ++r) EXPECT_EQ(found[r].slot, output(r, 0));
}

TEST(Verifier, ProvesAThousandRanksInSeconds) {
  const auto ring = find_algorithm(CollectiveKind::all_reduce, "ring");
  const auto schedule = build_schedule(*make_plan(**ring, {.ranks = 1024}, {}));
  ASSERT_TRUE(schedule);
  EXPECT_EQ(schedule->transfers().size(), 2u * 1023 * 1024);
  EXPECT_THAT(verify(*schedule), IsEmpty());
}

}  // namespace
}  // namespace ringside
