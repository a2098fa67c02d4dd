#include <gtest/gtest.h>

#include <cstring>
#include <vector>

#include "core/backend.hpp"
#include "core/binding.hpp"
#include "core/message.hpp"
#include "core/schedule_builder.hpp"

namespace ringside {
namespace {

/// Vectors of int32, one input and one output a rank.
struct Integers {
  std::vector<std::vector<std::int32_t>> inputs, outputs;
  Memory memory() {
    Memory m;
    for (std::size_t r = 0; r < inputs.size(); ++r)
      m.ranks.push_back(
          {std::as_bytes(std::span(inputs[r])), std::as_writable_bytes(std::span(outputs[r]))});
    return m;
  }
};

template <typename Tell>
Schedule told(const CollectiveSpec& spec, std::uint32_t chunks, Tell tell) {
  ScheduleBuilder builder(spec, chunks);
  tell(builder);
  return std::move(builder).build().value();
}

Result<void> run(const Schedule& schedule, std::uint64_t count, Integers& data,
                 ReduceOp op = ReduceOp::sum) {
  auto memory = data.memory();
  const auto backend = make_reference_backend();
  RS_ASSIGN(const auto prepared,
            backend->prepare({&schedule, count, ElementType::int32, op, 3}, memory, {}));
  RS_TRY(prepared->run(1));
  return {};
}

constexpr CollectiveSpec two_ranks{CollectiveKind::all_reduce, 2};

TEST(Reference, ReadsOfAStepSeeTheSlotsAsTheyWere) {
  const auto schedule = told(two_ranks, 1, [](TransferSink& s) {
    s.copy(input(0, 0), output(0, 0));
    s.copy(input(1, 0), output(1, 0));
    s.next_step();
    s.copy(output(0, 0), output(1, 0));  // an exchange within one step
    s.copy(output(1, 0), output(0, 0));
  });
  Integers data{{{1, 2}, {10, 20}}, {{0, 0}, {0, 0}}};
  ASSERT_TRUE(run(schedule, 2, data));
  EXPECT_EQ(data.outputs[0], (std::vector{10, 20}));
  EXPECT_EQ(data.outputs[1], (std::vector{1, 2}));
}

TEST(Reference, WritesOfAStepToOneSlotAccumulateInToldOrder) {
  const auto schedule = told({CollectiveKind::all_reduce, 3}, 1, [](TransferSink& s) {
    s.copy(input(0, 0), output(0, 0));
    s.reduce(input(1, 0), output(0, 0));  // its operand is its target: sees the copy
    s.reduce(input(2, 0), output(0, 0));
  });
  Integers data{{{1}, {10}, {100}}, {{7}, {7}, {7}}};
  ASSERT_TRUE(run(schedule, 1, data));
  EXPECT_EQ(data.outputs[0][0], 111);
}

TEST(Reference, AnyOtherOperandIsReadAsBeforeTheStep) {
  const auto schedule = told(two_ranks, 1, [](TransferSink& s) {
    s.copy(input(0, 0), scratch(0, 0));
    s.next_step();
    s.reduce(input(1, 0), scratch(0, 0), output(0, 0));  // told first: it needs scratch as it was
    s.copy(input(1, 0), scratch(0, 0));
  });
  Integers data{{{1}, {10}}, {{0}, {0}}};
  ASSERT_TRUE(run(schedule, 1, data));
  EXPECT_EQ(data.outputs[0][0], 11);
}

TEST(Reference, ChunksOfUnevenVectorsLandWhereTheLayoutSays) {
  // 5 elements in 3 chunks: 2, 2, 1. The middle one goes round through scratch on both ranks.
  const auto schedule = told(two_ranks, 3, [](TransferSink& s) {
    s.copy(input(0, 0), scratch(0, 1), 3);
    s.next_step();
    s.copy(scratch(0, 1), scratch(1, 0), 3);
    s.next_step();
    s.copy(scratch(1, 0), output(1, 0), 3);
  });
  Integers data{{{1, 2, 3, 4, 5}, {0, 0, 0, 0, 0}}, {{0, 0, 0, 0, 0}, {0, 0, 0, 0, 0}}};
  ASSERT_TRUE(run(schedule, 5, data));
  EXPECT_EQ(data.outputs[1], data.inputs[0]);
  const ChunkLayout layout(two_ranks, 3, 5);
  EXPECT_EQ(message_elements(schedule[TransferId{0}], layout), 5u);
  EXPECT_EQ(message_elements(schedule[TransferId{1}], layout), 6u) << "room travels";
}

TEST(Reference, ScalesInputsOnceAndLeavesTheSourceAlone) {
  const auto schedule = told(two_ranks, 1, [](TransferSink& s) {
    s.copy(input(0, 0), output(0, 0));
    s.copy(input(0, 0), output(1, 0));
    s.reduce(input(1, 0), output(0, 0));
    s.reduce(input(1, 0), output(1, 0));
  });
  Integers data{{{1}, {10}}, {{0}, {0}}};
  ASSERT_TRUE(run(schedule, 1, data, ReduceOp::mulsum));
  EXPECT_EQ(data.outputs[0][0], 33);
  EXPECT_EQ(data.inputs, (std::vector<std::vector<std::int32_t>>{{1}, {10}}));
  ASSERT_TRUE(run(schedule, 1, data, ReduceOp::avg));
  EXPECT_EQ(data.outputs[1][0], 5) << "truncated towards zero, once";
}

TEST(Binding, RefusesMemoryThatDoesNotFit) {
  const auto schedule =
      told(two_ranks, 1, [](TransferSink& s) { s.copy(input(0, 0), output(1, 0)); });
  const auto why = [&](const Memory& memory, std::uint64_t count = 2) {
    const auto result = check_binding({&schedule, count, ElementType::int32}, memory);
    return result ? std::string("fits") : result.error().message;
  };
  Integers good{{{1, 2}, {3, 4}}, {{0, 0}, {0, 0}}};
  EXPECT_EQ(why(good.memory()), "fits");
  EXPECT_NE(why(good.memory(), 3).find("the input of rank 0 has 8 bytes"), std::string::npos);
  EXPECT_NE(why(good.memory(), UINT64_MAX).find("does not fit 64-bit"), std::string::npos);
  // Input and output of both ranks together, not one vector alone.
  const auto most = std::uint64_t{INT64_MAX} / 4 / sizeof(std::int32_t);
  EXPECT_NE(why(good.memory(), most).find("has 8 bytes"), std::string::npos);
  EXPECT_NE(why(good.memory(), most + 1).find("does not fit 64-bit"), std::string::npos);

  auto three = good.memory();
  three.ranks.emplace_back();
  EXPECT_NE(why(three).find("memory for 3 ranks"), std::string::npos);

  auto shared = good.memory();
  shared.ranks[1].output = shared.ranks[0].output;
  EXPECT_NE(why(shared).find("overlaps"), std::string::npos);

  auto source_too = good.memory();
  source_too.ranks[1].input = source_too.ranks[1].output;
  EXPECT_NE(why(source_too).find("overlaps"), std::string::npos) << "not in place";

  auto one_source = good.memory();
  one_source.ranks[1].input = one_source.ranks[0].input;
  EXPECT_EQ(why(one_source), "fits") << "inputs are only read";
}

TEST(Binding, InPlaceNeedsOneBuffer) {
  const CollectiveSpec in_place{.ranks = 2, .in_place = true};
  const auto schedule =
      told(in_place, 1, [](TransferSink& s) { s.reduce(input(0, 0), output(1, 0)); });
  Integers two{{{1}, {3}}, {{0}, {0}}};
  auto memory = two.memory();
  EXPECT_FALSE(check_binding({&schedule, 1, ElementType::int32}, memory));
  for (auto& rank : memory.ranks) rank.input = rank.output;
  EXPECT_TRUE(check_binding({&schedule, 1, ElementType::int32}, memory));
}

TEST(Binding, RefusesBuffersThatNobodyGaveAndChunksThatDoNotMatch) {
  const CollectiveSpec reduce{CollectiveKind::reduce, 2};
  const auto outside = told(reduce, 1, [](TransferSink& s) { s.copy(input(0, 0), output(1, 0)); });
  Integers data{{{1, 2, 3}, {3, 4, 5}}, {{0, 0, 0}, {}}};
  const auto refused = check_binding({&outside, 3, ElementType::int32}, data.memory());
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().message.find("transfer 0 uses output[0] on rank 1"), std::string::npos);

  const auto uneven = told(reduce, 2, [](TransferSink& s) { s.copy(input(0, 0), output(0, 1)); });
  const auto mismatch = check_binding({&uneven, 3, ElementType::int32}, data.memory());
  ASSERT_FALSE(mismatch);
  EXPECT_NE(mismatch.error().message.find("carries 2 elements, but chunk 1"), std::string::npos);
  EXPECT_TRUE(check_binding({&uneven, 2, ElementType::int32}, data.memory()));
}

}  // namespace
}  // namespace ringside
