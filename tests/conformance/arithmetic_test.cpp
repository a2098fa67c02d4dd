#include "gpu/host/arithmetic.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

#include "tests/conformance/interesting_elements.hpp"

namespace ringside::host {
namespace {

using namespace conformance;

class Elements : public testing::TestWithParam<ElementType> {};
INSTANTIATE_TEST_SUITE_P(Types, Elements, testing::ValuesIn(all_types),
                         [](const auto& tested) { return std::string(name(tested.param)); });

/// Every pair of interesting values, in one long vector.
TEST_P(Elements, AreCombinedAsCoreDefinesBitForBit) {
  const ElementType type = GetParam();
  const auto size = size_of(type).count;
  std::mt19937_64 random(7);
  const auto values = interesting(type, random);
  std::vector<std::uint64_t> left, right;
  for (const auto a : values)
    for (const auto b : values) left.push_back(a), right.push_back(b);
  const auto a = bytes_of(left, type), b = bytes_of(right, type);
  for (const ReduceOp op : all_ops) {
    std::vector<std::byte> wanted(a.size()), got(a.size());
    const auto whole = [&](auto& bytes) { return std::span(bytes).subspan(1); };
    reduce_into(whole(wanted), whole(a), whole(b), {type, op});
    for (const auto& set : instruction_sets()) {
      set.arithmetic({type, op}).reduce(&got[1], &a[1], &b[1], left.size());
      for (std::size_t i = 0; i < left.size(); ++i)
        ASSERT_EQ(load_bits(&got[1 + i * size], type), load_bits(&wanted[1 + i * size], type))
            << std::hex << left[i] << " " << name(op) << " " << right[i] << " by " << set.name;
    }
  }
}

TEST_P(Elements, AreScaledAndDividedAsCoreDefinesBitForBit) {
  const ElementType type = GetParam();
  const auto size = size_of(type).count;
  std::mt19937_64 random(8);
  const auto values = interesting(type, random);
  const auto given = bytes_of(values, type);
  for (const auto& set : instruction_sets()) {
    const auto arithmetic = set.arithmetic({type, ReduceOp::sum});
    for (const std::uint32_t n : {1u, 2u, 3u, 7u, 10u, 17u, 48u, 255u, 1000u, 4095u}) {
      auto wanted = given, got = given;
      divide(std::span(wanted).subspan(1), type, n);
      arithmetic.divide(&got[1], values.size(), n);
      for (std::size_t i = 0; i < values.size(); ++i)
        ASSERT_EQ(load_bits(&got[1 + i * size], type), load_bits(&wanted[1 + i * size], type))
            << std::hex << values[i] << " / " << n << " by " << set.name;
    }
    for (const double scalar : {2.0, -1.0, 0.3, 0.0, 1e-3}) {
      auto wanted = given, got = given;
      scale(std::span(wanted).subspan(1), type, scalar);
      arithmetic.scale(&got[1], &given[1], values.size(), convert_scalar(scalar, type));
      EXPECT_EQ(got, wanted) << scalar << " by " << set.name;
    }
  }
}

/// Many into many in one loop, as one reduction after the other.
TEST_P(Elements, AreCombinedInOneLoopAsOneByOne) {
  const ElementType type = GetParam();
  const auto size = size_of(type).count;
  std::mt19937_64 random(10);
  std::vector<std::vector<std::byte>> given;
  for (int s = 0; s < 4; ++s) {
    auto values = interesting(type, random);
    std::shuffle(values.begin(), values.end(), random);
    given.push_back(bytes_of(values, type));
  }
  const auto count = (given[0].size() - 1) / size;
  for (const auto& set : instruction_sets())
    for (const ReduceOp op : all_ops)
      for (const std::size_t sources : {1, 2, 4}) {
        auto wanted = given[0];
        const auto total = std::span(wanted).subspan(1 + size, (count - 3) * size);
        for (std::size_t s = 1; s < sources; ++s)
          reduce_into(total, total, std::span(given[s]).subspan(1 + size, total.size()),
                      {type, op});
        auto first = given[0], second = given[0];  // the first is a source too
        std::vector<const std::byte*> from{&first[1]};
        for (std::size_t s = 1; s < sources; ++s) from.push_back(&given[s][1]);
        const std::vector<std::byte*> into{&first[1], &second[1]};
        const auto combine = set.arithmetic({type, op}).combine;
        if (combine == nullptr) continue;
        combine(into, from, 1, count - 2);
        EXPECT_EQ(first, wanted) << name(op) << " of " << sources << " by " << set.name;
        EXPECT_EQ(second, wanted) << name(op) << " of " << sources << " by " << set.name;
      }
}

TEST(Arithmetic, CombinesWhatMachinesAdd) {
  for (const auto& set : instruction_sets()) {
    EXPECT_TRUE(set.arithmetic({ElementType::float32, ReduceOp::sum}).combine) << set.name;
    EXPECT_TRUE(set.arithmetic({ElementType::uint8, ReduceOp::avg}).combine) << set.name;
    EXPECT_FALSE(set.arithmetic({ElementType::float32, ReduceOp::max}).combine) << set.name;
    EXPECT_FALSE(set.arithmetic({ElementType::float16, ReduceOp::sum}).combine) << set.name;
  }
}

/// Heads and tails: every short length, nothing written behind it, targets that are operands.
TEST_P(Elements, KeepToTheirEnds) {
  const ElementType type = GetParam();
  const auto size = size_of(type).count;
  std::mt19937_64 random(9);
  const auto values = interesting(type, random);
  const auto a = bytes_of(values, type);
  for (const auto& set : instruction_sets())
    for (std::size_t n = 0; n < 140; ++n) {
      auto wanted = a, got = a;
      const auto first = std::span(wanted).subspan(1, n * size);
      reduce_into(first, first, std::span(a).subspan(1 + size, n * size), {type, ReduceOp::sum});
      set.arithmetic({type, ReduceOp::sum}).reduce(&got[1], &got[1], &a[1 + size], n);
      EXPECT_EQ(got, wanted) << n << " elements by " << set.name;
    }
}

}  // namespace
}  // namespace ringside::host
