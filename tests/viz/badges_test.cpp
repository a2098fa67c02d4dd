// What `compare` says is behind a time that is not as predicted.

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "core/file.hpp"
#include "tests/viz/command.hpp"

namespace ringside::terminal {
namespace {

using ::testing::HasSubstr, ::testing::Not;

/// A log of nccl-tests: a ring of eight, 3 us a step, on ports of that many GB/s.
class Badges : public testing::TestWithParam<int> {
 protected:
  Badges() {
    std::string text = "# nRanks 8 all_reduce_perf\n";
    for (std::uint64_t bytes = 8192; bytes <= 1u << 30; bytes *= 8) {
      const auto size = static_cast<double>(bytes);
      const double time = 14 * (3 + size / 8 / (GetParam() * 1e3));
      text += fmt::format("{} {} float sum -1 {:.4f} {:.4f} {:.4f} 0\n", bytes, bytes / 4, time,
                          size / time / 1e3, size / time / 1e3 * 1.75);
    }
    EXPECT_TRUE(write_file(log_, text));
  }
  ~Badges() override { std::filesystem::remove(log_); }

  std::string out(std::vector<std::string> words) const {
    words.insert(words.begin(), {"compare", log_});
    const auto ran = run(words);
    EXPECT_EQ(ran.status, 0) << ran.err;
    return ran.out;
  }

  const std::string log_ = (std::filesystem::path(testing::TempDir()) /
                            fmt::format("ringside_badges_{}_{}", GetParam(), getpid()))
                               .string();
};

TEST_P(Badges, LatencyDecidesUpToItsShareAlone) {
  const auto json = nlohmann::json::parse(out({"--fit", "--json"}));
  const double half = 8 * 3e-6 * GetParam() * 1e9;
  for (const auto& row : json["results"])
    EXPECT_EQ(row["badge"], row["bytes"].get<double>() < half ? "latency_bound" : "as_predicted");
  EXPECT_THAT(out({"--fit"}), HasSubstr("latency-bound"));
}

TEST_P(Badges, WhatAWireCarriesIsTheMeasure) {
  // Eight H100s: 371 GB/s a GPU, and switches that add. Eight A100s: 240 GB/s, and none.
  const bool is_fast = GetParam() == 500;
  const auto hopper = out({"--system", "dgx-h100"}), ampere = out({"--system", "dgx-a100"});
  const auto in_switch = HasSubstr("above the wire: in-switch reduction"),
             doubt = HasSubstr("above the wire: not the machine it is taken for?"),
             slower = HasSubstr("% slower");
  if (is_fast) {
    EXPECT_THAT(hopper, in_switch);
    EXPECT_THAT(ampere, doubt);
  } else {
    EXPECT_THAT(hopper, slower);
    EXPECT_THAT(hopper + ampere, Not(HasSubstr("above the wire")));
  }
}

TEST_P(Badges, TwoMeasurementsHaveNone) {
  EXPECT_THAT(out({log_}), Not(HasSubstr("latency-bound")));
}

INSTANTIATE_TEST_SUITE_P(Ports, Badges, testing::Values(30, 500));

}  // namespace
}  // namespace ringside::terminal
