#include "core/data_inputs.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <span>

#include "core/reduce.hpp"

namespace ringside::data {
namespace {

std::uint64_t truncated(std::uint64_t bits, ElementType type) {
  const auto unused = 64 - 8 * size_of(type).count;
  return bits << unused >> unused;
}

std::uint64_t top_bit(ElementType type) {
  return std::uint64_t{1} << (8 * size_of(type).count - 1);
}

/// A real in [0, 1).
double unit(std::uint64_t hash) {
  return static_cast<double>(hash >> 11) * 0x1p-53;
}

/// The largest |sum| of an exact set, in units of the last place: half of what the significand
/// holds, so that even a contribution added twice does not round away.
std::uint64_t largest_sum(ElementType type) {
  return std::uint64_t{1} << (float_format(type).precision() - 1);
}

std::uint64_t exact_addend(const Problem& problem, const Place& place) {
  if (place.position >= capacity(problem)) return encode_float(0, problem.type);
  const auto active = std::min(place.ranks, capacity(problem));
  const auto most = std::max<std::uint64_t>(1, largest_sum(problem.type) / ((active + 1) / 2));
  const auto magnitude = static_cast<double>(1 + place.hash % most);
  const bool negative = (place.position + place.element_hash) % 2 == 1;
  const int exponent = static_cast<int>(place.element_hash / 2 % 7) - 3;
  return encode_float(std::ldexp(negative ? -magnitude : magnitude, exponent), problem.type);
}

/// One rank has a full significand; a few have powers of two, up and down in turn; the rest turn
/// the sign. Every partial product is exact and none is far from 1.
std::uint64_t exact_factor(const Problem& problem, const Place& place) {
  const double sign = place.hash >> 63 ? -1 : 1;
  const auto powers = problem.type == ElementType::f8e4m3 ? 6u : 12u;
  if (place.position == 0) {
    const auto unit_significand = std::uint64_t{1} << float_format(problem.type).fraction_bits;
    const auto fraction = 1 + place.hash % (unit_significand - 1);
    return encode_float(
        sign * (1 + static_cast<double>(fraction) / static_cast<double>(unit_significand)),
        problem.type);
  }
  if (place.position > powers) return encode_float(-1, problem.type);
  return encode_float(sign * (place.position % 2 ? 2 : 0.5), problem.type);
}

/// The type's finite values in ascending order, by number; -0 is left out.
std::uint64_t nth_value(std::uint64_t n, ElementType type) {
  if (!is_floating(type)) return is_signed(type) ? n ^ top_bit(type) : n;
  const auto largest = float_format(type).largest();
  return n < largest ? top_bit(type) | (largest - n) : n - largest;
}

/// One rank's element wins by far; who it is rotates with the element.
std::uint64_t exact_contestant(const Problem& problem, const Place& place) {
  const auto last = is_floating(problem.type) ? 2 * float_format(problem.type).largest()
                                              : truncated(UINT64_MAX, problem.type);
  const auto winners = last / 8;
  const auto n = place.position == 0 ? last - place.hash % winners : place.hash % (last - winners);
  return nth_value(problem.op == ReduceOp::max ? n : last - n, problem.type);
}

std::uint64_t exact_integer(const Problem& problem, const Place& place) {
  const auto bits = truncated(place.hash, problem.type);
  switch (problem.op) {
    case ReduceOp::prod:  // odd, so that nothing is lost; not 1, so that it matters
      return (bits | 1) == 1 ? 3 : bits | 1;
    case ReduceOp::mulsum:
      return bits | 1;
    default:
      return bits == 0 ? 1 : bits;
  }
}

// Special elements: what the first rank of the rotation has, what the second, and what all others.
// Only the first two matter to a sum or product, so no order can overflow that another does not.
struct Trio {
  double first, second, others;
};
constexpr double inf = std::numeric_limits<double>::infinity();
constexpr double nan = std::numeric_limits<double>::quiet_NaN();
// Stand-ins that become the type's own when they are looked up.
constexpr double largest = 1e300, tiny = 1e-300;

constexpr std::array<Trio, 10> addends{{{nan, 1, 0},
                                        {-0.0, -0.0, -0.0},
                                        {-0.0, 0, -0.0},
                                        {tiny, tiny, 0},
                                        {largest, largest, 0},
                                        {-largest, -largest, 0},
                                        {largest, -largest, 0},
                                        {inf, 1, 0},
                                        {inf, -inf, 0},
                                        {nan, -inf, 0}}};
constexpr std::array<Trio, 10> factors{{{nan, 1, 1},
                                        {-0.0, 2, 1},
                                        {-0.0, -1, 1},
                                        {tiny, 0.5, 1},
                                        {tiny, -1, -1},
                                        {largest, 2, -1},
                                        {largest, largest, 1},
                                        {inf, 2, 1},
                                        {inf, -0.0, 1},
                                        {-inf, -inf, -1}}};
constexpr std::array<Trio, 10> contestants{{{nan, 1, 2},
                                            {nan, nan, nan},
                                            {nan, nan, -1},
                                            {-0.0, 0, -0.0},
                                            {tiny, -tiny, 0},
                                            {largest, -largest, tiny},
                                            {1, 1, 1},
                                            {inf, -inf, 0},
                                            {nan, inf, -inf},
                                            {-inf, -inf, nan}}};
constexpr std::size_t trios_without_infinity = 7;

std::uint64_t special_float(double value, ElementType type) {
  const bool negative = std::signbit(value);
  if (std::abs(value) == largest)
    return (negative ? top_bit(type) : 0) | float_format(type).largest();
  if (std::abs(value) == tiny) return (negative ? top_bit(type) : 0) | 1;
  if (std::isinf(value))  // encode_float would saturate f8e5m2
    return (negative ? top_bit(type) : 0) | (float_format(type).largest() + 1);
  return encode_float(value, type);
}

/// f8e4m3 has none; in f8e5m2 what becomes of one depends on the order (sums saturate) and on
/// whether an executor compares through another type.
bool infinities_make_sense(ElementType type) {
  return float_format(type).has_infinity && !float_format(type).saturates;
}

}  // namespace

std::uint32_t capacity(const Problem& problem) {
  if (problem.op == ReduceOp::min || problem.op == ReduceOp::max) return 1;
  if (!problem.adds() || !is_floating(problem.type)) return problem.spec.ranks;
  return static_cast<std::uint32_t>(
      std::min<std::uint64_t>(problem.spec.ranks, 2 * largest_sum(problem.type)));
}

std::uint64_t exact_element(const Problem& problem, const Place& place) {
  if (problem.op == ReduceOp::min || problem.op == ReduceOp::max)
    return exact_contestant(problem, place);
  if (!is_floating(problem.type)) return exact_integer(problem, place);
  return problem.adds() ? exact_addend(problem, place) : exact_factor(problem, place);
}

std::uint64_t real_element(const Problem& problem, const Place& place) {
  if (!is_floating(problem.type) || !(problem.adds() || problem.op == ReduceOp::prod))
    return exact_element(problem, place);
  const double symmetric = 2 * unit(place.hash) - 1;
  if (problem.adds())
    return encode_float(std::ldexp(symmetric, static_cast<int>(place.hash % 5) - 2), problem.type);
  const double width = std::min(0.5, 4.0 / place.ranks);  // keeps all products within [1/16, 16]
  const double sign = place.hash & 1 ? -1 : 1;
  return encode_float(sign * std::exp2(width * symmetric), problem.type);
}

std::uint64_t special_element(const Problem& problem, const Place& place, std::uint64_t index) {
  if (!is_floating(problem.type)) {
    const std::uint64_t least = top_bit(problem.type), all = truncated(UINT64_MAX, problem.type);
    const std::array<std::array<std::uint64_t, 3>, 5> corners{{{least, least - 1, 0},
                                                               {least, least, 1},
                                                               {least, all, all},
                                                               {least - 1, 1, 0},
                                                               {all, 0, least}}};
    return corners[index % corners.size()][std::min(place.position, 2u)];
  }
  const std::span<const Trio> all = problem.adds()                 ? addends
                                    : problem.op == ReduceOp::prod ? factors
                                                                   : contestants;
  const auto known = infinities_make_sense(problem.type) ? all.size() : trios_without_infinity;
  const Trio& trio = all[index % known];
  const double values[] = {trio.first, trio.second, trio.others};
  return special_float(values[std::min(place.position, 2u)], problem.type);
}

std::uint64_t copied_element(const Problem& problem, std::uint64_t element_hash, Rank rank) {
  return truncated(element_hash + rank.value * 0x9e3779b97f4a7c15u, problem.type);
}

}  // namespace ringside::data
