#include "lessons/course/amount.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <span>

#include "core/suggest.hpp"
#include "core/units.hpp"

namespace ringside::lessons {
namespace {

constexpr std::string_view unit_names[] = {"",        "bytes", "time",  "bandwidth",
                                           "percent", "times", "steps", "int"};

struct Scale {
  std::string_view name;
  double size;
};
constexpr double kibi = 1024, kilo = 1000;
constexpr Scale sizes[] = {{"B", 1},
                           {"KB", kilo},
                           {"MB", 1e6},
                           {"GB", 1e9},
                           {"TB", 1e12},
                           {"KiB", kibi},
                           {"MiB", kibi* kibi},
                           {"GiB", kibi* kibi* kibi},
                           {"TiB", kibi* kibi* kibi* kibi},
                           {"byte", 1},
                           {"bytes", 1},
                           {"字节", 1}};
constexpr Scale times[] = {{"ps", 1e-12},  {"ns", 1e-9},   {"us", 1e-6}, {"µs", 1e-6},
                           {"μs", 1e-6},   {"ms", 1e-3},   {"s", 1},     {"min", 60},
                           {"微秒", 1e-6}, {"毫秒", 1e-3}, {"秒", 1}};
constexpr Scale bandwidths[] = {{"B/s", 1},
                                {"KB/s", kilo},
                                {"MB/s", 1e6},
                                {"GB/s", 1e9},
                                {"TB/s", 1e12},
                                {"MiB/s", kibi* kibi},
                                {"GiB/s", kibi* kibi* kibi},
                                {"Mb/s", 1e6 / 8},
                                {"Gb/s", 1e9 / 8},
                                {"Gbit/s", 1e9 / 8},
                                {"Gbps", 1e9 / 8},
                                {"GBps", 1e9}};
constexpr Scale percents[] = {{"%", 0.01}, {"percent", 0.01}, {"", 0.01}};
constexpr Scale factors[] = {{"x", 1}, {"times", 1}, {"×", 1}, {"倍", 1}, {"", 1}};
constexpr Scale steps[] = {{"steps", 1}, {"step", 1}, {"步", 1}, {"", 1}};
constexpr Scale bare[] = {{"", 1}};

struct Manner {
  std::span<const Scale> scales;
  std::string_view example;
};
Manner manner(Unit unit) {
  switch (unit) {
    case Unit::bytes:
      return {sizes, "a size with its unit, such as 12.5 MB or 3 GiB"};
    case Unit::time:
      return {times, "a time with its unit, such as 1.5 ms or 20 us"};
    case Unit::bandwidth:
      return {bandwidths, "a bandwidth with its unit, such as 25 GB/s"};
    case Unit::percent:
      return {percents, "a percentage, such as 12.5 %"};
    case Unit::times:
      return {factors, "a factor, such as 2.5x"};
    case Unit::steps:
      return {steps, "a number of steps, such as 6"};
    case Unit::none:
    case Unit::whole:
      break;
  }
  return {bare, "a number, such as 12 or 0.5"};
}

/// Full-width letters, digits and signs, which Chinese keyboards type, as ASCII.
std::string halved(std::string_view text) {
  std::string narrow;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto byte = [&](std::size_t at) { return static_cast<unsigned char>(text[at]); };
    const bool is_wide =
        i + 2 < text.size() && byte(i) == 0xef && (byte(i + 1) == 0xbc || byte(i + 1) == 0xbd);
    const unsigned code = is_wide ? (byte(i + 1) & 3u) << 6 | (byte(i + 2) & 0x3fu) : 0;
    if (is_wide && code >= 1 && code <= 0x5e) {  // U+FF01 to U+FF5E: `!` to `~`
      narrow += static_cast<char>(0x20 + code);
      i += 2;
    } else {
      narrow += text[i];
    }
  }
  return narrow;
}

std::string without(std::string text, std::string_view unwanted) {
  std::erase_if(text, [&](char c) { return unwanted.find(c) != unwanted.npos; });
  return text;
}

bool same_letters(std::string_view a, std::string_view b) {
  const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; };
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [&](char x, char y) { return lower(x) == lower(y); });
}

const Scale* find(std::span<const Scale> scales, std::string_view name) {
  for (const Scale& scale : scales)
    if (scale.name == name) return &scale;
  for (const Scale& scale : scales)  // `mb`, `GIB`; but Gb/s and GB/s differ
    if (&scales.front() != &bandwidths[0] && same_letters(scale.name, name)) return &scale;
  return nullptr;
}

/// Four significant digits, and no exponent where there is no need of one.
std::string four_digits(double value) {
  if (value == 0) return "0";
  const double size = std::abs(value);
  if (!std::isfinite(value) || size >= 1e15 || size < 1e-5) return fmt::format("{:.4g}", value);
  const int before = static_cast<int>(std::floor(std::log10(size))) + 1;
  auto text = fmt::format("{:.{}f}", value, std::max(0, 4 - before));
  if (text.find('.') == text.npos) return text;
  while (text.ends_with('0')) text.pop_back();
  if (text.ends_with('.')) text.pop_back();
  return text;
}

