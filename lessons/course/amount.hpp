#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/result.hpp"

namespace ringside::lessons {

/// What a number counts: how it is written, and how it may be typed.
enum class Unit : std::uint8_t { none, bytes, time, bandwidth, percent, times, steps, whole };
/// `""` `bytes` `time` `bandwidth` `percent` `times` `steps` `int`.
Result<Unit> parse_unit(std::string_view text);

/// With four significant digits: `179.2 MB`, `7 GiB` (where that is shorter and exact), `16.1 ms`,
/// `25 GB/s`, `65.6 %`, `10.5x`; a plain number as `3.142`. `value` is bytes, seconds, bytes/s, a
/// share of 1, or a number.
std::string show(double value, Unit unit);

/// What a person types: `179.2 MB`, `1,000`, `16.1ms`, `450 GB/s`, `65.6%`, `10.5x`, and the same
/// in full-width characters. Bytes, times and bandwidths need a unit (0 does not); a bare percent
/// is in hundredths. Error: one sentence with an example.
Result<double> parse_amount(std::string_view text, Unit unit);

/// A variable's value in lesson.toml: `5`, `0.25`, `100MB`, `5us`, `25GB/s`, `65.6%`; exact. Whole
/// bytes, picoseconds, bytes/s.
struct Quantity {
  double value = 0;
  Unit unit = Unit::none;
};
Result<Quantity> parse_quantity(std::string_view text);

/// Whether a typed value is right. `tolerance` is a part of the truth; 0: equal, but for rounding
/// in the last of twelve digits.
bool is_near(double typed, double truth, double tolerance);

}  // namespace ringside::lessons
