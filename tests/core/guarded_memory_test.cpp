// Every kind of damage that an executor can do is seen, one byte at a time.

#include "core/guarded_memory.hpp"

#include <gmock/gmock.h>

#include "core/element.hpp"

namespace ringside {
namespace {

using testing::HasSubstr;

constexpr std::uint64_t count = 5;

/// Memory in which a collective has gone right.
class Done {
 public:
  explicit Done(CollectiveKind kind, bool in_place = false)
      : problem_{{.kind = kind, .ranks = 3, .root = {1}, .in_place = in_place}, count},
        data_(problem_, DataKind::exact, 7),
        guarded_(problem_, {{0}, {1}, {2}}) {
    guarded_.reset(data_);
    for (std::uint32_t r = 0; r < 3; ++r) {
      const auto promised = data_.promised({r});
      for (auto i = promised.first; i < promised.last; ++i)
        store_bits(&output(r)[i * element], problem_.type, data_.expected({r}, i).bits);
    }
  }
  std::span<std::byte> output(std::uint32_t rank) { return guarded_.memory().ranks[rank].output; }
  /// Inputs are only read by right: this is what a wrong executor does.
  std::byte* input(std::uint32_t rank) {
    return const_cast<std::byte*>(guarded_.memory().ranks[rank].input.data());
  }
  static void damage(std::byte& byte) { byte ^= std::byte{1}; }
  Comparison check() const { return guarded_.check(data_); }
  Comparison check_equal() const { return guarded_.check_equal(problem_); }

  static constexpr std::size_t element = sizeof(float);

 private:
  Problem problem_;
  DataSet data_;
  GuardedMemory guarded_;
};

void expect_only(const Comparison& found, const char* words) {
  EXPECT_EQ(found.wrong, 1u) << words;
  EXPECT_THAT(found.first, HasSubstr(words));
}

TEST(GuardedMemory, PassesWhatIsRight) {
  for (std::size_t k = 0; k < collective_count; ++k)
    for (const bool in_place : {false, true}) {
      const auto kind = static_cast<CollectiveKind>(k);
      if (in_place && !may_be_in_place(kind)) continue;
      const Done done(kind, in_place);
      EXPECT_EQ(done.check().wrong, 0u) << name(kind) << ": " << done.check().first;
      EXPECT_EQ(done.check_equal().wrong, 0u) << name(kind);
    }
}

TEST(GuardedMemory, SeesWritesBeforeAndAfterEveryBuffer) {
  for (std::uint32_t r = 0; r < 3; ++r) {
    const auto rank = " of rank " + std::to_string(r) + " was written";
    Done before(CollectiveKind::all_reduce), after(CollectiveKind::all_reduce);
    Done::damage(*(before.output(r).data() - 1));
    expect_only(before.check(), ("memory before the output" + rank).c_str());
    Done::damage(*(after.output(r).data() + after.output(r).size()));
    expect_only(after.check(), ("memory behind the output" + rank).c_str());
    Done source(CollectiveKind::all_reduce);
    Done::damage(*(source.input(r) - 1));
    expect_only(source.check(), ("memory before the input" + rank).c_str());
  }
}

TEST(GuardedMemory, SeesAChangedSourceAndAWrongElement) {
  Done source(CollectiveKind::all_reduce), wrong(CollectiveKind::all_reduce);
  Done::damage(source.input(2)[3]);
  expect_only(source.check(), "the input of rank 2 was written");
  Done::damage(wrong.output(1)[2 * Done::element]);
  expect_only(wrong.check(), "element 2 of rank 1");
  EXPECT_EQ(wrong.check_equal().wrong, 1u);
}

TEST(GuardedMemory, SeesWritesOnBothSidesOfARanksOwnBlock) {
  const auto block = count * Done::element;
  for (const std::size_t at : {block - 1, 2 * block}) {
    Done done(CollectiveKind::reduce_scatter);
    Done::damage(done.output(1)[at]);
    expect_only(done.check(), "the output of rank 1 was written outside its block");
  }
  // In place the rest of the vector is the executor's to use.
  Done in_place(CollectiveKind::reduce_scatter, true);
  Done::damage(in_place.output(1)[0]);
  EXPECT_EQ(in_place.check().wrong, 0u);
}

}  // namespace
}  // namespace ringside
