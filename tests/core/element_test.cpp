#include "core/element.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

namespace ringside {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double nan = std::numeric_limits<double>::quiet_NaN();

struct Narrow {
  ElementType type;
  int exponent_bits, fraction_bits;
  double largest, smallest_denormal;
  bool has_infinity, saturates;
};
// Largest and smallest values as the formats' papers print them, not as our code computes them.
const std::vector<Narrow> narrow_formats{
    {ElementType::float16, 5, 10, 65504, 0x1p-24, true, false},
    {ElementType::bfloat16, 8, 7, 0x1.fep127, 0x1p-133, true, false},
    {ElementType::f8e4m3, 4, 3, 448, 0x1p-9, false, true},
    {ElementType::f8e5m2, 5, 2, 57344, 0x1p-16, true, true},
};

/// Every positive finite value of a format, smallest first, by counting up from zero: the step
/// doubles whenever the significand has grown to twice its size.
std::vector<double> counted_values(const Narrow& f) {
  std::vector<double> values;
  double step = f.smallest_denormal, value = 0;
  int in_binade = 0, length = 2 << f.fraction_bits;
  while (value <= f.largest) {
    values.push_back(value);
    value += step;
    if (++in_binade == length) in_binade = 0, length = 1 << f.fraction_bits, step *= 2;
  }
  return values;
}

std::uint64_t sign(const Narrow& f) {
  return std::uint64_t{1} << (f.exponent_bits + f.fraction_bits);
}

TEST(Element, PatternsCountUpThroughAllValues) {
  for (const Narrow& f : narrow_formats) {
    const auto values = counted_values(f);
    EXPECT_EQ(values.back(), f.largest) << name(f.type);
    for (std::uint64_t bits = 0; bits < values.size(); ++bits) {
      ASSERT_EQ(decode_float(bits, f.type), values[bits]) << name(f.type) << " " << bits;
      ASSERT_EQ(decode_float(bits | sign(f), f.type), -values[bits]) << name(f.type) << " " << bits;
    }
    for (std::uint64_t bits = values.size(); bits < sign(f); ++bits) {
      const bool is_infinity = f.has_infinity && bits == values.size();
      ASSERT_EQ(std::isinf(decode_float(bits, f.type)), is_infinity) << name(f.type) << " " << bits;
      ASSERT_EQ(std::isnan(decode_float(bits, f.type)), !is_infinity)
          << name(f.type) << " " << bits;
    }
  }
}

TEST(Element, EveryPatternSurvivesTheWayThroughDouble) {
  for (const Narrow& f : narrow_formats)
    for (std::uint64_t bits = 0; bits < 2 * sign(f); ++bits) {
      const double value = decode_float(bits, f.type);
      if (std::isnan(value))
        EXPECT_TRUE(std::isnan(decode_float(encode_float(value, f.type), f.type)));
      else if (std::isinf(value) && f.saturates)
        EXPECT_EQ(decode_float(encode_float(value, f.type), f.type),
                  std::copysign(f.largest, value));
      else
        ASSERT_EQ(encode_float(value, f.type), bits) << name(f.type);
    }
}

TEST(Element, RoundsToNearestAndTiesToEven) {
  for (const Narrow& f : narrow_formats) {
    const auto values = counted_values(f);
    for (std::uint64_t low = 0; low + 1 < values.size(); ++low) {
      const double middle = (values[low] + values[low + 1]) / 2;
      const auto even = low % 2 == 0 ? low : low + 1;
      for (const std::uint64_t s : {std::uint64_t{0}, sign(f)}) {
        const double negated = s ? -1 : 1;
        ASSERT_EQ(encode_float(negated * middle, f.type), s | even) << name(f.type) << " " << low;
        ASSERT_EQ(encode_float(negated * std::nextafter(middle, 0), f.type), s | low);
        ASSERT_EQ(encode_float(negated * std::nextafter(middle, infinity), f.type), s | (low + 1));
      }
    }
  }
}

TEST(Element, TooLargeIsInfinityOrSaturates) {
  for (const Narrow& f : narrow_formats) {
    const double beyond = f.saturates ? f.largest : infinity;
    const double last_step = f.largest - counted_values(f).end()[-2];
    EXPECT_EQ(decode_float(encode_float(f.largest + last_step * 0.49, f.type), f.type), f.largest);
    for (const double large : {f.largest + last_step * 0.5, f.largest * 2, 1e300, infinity}) {
      EXPECT_EQ(decode_float(encode_float(large, f.type), f.type), beyond) << name(f.type);
      EXPECT_EQ(decode_float(encode_float(-large, f.type), f.type), -beyond) << name(f.type);
    }
  }
}

TEST(Element, NanAndZerosKeepTheirKind) {
  for (const ElementType type : {ElementType::float16, ElementType::bfloat16, ElementType::float32,
                                 ElementType::float64, ElementType::f8e4m3, ElementType::f8e5m2}) {
    EXPECT_TRUE(std::isnan(decode_float(encode_float(nan, type), type))) << name(type);
    EXPECT_EQ(encode_float(nan, type), encode_float(-nan, type)) << "one NaN only";
    EXPECT_EQ(encode_float(0.0, type), 0u);
    EXPECT_TRUE(std::signbit(decode_float(encode_float(-0.0, type), type))) << name(type);
    EXPECT_EQ(encode_float(1e-320, type) != 0, type == ElementType::float64) << name(type);
  }
  EXPECT_EQ(encode_float(nan, ElementType::f8e4m3), 0x7fu);
  EXPECT_EQ(encode_float(nan, ElementType::f8e5m2), 0x7eu);
  EXPECT_EQ(encode_float(nan, ElementType::float16), 0x7e00u);
  EXPECT_EQ(encode_float(nan, ElementType::bfloat16), 0x7fc0u);
}

TEST(Element, FloatAgreesWithTheProcessor) {
  std::mt19937_64 random(7);
  for (int i = 0; i < 200'000; ++i) {
    // Any double; and, since few of those fit a float, one near a float.
    const double any = std::bit_cast<double>(random());
    const auto near =
        static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(random())));
    for (const double value : {any, near, near * (1 + 0x1p-24), near * (1 + 0x1p-25)}) {
      if (std::isnan(value)) continue;
      ASSERT_EQ(encode_float(value, ElementType::float32),
                std::bit_cast<std::uint32_t>(static_cast<float>(value)))
          << value;
    }
    if (!std::isnan(any)) {
      ASSERT_EQ(std::bit_cast<double>(encode_float(any, ElementType::float64)), any);
    }
  }
}