std::string with_scale(double value, std::span<const Scale> scales) {
  const Scale* fit = &scales.front();
  for (const Scale& scale : scales)
    if (std::abs(value) >= scale.size * 0.99995) fit = &scale;
  return four_digits(value / fit->size) + " " + std::string(fit->name);
}

constexpr std::array decimal_sizes =
    std::to_array<Scale>({{"B", 1}, {"KB", kilo}, {"MB", 1e6}, {"GB", 1e9}, {"TB", 1e12}});
constexpr std::array binary_sizes = std::to_array<Scale>({{"B", 1},
                                                          {"KiB", kibi},
                                                          {"MiB", kibi* kibi},
                                                          {"GiB", kibi* kibi* kibi},
                                                          {"TiB", kibi* kibi* kibi* kibi}});

/// In powers of two where that says the same exactly, and shorter.
std::string show_bytes(double value) {
  auto decimal = with_scale(value, decimal_sizes), binary = with_scale(value, binary_sizes);
  const auto is_exact = [value](const std::string& text) {
    const auto read = parse_amount(text, Unit::bytes);
    return read && *read == value;
  };
  // GiB is a letter longer than GB: what counts is digits.
  const bool is_shorter = binary.size() <= decimal.size() || !is_exact(decimal);
  return is_exact(binary) && is_shorter ? binary : decimal;
}

}  // namespace

Result<Unit> parse_unit(std::string_view text) {
  for (std::size_t i = 0; i < std::size(unit_names); ++i)
    if (unit_names[i] == text) return static_cast<Unit>(i);
  return bad_request(unknown("unit", text, std::span(unit_names).subspan(1)));
}

std::string show(double value, Unit unit) {
  switch (unit) {
    case Unit::bytes:
      return show_bytes(value);
    case Unit::time:
      return with_scale(value,
                        std::to_array<Scale>(
                            {{"ps", 1e-12}, {"ns", 1e-9}, {"µs", 1e-6}, {"ms", 1e-3}, {"s", 1}}));
    case Unit::bandwidth:
      return with_scale(
          value, std::to_array<Scale>(
                     {{"B/s", 1}, {"KB/s", kilo}, {"MB/s", 1e6}, {"GB/s", 1e9}, {"TB/s", 1e12}}));
    case Unit::percent:
      return four_digits(value * 100) + " %";
    case Unit::times:
      return four_digits(value) + "x";
    case Unit::whole:
      return fmt::format("{:.0f}", std::round(value) + 0.0);
    case Unit::none:
    case Unit::steps:
      break;
  }
  const bool is_whole = std::abs(value) < 1e15 && is_near(value, std::round(value), 0);
  return is_whole ? fmt::format("{:.0f}", std::round(value) + 0.0) : four_digits(value);
}

Result<double> parse_amount(std::string_view text, Unit unit) {
  const auto [scales, example] = manner(unit);
  const auto wrong = [&, expected = example] {
    return bad_request(fmt::format("{} is not {}", in_quotes(text), expected));
  };
  const auto typed = without(halved(text.substr(0, 128)), " \t\r\n,_");
  double number = 0;
  const char* const begin = typed.data() + (typed.starts_with('+') ? 1 : 0);
  const auto [end, failure] = std::from_chars(begin, typed.data() + typed.size(), number);
  if (failure != std::errc{} || !std::isfinite(number)) return wrong();
  const std::string_view rest(end, static_cast<std::size_t>(typed.data() + typed.size() - end));
  const Scale* const scale = find(scales, rest);
  if (scale == nullptr) {
    if (rest.empty() && number == 0) return 0.0;
    return wrong();
  }
  return number * scale->size;
}

Result<Quantity> parse_quantity(std::string_view text) {
  const auto with = [](auto value, Unit unit) {
    return Quantity{static_cast<double>(value), unit};
  };
  if (const auto number = parse_amount(text, Unit::none)) return with(*number, Unit::none);
  if (const auto rate = parse_bandwidth(text)) return with(rate->bytes_per_second, Unit::bandwidth);
  if (const auto share = parse_share(text)) return with(*share, Unit::percent);
  if (const auto time = parse_duration(text)) return with(time->seconds(), Unit::time);
  if (const auto size = parse_bytes(text)) return with(size->count, Unit::bytes);
  return bad_request(in_quotes(text) +
                     " is no number, and no size, time, bandwidth or share such as \"64MiB\", "
                     "\"5us\", \"25GB/s\", \"10%\"");
}

bool is_near(double typed, double truth, double tolerance) {
  constexpr double rounding = 1e-12;
  return std::abs(typed - truth) <= std::max(tolerance, rounding) * std::abs(truth) + 1e-300;
}

}  // namespace ringside::lessons
