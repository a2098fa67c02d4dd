#include "core/collective.hpp"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <set>
#include <vector>

#include "core/transfer.hpp"

namespace ringside {
namespace {

using Holding = std::vector<std::pair<std::uint32_t, std::uint32_t>>;  // (rank, chunk), sorted

std::vector<CollectiveSpec> specs(std::uint32_t n) {
  std::vector<CollectiveSpec> all;
  for (std::size_t k = 0; k < collective_count; ++k) {
    const auto kind = static_cast<CollectiveKind>(k);
    for (std::uint32_t root = 0; root < (has_root(kind) ? n : 1); ++root)
      for (const bool in_place : {false, true})
        if (!in_place || may_be_in_place(kind)) all.push_back({kind, n, {root}, in_place});
  }
  return all;
}

/// The collective restated for one output slot, from MPI's definition; nothing = not promised.
Holding defined(const CollectiveSpec& spec, std::uint32_t chunks, const Slot& slot) {
  const auto n = spec.ranks, r = slot.rank.value, c = slot.chunk.value;
  const auto owner = is_blocked(spec.kind) ? c / (chunks / n) : 0;
  Holding everyone;
  for (std::uint32_t s = 0; s < n; ++s) everyone.push_back({s, c});
  const bool root = slot.rank == spec.root;
  switch (spec.kind) {
    case CollectiveKind::all_reduce:
    case CollectiveKind::barrier:
      return everyone;
    case CollectiveKind::reduce_scatter:
      return owner == r ? everyone : Holding{};
    case CollectiveKind::all_gather:
      return {{owner, c}};
    case CollectiveKind::all_to_all:  // what `owner` had for me
      return {{owner, r * (chunks / n) + c % (chunks / n)}};
    case CollectiveKind::broadcast:
      return {{spec.root.value, c}};
    case CollectiveKind::reduce:
      return root ? everyone : Holding{};
    case CollectiveKind::gather:
      return root ? Holding{{owner, c}} : Holding{};
    case CollectiveKind::scatter:
      return owner == r ? Holding{{spec.root.value, c}} : Holding{};
    case CollectiveKind::send_recv:
      return {{(r + n - 1) % n, c}};
  }
  return {};
}

TEST(Collective, PostconditionIsTheDefinition) {
  for (const std::uint32_t n : {1u, 2u, 3u, 5u, 8u})
    for (const CollectiveSpec& spec : specs(n))
      for (const std::uint32_t chunks : {n, 3 * n}) {
        std::map<Slot, Holding> told;
        for (const Expectation& e : postcondition(spec, chunks)) {
          EXPECT_EQ(e.each_at_least_once, spec.kind == CollectiveKind::barrier);
          Holding holding;
          for (std::uint32_t i = 0; i < e.count; ++i)
            holding.push_back({e.first.value + i, e.from_chunk.value});
          EXPECT_TRUE(told.emplace(e.slot, holding).second) << "promised twice";
        }
        for (std::uint32_t r = 0; r < n; ++r)
          for (std::uint32_t c = 0; c < chunks; ++c) {
            const auto found = told.find(output(r, c));
            EXPECT_EQ(found == told.end() ? Holding{} : found->second,
                      defined(spec, chunks, output(r, c)))
                << name(spec.kind) << " " << to_string(output(r, c));
          }
      }
}

TEST(Collective, NothingIsPromisedThatNobodyHas) {
  for (const std::uint32_t n : {1u, 2u, 5u})
    for (const CollectiveSpec& spec : specs(n)) {
      const auto held = precondition(spec, 2 * n);
      const std::set<Slot> given(held.begin(), held.end());
      EXPECT_EQ(given.size(), held.size());
      std::set<Slot> needed;
      for (const Expectation& e : postcondition(spec, 2 * n))
        for (std::uint32_t i = 0; i < e.count; ++i) {
          const auto source = e.first.value + i, chunk = e.from_chunk.value;
          needed.insert(spec.in_place ? output(source, chunk) : input(source, chunk));
        }
      EXPECT_EQ(needed, given) << name(spec.kind) << ": every input is of use, and no other is";
    }
}

TEST(Collective, ImpossibleSpecsAreRefused) {
  const auto why = [](const CollectiveSpec& spec) {
    const auto result = check(spec);
    return result ? std::string() : result.error().message;
  };
  EXPECT_EQ(why({.ranks = 1}), "");
  EXPECT_EQ(why({.ranks = Transfer::max_ranks}), "");
  EXPECT_NE(why({.ranks = 0}).find("at least one rank"), std::string::npos);
  EXPECT_NE(why({.ranks = 1'000'000'000}).find("at most 1048576"), std::string::npos);
  EXPECT_NE(why({CollectiveKind::broadcast, 4, {4}}).find("0 to 3"), std::string::npos);
  EXPECT_EQ(why({CollectiveKind::all_reduce, 4, {9}}), "") << "a root means nothing there";
  for (const auto kind :
       {CollectiveKind::all_to_all, CollectiveKind::send_recv, CollectiveKind::barrier})
    EXPECT_NE(why({kind, 4, {0}, true}).find("in place"), std::string::npos) << name(kind);
}

TEST(Collective, NamesParseBack) {
  for (std::size_t k = 0; k < collective_count; ++k) {
    const auto kind = static_cast<CollectiveKind>(k);
    EXPECT_EQ(parse_collective(name(kind)).value(), kind);
  }
  EXPECT_NE(parse_collective("allreduce").error().message.find("all_reduce"), std::string::npos);
}

TEST(Collective, BusBandwidthFactorsAreThoseOfNcclTests) {
  EXPECT_DOUBLE_EQ(busbw_factor(CollectiveKind::all_reduce, 8), 1.75);
  for (const auto kind :
       {CollectiveKind::all_gather, CollectiveKind::reduce_scatter, CollectiveKind::all_to_all,
        CollectiveKind::gather, CollectiveKind::scatter}) {
    EXPECT_DOUBLE_EQ(busbw_factor(kind, 8), 0.875);
    EXPECT_DOUBLE_EQ(busbw_factor(kind, 1), 0);
  }
  for (const auto kind :
       {CollectiveKind::broadcast, CollectiveKind::reduce, CollectiveKind::send_recv})
    EXPECT_DOUBLE_EQ(busbw_factor(kind, 8), 1);
  EXPECT_DOUBLE_EQ(busbw_factor(CollectiveKind::all_reduce, 1), 0);
}

/// Any count, up to beyond 2^31 and 2^32 elements: chunks follow each other without gap, cover the
/// block, differ by one at most, the longer ones first.
TEST(ChunkLayout, TilesEveryBlock) {
  std::mt19937_64 random(4);
  const std::uint64_t counts[] = {0, 1, 2, 7, 64, 1'000'003, (1ull << 31) + 1, (1ull << 33) + 5};
  for (const std::uint64_t count : counts)
    for (const std::uint32_t n : {1u, 3u, 8u})
      for (const auto kind : {CollectiveKind::all_reduce, CollectiveKind::all_to_all}) {
        const std::uint32_t blocks = is_blocked(kind) ? n : 1;
        const std::uint32_t chunks = blocks * static_cast<std::uint32_t>(1 + random() % 9);
        const ChunkLayout layout({.kind = kind, .ranks = n}, chunks, count);
        ASSERT_EQ(layout.total(), blocks * count);
        std::uint64_t next = 0;
        for (std::uint32_t c = 0; c < chunks; ++c) {
          const auto within = c % (chunks / blocks);
          ASSERT_EQ(layout.offset({c}), next);
          if (within == 0) {
            ASSERT_EQ(next, c / (chunks / blocks) * count) << "blocks are equal";
          }
          const auto size = layout.elements(ChunkId{c});
          ASSERT_EQ(size, count / (chunks / blocks) + (within < count % (chunks / blocks)));
          ASSERT_LE(size, layout.longest());
          next += size;
        }
        ASSERT_EQ(next, layout.total());
        for (std::uint32_t first = 0; first < chunks; ++first)
          for (std::uint32_t k = 1; first + k <= chunks; ++k) {
            std::uint64_t sum = 0;
            for (std::uint32_t c = first; c < first + k; ++c) sum += layout.elements(ChunkId{c});
            ASSERT_EQ(layout.elements({first}, k), sum);
          }
      }
}

TEST(Collective, SizesAndCountsBelongTogether) {
  const CollectiveSpec blocked{CollectiveKind::all_gather, 8}, whole{CollectiveKind::all_reduce, 8};
  EXPECT_EQ(size_of(whole, 10, ElementType::float32), 40_B);
  EXPECT_EQ(size_of(blocked, 10, ElementType::float32), 320_B);
  EXPECT_EQ(size_of(blocked, 1ull << 40, ElementType::float64), Bytes{1ull << 46});
  std::mt19937_64 random(6);
  for (int i = 0; i < 10'000; ++i) {
    const CollectiveSpec spec{i % 2 ? CollectiveKind::all_gather : CollectiveKind::all_reduce,
                              static_cast<std::uint32_t>(1 + random() % 1000)};
    const auto type = static_cast<ElementType>(random() % element_type_count);
    const Bytes size{random() >> (8 + random() % 50)};
    const auto count = count_for(spec, size, type);
    ASSERT_LE(size_of(spec, count, type), size);
    ASSERT_GT(size_of(spec, count + 1, type), size);
  }
}

}  // namespace
}  // namespace ringside