TEST(Element, NamesParseBackAndStrangersGetASuggestion) {
  for (std::size_t i = 0; i < element_type_count; ++i) {
    const auto type = static_cast<ElementType>(i);
    EXPECT_EQ(parse_element_type(name(type)).value(), type);
  }
  for (std::size_t i = 0; i < reduce_op_count; ++i) {
    const auto op = static_cast<ReduceOp>(i);
    EXPECT_EQ(parse_reduce_op(name(op)).value(), op);
  }
  for (const auto* text : {"fp16", "float16"})
    EXPECT_EQ(parse_element_type(text).value(), ElementType::float16);
  for (const auto* text : {"fp32", "float32"})
    EXPECT_EQ(parse_element_type(text).value(), ElementType::float32);
  for (const auto* text : {"fp64", "float64"})
    EXPECT_EQ(parse_element_type(text).value(), ElementType::float64);
  EXPECT_EQ(parse_element_type("bf16").value(), ElementType::bfloat16);
  const auto unknown_type = parse_element_type("flaot");
  ASSERT_FALSE(unknown_type);
  EXPECT_NE(unknown_type.error().message.find("float"), std::string::npos);
  const auto unknown_op = parse_reduce_op("summ");
  ASSERT_FALSE(unknown_op);
  EXPECT_EQ(unknown_op.error().kind, ErrorKind::request);
  EXPECT_NE(unknown_op.error().message.find("did you mean sum?"), std::string::npos);
  EXPECT_FALSE(parse_element_type(""));
}

TEST(Element, ReadsAsPeopleWriteNumbers) {
  EXPECT_EQ(element_to_string(0xff, ElementType::int8), "-1");
  EXPECT_EQ(element_to_string(0xff, ElementType::uint8), "255");
  EXPECT_EQ(element_to_string(0x80000000, ElementType::int32), "-2147483648");
  EXPECT_EQ(element_to_string(~std::uint64_t{0}, ElementType::uint64), "18446744073709551615");
  EXPECT_EQ(element_to_string(0x3c00, ElementType::float16), "1");
  EXPECT_EQ(element_to_string(0x7e, ElementType::f8e4m3), "448");
}

}  // namespace
}  // namespace ringside
