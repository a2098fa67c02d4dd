#include "core/units.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <optional>
#include <span>

#include "core/assert.hpp"

namespace ringside {
namespace {

struct Unit {
  std::string_view name;
  double factor;
};

struct Quantity {
  double value;
  std::string unit;
};

std::optional<Quantity> split(std::string_view text) {
  const auto first = text.find_first_not_of(' ');
  if (first == std::string_view::npos) return std::nullopt;
  text = text.substr(first, text.find_last_not_of(' ') - first + 1);
  Quantity q{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), q.value);
  if (error != std::errc{} || !std::isfinite(q.value)) return std::nullopt;
  q.unit.assign(end, text.data() + text.size());
  q.unit.erase(0, q.unit.find_first_not_of(' '));
  return q;
}

std::string lower(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return std::tolower(c); });
  return text;
}

std::optional<double> factor(std::string_view unit, std::span<const Unit> units) {
  for (const auto& u : units)
    if (u.name == unit) return u.factor;
  return std::nullopt;
}

constexpr double Ki = 1024, Mi = Ki * 1024, Gi = Mi * 1024, Ti = Gi * 1024;
constexpr double limit = 4611686018427387904.0;  // 2^62

std::string with_unit(double value, std::string_view unit) {
  std::array<char, 64> text{};
  std::snprintf(text.data(), text.size(), "%.2f", value);
  std::string number(text.data());
  number.erase(number.find_last_not_of('0') + 1);
  if (number.back() == '.') number.pop_back();
  return number + " " + std::string(unit);
}

}  // namespace

Duration wire_time(Bytes size, Bandwidth bandwidth) {
  RS_ASSERT(bandwidth.bytes_per_second > 0, "a wire without bandwidth carries nothing");
  const auto picoseconds = (static_cast<unsigned __int128>(size.count) * 1'000'000'000'000u +
                            bandwidth.bytes_per_second - 1) /
                           bandwidth.bytes_per_second;
  return picoseconds > static_cast<unsigned __int128>(INT64_MAX)
             ? forever
             : Duration{static_cast<std::int64_t>(picoseconds)};
}

Result<Bytes> parse_bytes(std::string_view text) {
  static constexpr std::array<Unit, 15> units{{{"", 1},
                                               {"b", 1},
                                               {"k", Ki},
                                               {"m", Mi},
                                               {"g", Gi},
                                               {"t", Ti},
                                               {"kib", Ki},
                                               {"mib", Mi},
                                               {"gib", Gi},
                                               {"tib", Ti},
                                               {"kb", 1e3},
                                               {"mb", 1e6},
                                               {"gb", 1e9},
                                               {"tb", 1e12},
                                               {"bytes", 1}}};
  const auto quantity = split(text);
  const auto scale = quantity ? factor(lower(quantity->unit), units) : std::nullopt;
  const double bytes = scale ? quantity->value * *scale : -1;
  if (!(bytes >= 0 && bytes < limit) || bytes != std::floor(bytes))
    return bad_request(
        "\"" + std::string(text.substr(0, 64)) +
        "\" is not a size: expected a whole number of bytes such as 8, 64K, 1M, 8MiB or 1GB");
  return Bytes{static_cast<std::uint64_t>(bytes)};
}

Result<Bandwidth> parse_bandwidth(std::string_view text) {
  // The case of b and B matters here: bits or bytes.
  static constexpr std::array<Unit, 16> units{{{"B/s", 1},
                                               {"KB/s", 1e3},
                                               {"MB/s", 1e6},
                                               {"GB/s", 1e9},
                                               {"TB/s", 1e12},
                                               {"KiB/s", Ki},
                                               {"MiB/s", Mi},
                                               {"GiB/s", Gi},
                                               {"TiB/s", Ti},
                                               {"Kb/s", 125},
                                               {"Mb/s", 125e3},
                                               {"Gb/s", 125e6},
                                               {"Tb/s", 125e9},
                                               {"Mbit/s", 125e3},
                                               {"Gbit/s", 125e6},
                                               {"Tbit/s", 125e9}}};
  const auto quantity = split(text);
  const auto scale = quantity ? factor(quantity->unit, units) : std::nullopt;
  const double rate = scale ? std::round(quantity->value * *scale) : 0;
  if (!(rate >= 1 && rate < limit))
    return bad_request(
        "\"" + std::string(text.substr(0, 64)) +
        "\" is not a bandwidth: expected a positive rate such as 25GB/s, 400Gb/s or 900MB/s");
  return Bandwidth{static_cast<std::uint64_t>(rate)};
}

Result<Duration> parse_duration(std::string_view text) {
  static constexpr std::array<Unit, 5> units{
      {{"ps", 1}, {"ns", 1e3}, {"us", 1e6}, {"ms", 1e9}, {"s", 1e12}}};
  const auto quantity = split(text);
  const bool zero = quantity && quantity->value == 0 && quantity->unit.empty();
  const auto scale = quantity && !zero ? factor(quantity->unit, units) : std::nullopt;
  const double picoseconds = zero ? 0 : scale ? std::round(quantity->value * *scale) : -1;
  if (!(picoseconds >= 0 && picoseconds < limit))
    return bad_request("\"" + std::string(text.substr(0, 64)) +
                       "\" is not a duration: expected zero or more such as 1.5us, 500ns or 2ms");
  return Duration{static_cast<std::int64_t>(picoseconds)};
}

std::string to_string(Bytes size) {
  static constexpr std::array<Unit, 4> units{{{"TiB", Ti}, {"GiB", Gi}, {"MiB", Mi}, {"KiB", Ki}}};
  const auto value = static_cast<double>(size.count);
  for (const auto& u : units)
    if (value >= u.factor && std::fmod(value * 4, u.factor) == 0)
      return with_unit(value / u.factor, u.name);
  return std::to_string(size.count) + " B";
}

std::string to_string(Bandwidth bandwidth) {
  static constexpr std::array<Unit, 3> units{{{"GB/s", 1e9}, {"MB/s", 1e6}, {"KB/s", 1e3}}};
  const auto value = static_cast<double>(bandwidth.bytes_per_second);
  for (const auto& u : units)
    if (value >= u.factor) return with_unit(value / u.factor, u.name);
  return with_unit(value, "B/s");
}

std::string to_string(Duration duration) {
  static constexpr std::array<Unit, 4> units{{{"s", 1e12}, {"ms", 1e9}, {"us", 1e6}, {"ns", 1e3}}};
  const auto value = static_cast<double>(duration.picoseconds);
  for (const auto& u : units)
    if (std::abs(value) >= u.factor) return with_unit(value / u.factor, u.name);
  return with_unit(value, value == 0 ? "us" : "ps");
}

}  // namespace ringside
