#include "sim/override.hpp"

#include <gmock/gmock.h>

#include "sim/systems.hpp"

namespace ringside::sim {
namespace {

using testing::HasSubstr;

std::string refusal(std::string_view text) {
  const auto parsed = parse_override(text);
  return parsed ? "(parsed)" : parsed.error().message;
}

TEST(Override, MovesOnlyItsKindAndItsField) {
  const auto before = load_system("dgx1-v100")->topology;
  for (const auto kind : {LinkKind::nvlink, LinkKind::pcie, LinkKind::socket, LinkKind::memory})
    for (const std::string field : {"bandwidth", "latency"}) {
      auto after = before;
      const bool bandwidth = field == "bandwidth";
      const auto text = std::string(name(kind)) + "." + field + (bandwidth ? "=7GB/s" : "=9us");
      ASSERT_TRUE(apply(*parse_override(text), after)) << text;
      for (std::size_t i = 0; i < before.links.size(); ++i) {
        const auto &was = before.links[i], &is = after.links[i];
        const bool meant = was.kind == kind;
        EXPECT_EQ(is.bandwidth, meant && bandwidth ? 7_GBps : was.bandwidth) << text;
        EXPECT_EQ(is.latency, meant && !bandwidth ? 9_us : was.latency) << text;
      }
    }
}

TEST(Override, ScalesEveryLinkByItself) {
  auto t = load_system("dgx1-v100")->topology;
  const auto before = t;
  ASSERT_TRUE(apply(*parse_override("nvlink.bandwidth=x0.5"), t));
  ASSERT_TRUE(apply(*parse_override("pcie.latency=x3"), t));
  auto same = before;
  ASSERT_TRUE(apply(*parse_override("nvlink.bandwidth=0.5x"), same));
  for (std::size_t i = 0; i < t.links.size(); ++i) {
    EXPECT_EQ(same.links[i].bandwidth, t.links[i].bandwidth);
    const auto &was = before.links[i], &is = t.links[i];
    const std::uint64_t half = was.kind == LinkKind::nvlink ? 2 : 1;
    EXPECT_EQ(half * is.bandwidth.bytes_per_second, was.bandwidth.bytes_per_second);
    EXPECT_EQ(is.latency, (was.kind == LinkKind::pcie ? 3 : 1) * was.latency);
  }
}

TEST(Override, ErrorsNameWhatIsWrong) {
  EXPECT_THAT(refusal("nvlnk.bandwidth=1GB/s"), HasSubstr("did you mean nvlink?"));
  EXPECT_THAT(refusal("nvlink.bandwith=1GB/s"), HasSubstr("did you mean bandwidth?"));
  EXPECT_THAT(refusal("nvlink.bandwidth=12"), HasSubstr("such as 25GB/s"));
  EXPECT_THAT(refusal("nvlink.bandwidth=2us"), HasSubstr("such as 25GB/s"));
  EXPECT_THAT(refusal("nvlink.latency=2GB/s"), HasSubstr("such as 1.5us"));
  EXPECT_THAT(refusal("nvlink.latency=9999s"), HasSubstr("at most 1000s"));
  for (const auto* factor : {"x", "x0", "x-1", "xnan", "xinf", "x1e999", "x2y", "0x", "-1x", "x2x"})
    EXPECT_THAT(refusal(std::string("ib.bandwidth=") + factor), HasSubstr("is not a factor"));
  for (const auto* shapeless : {"", "nvlink", "nvlink=2", "nvlink.bandwidth", "nvlink=a.b"})
    EXPECT_THAT(refusal(shapeless), HasSubstr("expected KIND.FIELD=VALUE"));
}

TEST(Override, KindsThatAreNotThereAndFactorsTooFarChangeNothing) {
  auto t = load_system("dgx-a100")->topology;
  const auto absent = apply(*parse_override("xgmi.latency=1us"), t);
  ASSERT_FALSE(absent);
  EXPECT_THAT(absent.error().message, HasSubstr("it has nvlink pcie socket memory"));
  for (const auto* far : {"nvlink.bandwidth=x1e-12", "nvlink.bandwidth=x2e7",
                          "nvlink.bandwidth=x1e300", "nvlink.latency=x1e300"}) {
    EXPECT_FALSE(apply(*parse_override(far), t)) << far;
    EXPECT_EQ(t.links[0].bandwidth, 240_GBps);
    EXPECT_EQ(t.links[0].latency, 200_ns);
  }
}

}  // namespace
}  // namespace ringside::sim
