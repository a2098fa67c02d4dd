#include "core/units.hpp"

#include <gtest/gtest.h>

#include <random>
#include <string>

namespace ringside {
namespace {

TEST(Units, SizesAreReadAsNcclTestsReadsThem) {
  const std::pair<const char*, std::uint64_t> sizes[] = {
      {"8", 8},
      {"0", 0},
      {"64K", 65536},
      {"1M", 1u << 20},
      {"2g", 2ull << 30},
      {"1T", 1ull << 40},
      {"8MiB", 8u << 20},
      {"8MB", 8'000'000},
      {"1.1KB", 1100},
      {"0.3MB", 300'000},
      {"0.5MiB", 1u << 19},
      {" 3 KiB ", 3072},
      {"8mib", 8u << 20},
      {"17B", 17},
      {"9007199254740993", 9007199254740993},  // 2^53 + 1: no double holds it
      {"4611686018427387903", (1ull << 62) - 1},
  };
  for (const auto& [text, bytes] : sizes) {
    const auto parsed = parse_bytes(text);
    ASSERT_TRUE(parsed) << text;
    EXPECT_EQ(parsed->count, bytes) << text;
  }
}

TEST(Units, BandwidthsTellBitsFromBytes) {
  const std::pair<const char*, std::uint64_t> rates[] = {
      {"25GB/s", 25'000'000'000},
      {"400Gb/s", 50'000'000'000},
      {"400Gbit/s", 50'000'000'000},
      {"400 Gbps", 50'000'000'000},
      {"900MB/s", 900'000'000},
      {"1GiB/s", 1u << 30},
      {"31.508GB/s", 31'508'000'000},
      {"8Kb/s", 1000},
      {"0.6B/s", 1},
  };
  for (const auto& [text, rate] : rates) {
    const auto parsed = parse_bandwidth(text);
    ASSERT_TRUE(parsed) << text;
    EXPECT_EQ(parsed->bytes_per_second, rate) << text;
  }
}

TEST(Units, DurationsAreWholePicoseconds) {
  const std::pair<const char*, std::int64_t> durations[] = {
      {"1.5us", 1'500'000},
      {"500ns", 500'000},
      {"2ms", 2'000'000'000},
      {"1s", 1'000'000'000'000},
      {"250ps", 250},
      {"5min", 300'000'000'000'000},
      {"0", 0},
      {"0.0", 0},
      {"0us", 0},
      {"0.1ns", 100},
      {"0.0004ns", 0},
      {"0.0006ns", 1},
      {" 3 us ", 3'000'000},
  };
  for (const auto& [text, picoseconds] : durations) {
    const auto parsed = parse_duration(text);
    ASSERT_TRUE(parsed) << text;
    EXPECT_EQ(parsed->picoseconds, picoseconds) << text;
  }
}

TEST(Units, SharesNeedTheirSign) {
  const std::pair<const char*, double> shares[] = {
      {"10%", 0.1}, {"0.5 %", 0.005}, {"0%", 0}, {"100%", 1}, {"33.333%", 0.33333}};
  for (const auto& [text, share] : shares) {
    const auto parsed = parse_share(text);
    ASSERT_TRUE(parsed) << text;
    EXPECT_DOUBLE_EQ(*parsed, share) << text;
  }
  for (const char* text : {"", "10", "0.1", "-1%", "100.1%", "nan%", "%", "10%%"})
    EXPECT_FALSE(parse_share(text)) << text;
}

TEST(Units, WhatIsNoQuantityIsRefusedWithAnExample) {
  const std::string long_text(1'000'000, '9');
  for (const std::string text : {"",
                                 " ",
                                 "K",
                                 "-1",
                                 "-0",
                                 "+1",
                                 "1.5",
                                 "0.3",
                                 "1e3",
                                 "nan",
                                 "inf",
                                 "0x10",
                                 "1 2",
                                 "1..2",
                                 "1.2.3K",
                                 ".",
                                 "4611686018427387904",
                                 "18446744073709551616",
                                 "99999999999999T",
                                 "8QiB",
                                 "1\n",
                                 "8M\x1b[31m",
                                 "1,5K",
                                 "KM",
                                 "1KK"}) {
    const auto parsed = parse_bytes(text);
    ASSERT_FALSE(parsed) << text;
    EXPECT_EQ(parsed.error().kind, ErrorKind::request);
    EXPECT_NE(parsed.error().message.find("such as 8, 64K"), std::string::npos);
    EXPECT_EQ(parsed.error().message.find('\x1b'), std::string::npos) << "a terminal would obey";
  }
  EXPECT_FALSE(parse_bytes(long_text));
  EXPECT_LT(parse_bytes(long_text).error().message.size(), 300u);
  for (const char* text : {"25", "0GB/s", "-1GB/s", "nanGB/s", "25gb/s", "25GB", "0.4B/s",
                           "9999999999TB/s", "25GB/s/s"})
    EXPECT_FALSE(parse_bandwidth(text)) << text;
  for (const char* text : {"5", "-1us", "nan", "1US", "9999999999s", "1us2", "infs", "us"})
    EXPECT_FALSE(parse_duration(text)) << text;
}

TEST(Units, PrintedSizesReadBackExactly) {
  std::mt19937_64 random(1);
  for (int i = 0; i < 20'000; ++i) {
    const Bytes any{random() >> (2 + random() % 60)};
    const Bytes round{any.count >> 20 << (random() % 21)};
    for (const Bytes size : {any, round}) {
      const auto parsed = parse_bytes(to_string(size));
      ASSERT_TRUE(parsed) << to_string(size);
      ASSERT_EQ(*parsed, size) << to_string(size);
    }
  }
}

TEST(Units, PrintedRatesAndDurationsReadBackWithinTheirDecimals) {
  std::mt19937_64 random(2);
  for (int i = 0; i < 20'000; ++i) {
    const auto value = 1 + (random() >> (2 + random() % 60));
    const auto rate = parse_bandwidth(to_string(Bandwidth{value}));
    ASSERT_TRUE(rate) << to_string(Bandwidth{value});
    ASSERT_NEAR(static_cast<double>(rate->bytes_per_second), static_cast<double>(value),
                0.0051 * static_cast<double>(value));
    const Duration duration{static_cast<std::int64_t>(value)};
    if (duration >= Duration{INT64_MAX / 2 / 100 * 99}) continue;  // may round up past the limit
    const auto parsed = parse_duration(to_string(duration));
    ASSERT_TRUE(parsed) << to_string(duration);
    ASSERT_NEAR(static_cast<double>(parsed->picoseconds), static_cast<double>(value),
                0.0051 * static_cast<double>(value));
  }
}

TEST(Units, PrintAsPeopleWrite) {
  EXPECT_EQ(to_string(1_MiB), "1 MiB");
  EXPECT_EQ(to_string(Bytes{1536}), "1.5 KiB");
  EXPECT_EQ(to_string(Bytes{1000}), "1000 B");
  EXPECT_EQ(to_string(Bytes{0}), "0 B");
  EXPECT_EQ(to_string(25_GBps), "25 GB/s");
  EXPECT_EQ(to_string(Bandwidth{0}), "0 B/s");
  EXPECT_EQ(to_string(Duration{593'560'000}), "593.56 us");
  EXPECT_EQ(to_string(Duration{86'073'800'000}), "86.07 ms");
  EXPECT_EQ(to_string(Duration{-1'500'000}), "-1.5 us");
  EXPECT_EQ(to_string(Duration{}), "0 us");
  EXPECT_EQ(to_string(Duration{7}), "7 ps");
}

TEST(Units, WireTimeRoundsUpAndSaturates) {
  EXPECT_EQ(wire_time(25_B, 25_GBps), 1_ns);
  EXPECT_EQ(wire_time(0_B, 25_GBps), Duration{});
  EXPECT_EQ(wire_time(1_B, Bandwidth{3'000'000'000'000}), Duration{1});
  EXPECT_EQ(wire_time(1_GiB, 25_GBps), Duration{42'949'672'960});
  EXPECT_EQ(wire_time(Bytes{UINT64_MAX}, Bandwidth{1}), forever);
  std::mt19937_64 random(3);
  for (int i = 0; i < 10'000; ++i) {  // the least t with t * bandwidth >= size
    const Bytes size{random() >> 30};
    const Bandwidth bandwidth{1 + (random() >> 20)};
    const auto t = static_cast<long double>(wire_time(size, bandwidth).picoseconds);
    const auto exact = static_cast<long double>(size.count) * 1e12L /
                       static_cast<long double>(bandwidth.bytes_per_second);
    ASSERT_GE(t, exact - 1e-3L);
    ASSERT_LT(t, exact + 1 + 1e-3L);
  }
}

TEST(Units, InMicrosecondsAreExact) {
  EXPECT_EQ(in_microseconds({0}), "0 us");
  EXPECT_EQ(in_microseconds({1}), "0.000001 us");
  EXPECT_EQ(in_microseconds({1'000'000}), "1 us");
  EXPECT_EQ(in_microseconds({335'544'320}), "335.54432 us");
  EXPECT_EQ(in_microseconds({-1'500'000}), "-1.5 us");
  EXPECT_EQ(in_microseconds({10'000'000}), "10 us");
  EXPECT_EQ(in_microseconds({INT64_MAX}), "9223372036854.775807 us");
}

}  // namespace
}  // namespace ringside
