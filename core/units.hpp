#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <string_view>

#include "core/result.hpp"

namespace ringside {

/// A number of bytes.
struct Bytes {
  std::uint64_t count = 0;
  friend constexpr auto operator<=>(Bytes, Bytes) = default;
  friend constexpr Bytes operator+(Bytes a, Bytes b) { return {a.count + b.count}; }
  friend constexpr Bytes operator-(Bytes a, Bytes b) { return {a.count - b.count}; }
  friend constexpr Bytes operator*(std::uint64_t n, Bytes b) { return {n * b.count}; }
  constexpr Bytes& operator+=(Bytes b) {
    count += b.count;
    return *this;
  }
};

/// A span of simulated or measured time in whole picoseconds (up to 106 days).
struct Duration {
  std::int64_t picoseconds = 0;
  friend constexpr auto operator<=>(Duration, Duration) = default;
  friend constexpr Duration operator+(Duration a, Duration b) {
    return {a.picoseconds + b.picoseconds};
  }
  friend constexpr Duration operator-(Duration a, Duration b) {
    return {a.picoseconds - b.picoseconds};
  }
  friend constexpr Duration operator*(std::int64_t n, Duration d) { return {n * d.picoseconds}; }
  constexpr Duration& operator+=(Duration d) {
    picoseconds += d.picoseconds;
    return *this;
  }
  constexpr double microseconds() const { return static_cast<double>(picoseconds) / 1e6; }
  constexpr double seconds() const { return static_cast<double>(picoseconds) / 1e12; }
};
using TimePoint = Duration;  ///< time since the start of a run

constexpr Duration nanoseconds(std::int64_t n) {
  return {n * 1'000};
}
constexpr Duration microseconds(std::int64_t n) {
  return {n * 1'000'000};
}

/// Bytes per second, one direction.
struct Bandwidth {
  std::uint64_t bytes_per_second = 0;
  friend constexpr auto operator<=>(Bandwidth, Bandwidth) = default;
  constexpr double gigabytes_per_second() const {
    return static_cast<double>(bytes_per_second) * 1e-9;
  }
};

constexpr Bytes operator""_B(unsigned long long n) {
  return {n};
}
constexpr Bytes operator""_KiB(unsigned long long n) {
  return {n << 10};
}
constexpr Bytes operator""_MiB(unsigned long long n) {
  return {n << 20};
}
constexpr Bytes operator""_GiB(unsigned long long n) {
  return {n << 30};
}
constexpr Bandwidth operator""_GBps(unsigned long long n) {
  return {n * 1'000'000'000};
}
constexpr Duration operator""_us(unsigned long long n) {
  return microseconds(static_cast<std::int64_t>(n));
}
constexpr Duration operator""_ns(unsigned long long n) {
  return nanoseconds(static_cast<std::int64_t>(n));
}

/// The longest Duration; sums of shorter ones must stay below it.
inline constexpr Duration forever{INT64_MAX};

/// Time that `size` occupies a wire of `bandwidth` (> 0): size / bandwidth, rounded up to whole
/// picoseconds. Saturates at `forever`.
Duration wire_time(Bytes size, Bandwidth bandwidth);

/// Data sizes: `8`, `64K` `1M` `2G` (binary, as nccl-tests), `8MiB` (binary), `8MB` (decimal),
/// `0.5MiB`. Any case. Exact: refuses fractions of a byte, and what is negative, not a plain
/// decimal number, or not below 2^62.
Result<Bytes> parse_bytes(std::string_view text);
/// Bandwidths: `25GB/s`, `25GiB/s`, `400Gb/s`, `400Gbit/s`, `400Gbps`, `900MB/s`; B is bytes, b is
/// bits. Positive; the unit is required; rounded to whole bytes a second.
Result<Bandwidth> parse_bandwidth(std::string_view text);
/// Durations: `1.5us`, `500ns`, `2ms`, `1s`, `5min`, `250ps`. Zero or more; the unit is required
/// unless zero; rounded to whole picoseconds.
Result<Duration> parse_duration(std::string_view text);
/// Shares: `10%`, `0.5%`: 0.1, 0.005. From 0 to 100 %; the sign is required.
Result<double> parse_share(std::string_view text);

std::string to_string(Bytes size);               ///< exact: `1 MiB`, `1.5 KiB`, `1000 B`
std::string to_string(Bandwidth bandwidth);      ///< two decimals: `25 GB/s`
std::string to_string(Duration duration);        ///< two decimals: `593.56 us`, `86.07 ms`
std::string in_microseconds(Duration duration);  ///< exact: `593.5584 us`

}  // namespace ringside
