#include "core/reduce.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <vector>

namespace ringside {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
const std::vector<ElementType> eight_bit_floats{ElementType::f8e4m3, ElementType::f8e5m2};
const std::vector<ElementType> half_floats{ElementType::float16, ElementType::bfloat16};

std::vector<ElementType> all_types() {
  std::vector<ElementType> types;
  for (std::size_t i = 0; i < element_type_count; ++i) types.push_back(static_cast<ElementType>(i));
  return types;
}

bool is_nan(std::uint64_t bits, ElementType type) {
  return is_floating(type) && std::isnan(decode_float(bits, type));
}

template <typename T>
std::uint64_t bits_of(T value) {
  std::uint64_t bits = 0;
  std::memcpy(&bits, &value, sizeof value);
  return bits;
}

/// C++'s own arithmetic on the native type, done in the unsigned type so that it wraps.
template <typename T>
void expect_native_integers(ElementType type) {
  using U = std::make_unsigned_t<T>;
  std::mt19937_64 random(3);
  const std::vector<T> corners{0, 1, static_cast<T>(-1), std::numeric_limits<T>::min(),
                               std::numeric_limits<T>::max()};
  const auto pick = [&](int i) {
    return i < 25 ? corners[static_cast<std::size_t>(i % 5)] : static_cast<T>(random());
  };
  for (int i = 0; i < 2'000; ++i) {
    const T a = i < 25 ? corners[static_cast<std::size_t>(i / 5)] : static_cast<T>(random());
    const T b = pick(i);
    const auto ua = static_cast<std::uint64_t>(static_cast<U>(a)),
               ub = static_cast<std::uint64_t>(static_cast<U>(b));
    const auto got = [&](ReduceOp op) { return combine(bits_of(a), bits_of(b), {type, op}); };
    ASSERT_EQ(got(ReduceOp::sum), bits_of(static_cast<U>(ua + ub)));
    ASSERT_EQ(got(ReduceOp::avg), bits_of(static_cast<U>(ua + ub)));
    ASSERT_EQ(got(ReduceOp::mulsum), bits_of(static_cast<U>(ua + ub)));
    ASSERT_EQ(got(ReduceOp::prod), bits_of(static_cast<U>(ua * ub)));
    ASSERT_EQ(got(ReduceOp::min), bits_of(std::min(a, b)));
    ASSERT_EQ(got(ReduceOp::max), bits_of(std::max(a, b)));
  }
}

TEST(Reduce, IntegersWrapAndCompareAsTheirSignSays) {
  expect_native_integers<std::int8_t>(ElementType::int8);
  expect_native_integers<std::uint8_t>(ElementType::uint8);
  expect_native_integers<std::int32_t>(ElementType::int32);
  expect_native_integers<std::uint32_t>(ElementType::uint32);
  expect_native_integers<std::int64_t>(ElementType::int64);
  expect_native_integers<std::uint64_t>(ElementType::uint64);
}

TEST(Reduce, FloatAndDoubleAreTheProcessorsOwn) {
  std::mt19937_64 random(5);
  for (int i = 0; i < 100'000; ++i) {
    const auto a = std::bit_cast<float>(static_cast<std::uint32_t>(random())),
               b = std::bit_cast<float>(static_cast<std::uint32_t>(random()));
    const auto c = std::bit_cast<double>(random()), d = std::bit_cast<double>(random());
    const auto same = [](std::uint64_t got, auto wanted, ElementType type) {
      return std::isnan(wanted) ? is_nan(got, type) : got == bits_of(wanted);
    };
    const auto f = ElementType::float32, g = ElementType::float64;
    ASSERT_TRUE(same(combine(bits_of(a), bits_of(b), {f, ReduceOp::sum}), a + b, f))
        << a << " " << b;
    ASSERT_TRUE(same(combine(bits_of(a), bits_of(b), {f, ReduceOp::prod}), a * b, f))
        << a << " " << b;
    ASSERT_TRUE(same(combine(bits_of(c), bits_of(d), {g, ReduceOp::sum}), c + d, g))
        << c << " " << d;
    ASSERT_TRUE(same(combine(bits_of(c), bits_of(d), {g, ReduceOp::prod}), c * d, g))
        << c << " " << d;
  }
}

/// All 65,536 pairs: the result is a number of the format that no other number is nearer to.
TEST(Reduce, EightBitSumsAndProductsAreTheNearestNumbers) {
  for (const ElementType type : eight_bit_floats) {
    const double largest = decode_float(float_format(type).largest(), type);
    for (std::uint64_t a = 0; a < 256; ++a)
      for (std::uint64_t b = 0; b < 256; ++b)
        for (const ReduceOp op : {ReduceOp::sum, ReduceOp::prod}) {
          const double x = decode_float(a, type), y = decode_float(b, type);
          const double exact = op == ReduceOp::sum ? x + y : x * y;  // exact in double
          const auto bits = combine(a, b, {type, op});
          if (std::isnan(exact)) {
            ASSERT_TRUE(is_nan(bits, type));
            continue;
          }
          const double clamped = std::clamp(exact, -largest, largest);
          const double error = std::abs(decode_float(bits, type) - clamped);
          for (const std::uint64_t neighbour : {bits - 1, bits + 1}) {
            const double other = decode_float(neighbour & 0xff, type);
            if (!std::isfinite(other)) continue;
            ASSERT_LE(error, std::abs(other - clamped)) << x << " " << y;
          }
        }
  }
}

/// NCCL computes fp8 through half; the result must be the same as rounding the exact value once.
TEST(Reduce, EightBitArithmeticThroughHalfGivesTheSame) {
  for (const ElementType type : eight_bit_floats)
    for (std::uint64_t a = 0; a < 256; ++a)
      for (std::uint64_t b = 0; b < 256; ++b)
        for (const ReduceOp op : {ReduceOp::sum, ReduceOp::prod}) {
          const auto half = ElementType::float16;
          const auto through = combine(encode_float(decode_float(a, type), half),
                                       encode_float(decode_float(b, type), half), {half, op});
          ASSERT_EQ(combine(a, b, {type, op}), encode_float(decode_float(through, half), type));
        }
}

TEST(Reduce, ExtremesDropNanAndOrderTheZeros) {
  for (const ElementType type : all_types()) {
    if (!is_floating(type)) continue;
    const auto nan = float_format(type).nan(), one = encode_float(1, type),
               minus_zero = encode_float(-0.0, type), zero = encode_float(0.0, type);
    for (const ReduceOp op : {ReduceOp::min, ReduceOp::max}) {
      const Reduction r{type, op};
      EXPECT_EQ(combine(nan, one, r), one) << name(type);
      EXPECT_EQ(combine(one, nan, r), one) << name(type);
      EXPECT_TRUE(is_nan(combine(nan, nan, r), type));
      const auto wanted = op == ReduceOp::min ? minus_zero : zero;
      EXPECT_EQ(combine(zero, minus_zero, r), wanted) << name(type);
      EXPECT_EQ(combine(minus_zero, zero, r), wanted) << name(type);
    }
    EXPECT_TRUE(is_nan(combine(nan, one, {type, ReduceOp::sum}), type));
    EXPECT_TRUE(is_nan(combine(one, nan, {type, ReduceOp::prod}), type));
  }
}

TEST(Reduce, ExtremesAreAssociativeAndCommutativeToTheBit) {
  std::mt19937_64 random(11);
  for (const ElementType type : all_types())
    for (const ReduceOp op : {ReduceOp::min, ReduceOp::max})
      for (int i = 0; i < 3'000; ++i) {
        const Reduction r{type, op};
        std::uint64_t x[3] = {};
        for (auto& bits : x) {
          const auto any = random();
          std::byte at[8];
          store_bits(at, type, any);
          bits = load_bits(at, type);
          if (is_nan(bits, type)) bits = float_format(type).nan();
        }
        ASSERT_EQ(combine(x[0], x[1], r), combine(x[1], x[0], r)) << name(type);
        ASSERT_EQ(combine(combine(x[0], x[1], r), x[2], r),
                  combine(x[0], combine(x[1], x[2], r), r));
      }
}

TEST(Reduce, InfinitiesFollowIeeeOrSaturate) {
  for (const ElementType type : half_floats) {
    const auto inf = encode_float(infinity, type), minus = encode_float(-infinity, type);
    EXPECT_EQ(combine(inf, encode_float(1, type), {type, ReduceOp::sum}), inf);
    EXPECT_TRUE(is_nan(combine(inf, minus, {type, ReduceOp::sum}), type));
    EXPECT_EQ(combine(minus, minus, {type, ReduceOp::prod}), inf);
    const auto largest = float_format(type).largest();
    EXPECT_EQ(combine(largest, largest, {type, ReduceOp::sum}), inf);
  }
  for (const ElementType type : eight_bit_floats) {
    const auto largest = float_format(type).largest();
    EXPECT_EQ(combine(largest, largest, {type, ReduceOp::sum}), largest);
    EXPECT_EQ(combine(largest, largest, {type, ReduceOp::prod}), largest);
  }
  const std::uint64_t e5m2_infinity = 0x7c;
  EXPECT_EQ(combine(e5m2_infinity, 0, {ElementType::f8e5m2, ReduceOp::max}), e5m2_infinity)
      << "max returns an operand's own bits";
}

TEST(Reduce, ScalarsAreConvertedNotReinterpreted) {
  EXPECT_EQ(convert_scalar(2.9, ElementType::int32), 2u);
  EXPECT_EQ(convert_scalar(-2.9, ElementType::int32), bits_of(std::int32_t{-2}));
  EXPECT_EQ(convert_scalar(-1, ElementType::uint8), 0u);
  EXPECT_EQ(convert_scalar(300, ElementType::uint8), 255u);
  EXPECT_EQ(convert_scalar(1e30, ElementType::int64), std::uint64_t{INT64_MAX});
  EXPECT_EQ(convert_scalar(1e30, ElementType::uint64), UINT64_MAX);
  EXPECT_EQ(convert_scalar(-1e30, ElementType::int64), std::uint64_t{1} << 63);
  EXPECT_EQ(convert_scalar(std::nan(""), ElementType::int8), 0u);
  EXPECT_EQ(convert_scalar(0.1, ElementType::float16), 0x2e66u);
  EXPECT_EQ(convert_scalar(0.1, ElementType::float32), bits_of(0.1f));
}

TEST(Reduce, AveragesTruncateTowardsZeroAndOneRankChangesNothing) {
  const auto divided = [](auto value, ElementType type, std::uint32_t by) {
    std::vector<std::byte> data(sizeof value);
    std::memcpy(data.data(), &value, sizeof value);
    divide(data, type, by);
    return load_bits(data.data(), type);
  };
  EXPECT_EQ(divided(std::int8_t{-7}, ElementType::int8, 2), bits_of(std::int8_t{-3}) | 0u);
  EXPECT_EQ(divided(std::int8_t{-128}, ElementType::int8, 3), bits_of(std::int8_t{-42}));
  EXPECT_EQ(divided(std::uint8_t{200}, ElementType::uint8, 3), 66u);
  EXPECT_EQ(divided(INT64_MIN, ElementType::int64, 2), bits_of(INT64_MIN / 2));
  EXPECT_EQ(divided(INT32_MIN, ElementType::int32, 200), bits_of(INT32_MIN / 200));
  EXPECT_EQ(divided(1.0f, ElementType::float32, 3), bits_of(1.0f / 3.0f));
  EXPECT_EQ(divided(std::uint8_t{0x7c}, ElementType::f8e5m2, 1), 0x7cu) << "by 1: unchanged";
}

TEST(Reduce, NeedsNoAlignmentAndTouchesNothingElse) {
  for (const ElementType type : all_types()) {
    const auto size = size_of(type).count;
    std::vector<std::byte> dst(3 * size + 2, std::byte{0xa5}), src(3 * size + 1, std::byte{1});
    const auto into = std::span(dst).subspan(1, 3 * size);
    std::fill(into.begin(), into.end(), std::byte{0});
    reduce_into(into, into, std::span(src).subspan(1), {type, ReduceOp::max});
    EXPECT_TRUE(std::equal(into.begin(), into.end(), src.begin() + 1)) << name(type);
    EXPECT_EQ(dst.front(), std::byte{0xa5});
    EXPECT_EQ(dst.back(), std::byte{0xa5});
  }
}

}  // namespace
}  // namespace ringside
