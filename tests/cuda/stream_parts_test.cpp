// What plans of streams are made with.

#include <gmock/gmock.h>

#include "core/engine.hpp"
#include "core/schedule_builder.hpp"
#include "gpu/cuda/slot_pool.hpp"
#include "gpu/cuda/stream_clocks.hpp"
#include "gpu/cuda/stream_layout.hpp"
#include "gpu/cuda/stream_manner.hpp"

namespace ringside::cuda {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using Numbers = std::vector<std::uint32_t>;

Numbers enqueue(StreamClocks& clocks, std::uint32_t stream, Numbers needed) {
  return clocks.enqueue(stream, needed);
}

/// 0 on stream 0; 1 on stream 1 waits for it; then others need both.
TEST(StreamClocks, ImplyWhatWasWaitedForBefore) {
  StreamClocks clocks(10);
  for (int i = 0; i < 3; ++i) clocks.add_stream();
  EXPECT_THAT(enqueue(clocks, 0, {}), IsEmpty());
  EXPECT_THAT(enqueue(clocks, 1, {0}), ElementsAre(0));
  EXPECT_THAT(enqueue(clocks, 2, {0, 1}), ElementsAre(1)) << "1 waited for 0";
  EXPECT_THAT(enqueue(clocks, 2, {0, 1, 2}), IsEmpty()) << "its stream has waited for all of them";
  EXPECT_THAT(enqueue(clocks, 0, {3}), ElementsAre(3));
}

/// Where knowledge would take too much room, waits are made that others imply, and none is lost.
TEST(StreamClocks, ForgetWhatWouldTakeTooMuchRoom) {
  StreamClocks clocks(std::size_t{1} << 40);
  for (int i = 0; i < 3; ++i) clocks.add_stream();
  enqueue(clocks, 0, {});
  enqueue(clocks, 1, {0});
  EXPECT_THAT(enqueue(clocks, 2, {0, 1}), ElementsAre(1, 0));
  EXPECT_THAT(enqueue(clocks, 2, {0, 1}), IsEmpty());
}

TEST(SlotPool, UsesASlotAgainWhenThereAreTwoAndOneIsEmpty) {
  SlotPool pool(2);
  const Connection connection{0, 1, {}};
  pool.expect(connection, 20);
  const auto first = pool.take(connection, 1), second = pool.take(connection, 1);
  EXPECT_EQ(first.offset, 0u);
  EXPECT_EQ(second.offset, 48u) << "20 bytes that begin anywhere in 16, and a multiple of 16";
  pool.give_back(connection, second.offset, 7);
  const auto third = pool.take(connection, 1);
  EXPECT_EQ(third.offset, second.offset);
  EXPECT_EQ(third.emptied_by, 7u);
  EXPECT_EQ(pool.take(connection, 1).offset, 96u) << "all are full";
  EXPECT_EQ(pool.bytes(1), 144u);
  EXPECT_EQ(pool.bytes(0), 0u);
}

TEST(StreamLayout, SlicesHoldAllPiecesInOrder) {
  const Pieces pieces{{{Area::output, 1, 0}, {}, {Area::input, 0, 100}, 40},
                      {{Area::output, 1, 64}, {}, {Area::input, 0, 8}, 8}};
  const auto slices = cut(pieces, 16);
  ASSERT_EQ(slices.size(), 3u);
  EXPECT_EQ(slices[2].size(), 2u) << "the end of one piece and the next";
  EXPECT_EQ(slices[2][0].src.offset, 132u);
  EXPECT_EQ(slices[2][0].bytes, 8u);
  EXPECT_EQ(slices[2][1].dst.offset, 64u);
  const auto packed = cuda::packed(slices[2], &Piece::dst, {Area::landing, 1, 5});
  EXPECT_EQ(packed[0].dst.offset, 5u);
  EXPECT_EQ(packed[1].dst.offset, 13u);
  EXPECT_EQ(packed[1].src.offset, 8u);
  EXPECT_EQ(cut({}, 16).size(), 1u) << "nothing is a slice too: it carries the order";
}

std::vector<Manner> manners_of(std::string_view algorithm, std::uint32_t devices, bool peers) {
  const CollectiveSpec spec{.ranks = 4, .in_place = true};
  const auto schedule =
      build_schedule(make_plan(**find_algorithm(spec.kind, algorithm), spec, {}).value()).value();
  Placement placement{{}, PeerMatrix(devices, peers)};
  for (std::uint32_t p = 0; p < 4; ++p) placement.device_of.push_back(p * devices / 4);
  return manners(schedule, placement);
}

TEST(StreamManner, ExchangesAreLateAndRingsAreNot) {
  using testing::Each;
  EXPECT_THAT(manners_of("ring", 1, true), Each(Manner::at_once));
  EXPECT_THAT(manners_of("ring", 4, false), Each(Manner::in_slices));
  const auto ring = manners_of("ring", 4, true);  // adds in slices, then copies
  EXPECT_EQ(std::ranges::count(ring, Manner::in_slices), 12);
  EXPECT_EQ(std::ranges::count(ring, Manner::at_once), 12);
  EXPECT_THAT(manners_of("recursive_doubling", 4, true), Each(Manner::late));
}

}  // namespace
}  // namespace ringside::cuda
