#include "core/units.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdio>
#include <optional>
#include <span>

#include "core/assert.hpp"
#include "core/suggest.hpp"

namespace ringside {
namespace {

__extension__ using Wide = unsigned __int128;

struct Unit {
  std::string_view name;
  std::uint64_t factor;  ///< in the smallest unit
};

/// `number` / 10^decimals of a unit: what people write, without loss.
struct Quantity {
  std::uint64_t number = 0;
  int decimals = 0;
  std::string_view unit;
};

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

/// `1.5 us`: at most 19 digits, no sign, no exponent.
std::optional<Quantity> split(std::string_view text) {
  const auto first = text.find_first_not_of(' ');
  if (first == std::string_view::npos) return std::nullopt;
  text = text.substr(first, text.find_last_not_of(' ') - first + 1);
  Quantity q;
  std::size_t at = 0;
  int digits = 0;
  bool point = false;
  for (; at < text.size() && (is_digit(text[at]) || (text[at] == '.' && !point)); ++at) {
    if (text[at] == '.') {
      point = true;
      continue;
    }
    if (q.number > (UINT64_MAX - 9) / 10) return std::nullopt;
    q.number = q.number * 10 + static_cast<std::uint64_t>(text[at] - '0');
    q.decimals += point;
    ++digits;
  }
  if (digits == 0 || q.decimals > 18) return std::nullopt;
  q.unit = text.substr(at);
  q.unit.remove_prefix(std::min(q.unit.find_first_not_of(' '), q.unit.size()));
  return q;
}

constexpr std::uint64_t limit = std::uint64_t{1} << 62;
constexpr std::uint64_t K = 1'000, M = K * K, G = M * K, T = G * K;
constexpr std::uint64_t Ki = 1024, Mi = Ki * Ki, Gi = Mi * Ki, Ti = Gi * Ki;

/// The quantity in the smallest unit, rounded to the nearest whole; nothing if the unit is unknown
/// or the result does not fit. `exact` tells whether it had to be rounded.
std::optional<std::uint64_t> whole(const Quantity& q, std::span<const Unit> units, bool& exact) {
  const auto unit =
      std::find_if(units.begin(), units.end(), [&](const Unit& u) { return u.name == q.unit; });
  if (unit == units.end()) return std::nullopt;
  Wide power = 1;
  for (int i = 0; i < q.decimals; ++i) power *= 10;
  const Wide scaled = Wide{q.number} * unit->factor;
  exact = scaled % power == 0;
  const Wide rounded = (scaled + power / 2) / power;
  if (rounded >= limit) return std::nullopt;
  return static_cast<std::uint64_t>(rounded);
}

std::string with_unit(double value, std::string_view unit) {
  std::array<char, 64> text{};
  std::snprintf(text.data(), text.size(), "%.2f", value);
  std::string number(text.data());
  number.erase(number.find_last_not_of('0') + 1);
  if (number.back() == '.') number.pop_back();
  return number + " " + std::string(unit);
}

/// In the largest unit of which there is at least one.
std::string in_largest(std::uint64_t value, std::span<const Unit> units) {
  for (const Unit& u : units)
    if (value >= u.factor)
      return with_unit(static_cast<double>(value) / static_cast<double>(u.factor), u.name);
  return "0 " + std::string(units.back().name);
}

}  // namespace

Duration wire_time(Bytes size, Bandwidth bandwidth) {
  RS_ASSERT(bandwidth.bytes_per_second > 0, "a wire without bandwidth carries nothing");
  const auto picoseconds =
      (Wide{size.count} * T + bandwidth.bytes_per_second - 1) / bandwidth.bytes_per_second;
  return picoseconds > Wide{INT64_MAX} ? forever : Duration{static_cast<std::int64_t>(picoseconds)};
}

Result<Bytes> parse_bytes(std::string_view text) {
  static constexpr std::array<Unit, 14> units{{{"", 1},
                                               {"b", 1},
                                               {"k", Ki},
                                               {"m", Mi},
                                               {"g", Gi},
                                               {"t", Ti},
                                               {"kib", Ki},
                                               {"mib", Mi},
                                               {"gib", Gi},
                                               {"tib", Ti},
                                               {"kb", K},
                                               {"mb", M},
                                               {"gb", G},
                                               {"tb", T}}};
  auto quantity = split(text);
  std::string unit(quantity ? quantity->unit : "");
  for (char& c : unit) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  bool exact = false;
  if (quantity) quantity->unit = unit;
  const auto bytes = quantity ? whole(*quantity, units, exact) : std::nullopt;
  if (!bytes || !exact)
    return bad_request(in_quotes(text) +
                       " is not a size: expected a whole number of bytes such as 8, 64K, 1M, 8MiB "
                       "or 1GB, below 2^62");
  return Bytes{*bytes};
}

Result<Bandwidth> parse_bandwidth(std::string_view text) {
  // The case of b and B matters here: bits or bytes.
  static constexpr std::array<Unit, 20> units{
      {{"B/s", 1},        {"KB/s", K},       {"MB/s", M},     {"GB/s", G},       {"TB/s", T},
       {"KiB/s", Ki},     {"MiB/s", Mi},     {"GiB/s", Gi},   {"TiB/s", Ti},     {"Kb/s", K / 8},
       {"Mb/s", M / 8},   {"Gb/s", G / 8},   {"Tb/s", T / 8}, {"Kbit/s", K / 8}, {"Mbit/s", M / 8},
       {"Gbit/s", G / 8}, {"Tbit/s", T / 8}, {"Mbps", M / 8}, {"Gbps", G / 8},   {"Tbps", T / 8}}};
  const auto quantity = split(text);
  bool exact = false;
  const auto rate = quantity ? whole(*quantity, units, exact) : std::nullopt;
  if (!rate || *rate == 0)
    return bad_request(
        in_quotes(text) +
        " is not a bandwidth: expected a positive rate such as 25GB/s, 400Gb/s or 900MB/s");
  return Bandwidth{*rate};
}

Result<Duration> parse_duration(std::string_view text) {
  static constexpr std::array<Unit, 6> units{
      {{"ps", 1}, {"ns", K}, {"us", M}, {"ms", G}, {"s", T}, {"min", 60 * T}}};
  const auto quantity = split(text);
  if (quantity && quantity->number == 0 && quantity->unit.empty()) return Duration{};
  bool exact = false;
  const auto picoseconds = quantity ? whole(*quantity, units, exact) : std::nullopt;
  if (!picoseconds)
    return bad_request(in_quotes(text) +
                       " is not a duration: expected zero or more such as 1.5us, 500ns or 2ms, "
                       "below 53 days");
  return Duration{static_cast<std::int64_t>(*picoseconds)};
}

Result<double> parse_share(std::string_view text) {
  static constexpr std::uint64_t in_billionths = 10'000'000;
  static constexpr std::array<Unit, 1> units{{{"%", in_billionths}}};
  const auto quantity = split(text);
  bool exact = false;
  const auto billionths = quantity ? whole(*quantity, units, exact) : std::nullopt;
  if (!billionths || *billionths > 100 * in_billionths)
    return bad_request(in_quotes(text) + " is not a share: expected 0% to 100%, such as 5%");
  return static_cast<double>(*billionths) * 1e-9;
}

std::string to_string(Bytes size) {
  static constexpr std::array<Unit, 4> units{{{"TiB", Ti}, {"GiB", Gi}, {"MiB", Mi}, {"KiB", Ki}}};
  static constexpr std::array<std::string_view, 4> quarters{"", ".25", ".5", ".75"};
  for (const Unit& u : units)  // only where it is exact
    if (size.count >= u.factor && size.count % (u.factor / 4) == 0)
      return std::to_string(size.count / u.factor)
          .append(quarters[size.count / (u.factor / 4) % 4])
          .append(" ")
          .append(u.name);
  return std::to_string(size.count) + " B";
}

std::string to_string(Bandwidth bandwidth) {
  static constexpr std::array<Unit, 4> units{{{"GB/s", G}, {"MB/s", M}, {"KB/s", K}, {"B/s", 1}}};
  return in_largest(bandwidth.bytes_per_second, units);
}

std::string to_string(Duration duration) {
  static constexpr std::array<Unit, 5> units{
      {{"s", T}, {"ms", G}, {"us", M}, {"ns", K}, {"ps", 1}}};
  if (duration.picoseconds == 0) return "0 us";
  const bool negative = duration.picoseconds < 0;
  const auto magnitude = negative ? 0 - static_cast<std::uint64_t>(duration.picoseconds)
                                  : static_cast<std::uint64_t>(duration.picoseconds);
  return (negative ? "-" : "") + in_largest(magnitude, units);
}

std::string in_microseconds(Duration duration) {
  constexpr std::uint64_t picoseconds = M;  // in one microsecond
  const bool negative = duration.picoseconds < 0;
  const auto magnitude = negative ? 0 - static_cast<std::uint64_t>(duration.picoseconds)
                                  : static_cast<std::uint64_t>(duration.picoseconds);
  auto rest = std::to_string(picoseconds + magnitude % picoseconds).substr(1);
  rest.erase(rest.find_last_not_of('0') + 1);
  return (negative ? "-" : "") + std::to_string(magnitude / picoseconds) +
         (rest.empty() ? "" : "." + rest) + " us";
}

}  // namespace ringside
