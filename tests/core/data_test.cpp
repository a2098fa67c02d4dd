#include "core/data.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <random>
#include <set>

#include "core/data_inputs.hpp"
#include "core/reduce.hpp"

namespace ringside {
namespace {

std::string describe(const Problem& p, DataKind kind) {
  return std::string(name(p.spec.kind)) + " N=" + std::to_string(p.spec.ranks) + " " +
         std::string(name(p.type)) + " " + std::string(name(p.op)) + " x" +
         std::to_string(p.mulsum_scalar) + " " + std::string(name(kind));
}

template <typename Visit>
void for_each_reduction(Visit visit) {
  for (std::size_t t = 0; t < element_type_count; ++t)
    for (std::size_t o = 0; o < reduce_op_count; ++o)
      visit(static_cast<ElementType>(t), static_cast<ReduceOp>(o));
}

/// What the ranks add to one element, scaled where the op says so.
std::vector<std::uint64_t> contributions(const DataSet& data, std::uint64_t index) {
  const Problem& p = data.problem();
  std::vector<std::uint64_t> all;
  for (std::uint32_t r = 0; r < p.spec.ranks; ++r) {
    std::array<std::byte, 8> at{};
    store_bits(at.data(), p.type, data.input({r}, index));
    const auto element = std::span(at).first(size_of(p.type).count);
    if (p.op == ReduceOp::mulsum) scale(element, p.type, p.mulsum_scalar);
    all.push_back(load_bits(at.data(), p.type));
  }
  return all;
}

/// Combines in a random tree of a random order, in the type's own arithmetic.
std::uint64_t combined(std::vector<std::uint64_t> values, const Problem& p,
                       std::mt19937_64& random) {
  while (values.size() > 1) {
    std::swap(values[random() % values.size()], values.back());
    const auto last = values.back();
    values.pop_back();
    auto& other = values[random() % values.size()];
    other = combine(other, last, {p.type, p.op});
  }
  if (p.op == ReduceOp::avg) {
    std::array<std::byte, 8> at{};
    store_bits(at.data(), p.type, values.front());
    divide(std::span(at).first(size_of(p.type).count), p.type, p.spec.ranks);
    return load_bits(at.data(), p.type);
  }
  return values.front();
}

/// One output of one rank that holds `bits` in element `index`, compared with the set's own word.
bool accepted(const DataSet& data, std::uint64_t index, std::uint64_t bits) {
  const auto expected = data.expected({0}, index);
  const auto type = data.problem().type;
  if (expected.tolerance > 0)
    return std::abs(decode_float(bits, type) - expected.value) <= expected.tolerance;
  if (bits == expected.bits) return true;
  if (!is_floating(type)) return false;
  const double got = decode_float(bits, type), wanted = decode_float(expected.bits, type);
  return std::isnan(wanted) ? std::isnan(got) : got == 0 && wanted == 0;
}

TEST(Data, EveryOrderGivesWhatIsExpected) {
  std::mt19937_64 random(1);
  for (std::size_t k = 0; k < data_kind_count; ++k)
    for (const double scalar : {2.0, 0.5, -1.0, 3.0, 0.1})
      for_each_reduction([&](ElementType type, ReduceOp op) {
        if (op != ReduceOp::mulsum && scalar != 2.0) return;
        for (const std::uint32_t n : {1u, 2u, 3u, 5u, 8u, 16u, 17u, 33u, 100u}) {
          const auto kind = static_cast<DataKind>(k);
          const DataSet data({{.ranks = n}, 30, type, op, scalar}, kind, 5);
          for (std::uint64_t i = 0; i < 12; ++i) {
            const auto bits = combined(contributions(data, i), data.problem(), random);
            ASSERT_TRUE(accepted(data, i, bits))
                << describe(data.problem(), kind) << " element " << i << ": "
                << element_to_string(bits, type) << " not "
                << element_to_string(data.expected({0}, i).bits, type);
          }
        }
      });
}

/// Elements (of the first 4 N) in which leaving the rank out, or adding it twice, goes unseen.
struct Blind {
  std::uint64_t left_out = 0, doubled = 0, elements = 0;
};
Blind blindness(const DataSet& data, std::uint32_t rank) {
  std::mt19937_64 random(rank);
  Blind blind;
  for (std::uint64_t i = 0; i < std::uint64_t{4} * data.problem().spec.ranks; ++i) {
    auto values = contributions(data, i);
    auto twice = values;
    twice.push_back(values[rank]);
    values.erase(values.begin() + rank);
    blind.left_out += accepted(data, i, combined(values, data.problem(), random));
    blind.doubled += accepted(data, i, combined(twice, data.problem(), random));
    ++blind.elements;
  }
  return blind;
}

TEST(Data, NoRankCanBeLeftOutOrCountedTwiceUnseen) {
  for_each_reduction([&](ElementType type, ReduceOp op) {
    for (const std::uint32_t n : {2u, 5u, 24u}) {
      // A mean of n bytes, truncated, is too coarse to see one of them.
      if (op == ReduceOp::avg && size_of(type).count == 1 && !is_floating(type) && n > 8) continue;
      const DataSet data({{.ranks = n}, 1, type, op, 2}, DataKind::exact, 3);
      for (const std::uint32_t r : {0u, 1u, n / 2, n - 1}) {
        const Blind blind = blindness(data, r);
        EXPECT_LT(blind.left_out, blind.elements) << describe(data.problem(), DataKind::exact);
        if (op == ReduceOp::min || op == ReduceOp::max) continue;  // twice is no fault there
        EXPECT_LT(blind.doubled, blind.elements) << describe(data.problem(), DataKind::exact);
      }
    }
  });
}

TEST(Data, WhereTheTypeHasRoomEveryElementSeesEveryRank) {
  for_each_reduction([&](ElementType type, ReduceOp op) {
    if (op == ReduceOp::min || op == ReduceOp::max || op == ReduceOp::avg) return;
    for (const std::uint32_t n : {2u, 5u, 8u, 12u}) {
      const DataSet data({{.ranks = n}, 1, type, op, 2}, DataKind::exact, 3);
      if (data::capacity(data.problem()) < n) continue;
      for (std::uint32_t r = 0; r < n; ++r) {
        const Blind blind = blindness(data, r);
        ASSERT_EQ(blind.left_out, 0u) << describe(data.problem(), DataKind::exact);
        ASSERT_EQ(blind.doubled, 0u) << describe(data.problem(), DataKind::exact);
      }
    }
  });
}

TEST(Data, TheBoundIsTightEnoughToSeeAMissingRank) {
  for (const ElementType type : {ElementType::float16, ElementType::float32, ElementType::float64})
    for (const ReduceOp op : {ReduceOp::sum, ReduceOp::prod, ReduceOp::avg}) {
      const DataSet data({{.ranks = 8}, 1, type, op, 2}, DataKind::real, 3);
      const Blind blind = blindness(data, 3);
      EXPECT_LE(blind.left_out, blind.elements / 8) << describe(data.problem(), DataKind::real);
    }
}

TEST(Data, InputsDependOnRankIndexAndSeed) {
  for_each_reduction([&](ElementType type, ReduceOp op) {
    for (const auto kind : {CollectiveKind::all_reduce, CollectiveKind::all_gather}) {
      const Problem problem{{.kind = kind, .ranks = 4}, 64, type, op, 2};
      const DataSet one(problem, DataKind::exact, 1), two(problem, DataKind::exact, 2);
      std::uint64_t other_rank = 0, other_index = 0, other_seed = 0;
      for (std::uint64_t i = 0; i < 64; ++i) {
        other_rank += one.input({0}, i) != one.input({1}, i);
        other_index += one.input({0}, i) != one.input({0}, i + 1);
        other_seed += one.input({0}, i) != two.input({0}, i);
      }
      EXPECT_GT(other_rank, 24u) << describe(problem, DataKind::exact);
      EXPECT_GT(other_index, 24u) << describe(problem, DataKind::exact);
      EXPECT_GT(other_seed, 16u) << describe(problem, DataKind::exact);
    }
  });
}

TEST(Data, CopiedBytesDifferOnAllOf256Ranks) {
  const Problem problem{{.kind = CollectiveKind::all_gather, .ranks = 256}, 4, ElementType::int8};
  const DataSet data(problem, DataKind::exact, 9);
  for (std::uint64_t i = 0; i < 4; ++i) {
    std::set<std::uint64_t> seen;
    for (std::uint32_t r = 0; r < 256; ++r) seen.insert(data.input({r}, i));
    EXPECT_EQ(seen.size(), 256u);
  }
}

TEST(Data, SpecialSetsHoldWhatTheyPromise) {
  const auto counts = [](ElementType type, ReduceOp op) {
    const DataSet data({{.ranks = 4}, 64, type, op, 2}, DataKind::special, 1);
    std::array<int, 4> found{};  // NaN, infinity, -0, denormal
    for (std::uint32_t r = 0; r < 4; ++r)
      for (std::uint64_t i = 0; i < 64; ++i) {
        const double x = decode_float(data.input({r}, i), type);
        found[0] += std::isnan(x);
        found[1] += std::isinf(x);
        found[2] += x == 0 && std::signbit(x);
        found[3] += x != 0 && std::abs(x) < std::ldexp(1, float_format(type).smallest_exponent());
      }
    return found;
  };
  for_each_reduction([&](ElementType type, ReduceOp op) {
    if (!is_floating(type)) return;
    const auto found = counts(type, op);
    EXPECT_GT(found[0], 0) << name(type) << name(op);
    EXPECT_GT(found[2], 0) << name(type) << name(op);
    EXPECT_GT(found[3], 0) << name(type) << name(op);
    EXPECT_EQ(found[1] > 0, size_of(type) > 1_B) << name(type) << name(op);
  });
  const DataSet integers({{.ranks = 2}, 5, ElementType::int32}, DataKind::special, 1);
  EXPECT_TRUE(integers.input({0}, 0) == 0x80000000u || integers.input({1}, 0) == 0x80000000u);
}

/// given, promised and expected, restated from the symbolic pre- and postcondition.
TEST(Data, AgreesWithTheSymbolicDefinition) {
  for (std::size_t k = 0; k < collective_count; ++k) {
    const auto kind = static_cast<CollectiveKind>(k);
    if (kind == CollectiveKind::barrier) continue;
    for (const std::uint32_t n : {1u, 2u, 5u})
      for (const std::uint32_t root : {0u, n - 1}) {
        const CollectiveSpec spec{kind, n, {has_root(kind) ? root : 0}};
        const std::uint32_t chunks = 2 * n;
        const std::uint64_t count = 7;
        const DataSet data({spec, count, ElementType::int32}, DataKind::exact, 2);
        const ChunkLayout layout(spec, chunks, count);
        std::vector<std::uint64_t> given(n), promised(n);
        for (const Slot& slot : precondition(spec, chunks)) {
          given[slot.rank.value] += layout.elements(slot.chunk);
          EXPECT_GE(layout.offset(slot.chunk), data.given(slot.rank).first);
          EXPECT_LE(layout.offset(slot.chunk) + layout.elements(slot.chunk),
                    data.given(slot.rank).last);
        }
        for (const Expectation& e : postcondition(spec, chunks)) {
          promised[e.slot.rank.value] += layout.elements(e.slot.chunk);
          ASSERT_EQ(layout.elements(e.slot.chunk), layout.elements(e.from_chunk));
          for (std::uint64_t i = 0; i < layout.elements(e.slot.chunk); ++i) {
            std::uint64_t sum = 0;
            for (std::uint32_t r = 0; r < e.count; ++r)
              sum += data.input({e.first.value + r}, layout.offset(e.from_chunk) + i);
            ASSERT_EQ(data.expected(e.slot.rank, layout.offset(e.slot.chunk) + i).bits,
                      sum & 0xffffffffu)
                << describe(data.problem(), DataKind::exact) << " " << to_string(e.slot);
          }
        }
        for (std::uint32_t r = 0; r < n; ++r) {
          EXPECT_EQ(data.given({r}).last - data.given({r}).first, given[r]);
          EXPECT_EQ(data.promised({r}).last - data.promised({r}).first, promised[r]);
        }
      }
  }
}

TEST(Data, CheckNamesTheFirstWrongElement) {
  const DataSet data({{.ranks = 2}, 4, ElementType::int32}, DataKind::exact, 1);
  std::vector<std::byte> output(16);
  for (std::uint64_t i = 0; i < 4; ++i)
    store_bits(&output[i * 4], ElementType::int32, data.expected({1}, i).bits);
  EXPECT_EQ(data.check({1}, output).wrong, 0u);
  output[9] ^= std::byte{1};
  const auto found = data.check({1}, output);
  EXPECT_EQ(found.checked, 4u);
  EXPECT_EQ(found.wrong, 1u);
  EXPECT_NE(found.first.find("element 2 of rank 1 is "), std::string::npos) << found.first;
}

TEST(Data, ElementsBeyond32BitsAreLikeOthers) {
  const CollectiveSpec spec{CollectiveKind::all_gather, 4};
  const std::uint64_t count = (std::uint64_t{1} << 33) + 1;
  const DataSet data({spec, count, ElementType::int8}, DataKind::exact, 1);
  EXPECT_EQ(data.given({3}).first, 3 * count);
  EXPECT_EQ(data.expected({0}, 3 * count + 5).bits, data.input({3}, 3 * count + 5));
  EXPECT_NE(data.input({0}, 5), data.input({0}, 5 + (std::uint64_t{1} << 32)));
}

/// Counts around and beyond the tile that long vectors are made of.
constexpr std::uint64_t long_counts[] = {8190, 8191, 8192, 16382, 16383, 40000};

TEST(LongData, IsElementByElementWhatShortDataAre) {
  for (const std::uint64_t count : long_counts) {
    const Problem problem{{CollectiveKind::all_gather, 3}, count, ElementType::float16};
    const DataSet data(problem, DataKind::exact, 5);
    std::vector<std::byte> vector(3 * count * 2, std::byte{0x77});
    data.fill({1}, vector);
    for (std::uint64_t i = 0; i < 3 * count; ++i) {
      const auto bits = load_bits(&vector[i * 2], problem.type);
      const bool given = i / count == 1;
      ASSERT_EQ(bits, given ? data.input({1}, i) : 0x7777u) << count << " " << i;
    }
    EXPECT_EQ(data.changed({1}, vector), 0u);
    vector[2 * (count + count / 2)] ^= std::byte{1};
    EXPECT_EQ(data.changed({1}, vector), 1u);
  }
}

TEST(LongData, EveryPromisedElementIsCompared) {
  for (std::size_t k = 0; k < collective_count; ++k)
    for (const DataKind kind : {DataKind::exact, DataKind::real, DataKind::special}) {
      const auto collective = static_cast<CollectiveKind>(k);
      if (collective == CollectiveKind::barrier) continue;
      const std::uint64_t count = 20'000;
      const Problem problem{{collective, 2, {1}}, count, ElementType::float32};
      const DataSet data(problem, kind, 3);
      std::vector<std::byte> vector(2 * count * 4);
      for (std::uint32_t r = 0; r < 2; ++r) {
        const auto promised = data.promised({r});
        for (auto i = promised.first; i < promised.last; ++i) {
          const auto wanted = data.expected({r}, i);
          const bool rounds = kind == DataKind::real && reduces(collective);
          store_bits(
              &vector[i * 4], problem.type,
              rounds ? encode_float(static_cast<double>(wanted.value), problem.type) : wanted.bits);
        }
        const auto right = data.check({r}, vector);
        EXPECT_EQ(right.wrong, 0u) << name(collective) << " " << name(kind) << right.first;
        EXPECT_EQ(right.checked, promised.last - promised.first);
        if (promised.last == promised.first) continue;
        for (const auto at : {promised.first, promised.first + 12'345, promised.last - 1}) {
          auto& byte = vector[at * 4 + 3];  // sign and exponent
          const auto before = byte;
          byte ^= std::byte{0x45};
          const auto wrong = data.check({r}, vector);
          EXPECT_LE(wrong.wrong, 1u);
          const bool is_nan = std::isnan(decode_float(data.expected({r}, at).bits, problem.type));
          if (!is_nan) {
            EXPECT_EQ(wrong.wrong, 1u) << name(collective) << " " << name(kind) << at;
          }
          byte = before;
        }
      }
    }
}

TEST(LongData, AShiftByAnyDistanceShows) {
  const std::uint64_t count = 100'000;
  const DataSet data({{CollectiveKind::broadcast, 2}, count, ElementType::int32}, DataKind::exact,
                     1);
  for (const std::uint64_t shift : {1ul, 512ul, 8191ul, 16382ul, 8191ul * 4, 65536ul}) {
    std::vector<std::byte> vector(4 * (count + shift));
    data.fill({0}, vector);
    const auto found = data.check({1}, std::span(vector).subspan(4 * shift));
    EXPECT_GT(found.wrong, count / 2) << shift;
  }
}

TEST(Data, EveryRankHasAnEffectWhereTheVectorIsLongEnough) {
  for (const std::uint32_t ranks : {1u, 2u, 5u, 17u, 40u})
    for (std::size_t t = 0; t < element_type_count; ++t)
      for (std::size_t o = 0; o < reduce_op_count; ++o)
        for (const DataKind kind : {DataKind::exact, DataKind::real}) {
          const Problem problem{{CollectiveKind::all_reduce, ranks},
                                std::max(67u, ranks),
                                static_cast<ElementType>(t),
                                static_cast<ReduceOp>(o),
                                2};
          // Where the bound outgrows one rank's part the exact data must do.
          const bool is_coarse = is_floating(problem.type) && size_of(problem.type) == 1_B;
          if (kind == DataKind::real && (ranks > 17 || is_coarse)) continue;
          const auto blind = DataSet(problem, kind, 1).rank_without_effect();
          EXPECT_FALSE(blind) << ranks << " ranks, " << name(problem.type) << " "
                              << name(problem.op) << " " << name(kind) << ": rank "
                              << blind.value_or(Rank{}).value;
        }
  const Problem one{{CollectiveKind::all_reduce, 8}, 1, ElementType::uint8, ReduceOp::max};
  EXPECT_TRUE(DataSet(one, DataKind::exact, 1).rank_without_effect()) << "one element, one winner";
}

}  // namespace
}  // namespace ringside
