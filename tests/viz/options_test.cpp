#include "viz/scenario/collective_options.hpp"

#include <gmock/gmock.h>

#include "viz/scenario/system_options.hpp"

namespace ringside::terminal {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::vector<std::uint64_t> sizes(const std::string& b, const std::string& e, const std::string& f) {
  scenario::CollectiveOptions options;
  options.min_bytes = b;
  options.max_bytes = e;
  options.step_factor = f;
  const auto read = scenario::read_sizes(options);
  std::vector<std::uint64_t> counts;
  if (!read) return counts;
  for (const Bytes size : *read) counts.push_back(size.count);
  return counts;
}

TEST(Sizes, AreThoseOfNcclTests) {
  EXPECT_THAT(sizes("8", "64", "2"), ElementsAre(8, 16, 32, 64));
  EXPECT_THAT(sizes("8", "100", "3"), ElementsAre(8, 24, 72));
  EXPECT_THAT(sizes("1K", "1M", "32"), ElementsAre(1024, 32768, 1048576));
  EXPECT_THAT(sizes("1KB", "1KB", "2"), ElementsAre(1000));
  EXPECT_THAT(sizes("0", "0", "2"), ElementsAre(0));
  EXPECT_THAT(sizes("0", "4", "2"), ElementsAre(0, 1, 2, 4));
  EXPECT_EQ(sizes("8", "1G", "2").size(), 28u) << "the defaults";
}

TEST(Sizes, GrowAndEndWhereTold) {
  for (const char* factor : {"1.01", "1.5", "2", "3.7", "10", "1e3"})
    for (std::uint64_t first = 1; first < 5000; first = first * 3 + 1)
      for (const std::uint64_t last : {first, first + 1, 7 * first, 100 * first}) {
        const auto list = sizes(std::to_string(first), std::to_string(last), factor);
        ASSERT_FALSE(list.empty());
        EXPECT_EQ(list.front(), first);
        EXPECT_LE(list.back(), last);
        EXPECT_GT(static_cast<double>(list.back()) * std::stod(factor) + 1,
                  static_cast<double>(last));
        for (std::size_t i = 1; i < list.size(); ++i) EXPECT_GT(list[i], list[i - 1]);
      }
}

TEST(Sizes, RefusesWhatIsNone) {
  EXPECT_TRUE(sizes("64", "8", "2").empty());
  for (const char* factor : {"1", "0", "-2", "nan", "inf", "", "2x", "0.5", "1e400"})
    EXPECT_TRUE(sizes("8", "64", factor).empty()) << factor;
  for (const char* size : {"-8", "", "nan", "8 bananas", "1e99"})
    EXPECT_TRUE(sizes(size, "1G", "2").empty()) << size;
}

TEST(Dims, AreNumbersJoinedByX) {
  EXPECT_THAT(*scenario::parse_dims("4x8"), ElementsAre(4u, 8u));
  EXPECT_THAT(*scenario::parse_dims("2x3x4"), ElementsAre(2u, 3u, 4u));
  EXPECT_THAT(*scenario::parse_dims("16"), ElementsAre(16u));
  EXPECT_TRUE(scenario::parse_dims("")->empty());
  for (const char* text : {"x", "4x", "x4", "4xx8", "0x3", "3x0", "-1x2", "4X8", "4*8", "4 x 8",
                           "4294967296", "1e3x2", "0x10"})
    EXPECT_FALSE(scenario::parse_dims(text)) << text;
}

TEST(Dims, ShapeTheTorus) {
  scenario::SystemOptions options;
  options.system = "torus";
  options.dims = "2x5";
  const auto machine = read(options);
  ASSERT_TRUE(machine) << machine.error().message;
  EXPECT_EQ(machine->topology().ranks.size(), 10u);
  EXPECT_THAT(machine->dims, ElementsAre(2u, 5u));
  options.ranks = 12;
  EXPECT_FALSE(read(options));
  options.dims = "3x4";
  EXPECT_TRUE(read(options));
}

TEST(Request, ReadsNcclTestsWords) {
  scenario::CollectiveOptions options;
  options.collective = "reduce_scatter";
  options.type = "bfloat16";
  options.redop = "max";
  options.root = 3;
  options.in_place = true;
  const auto request = read(options);
  ASSERT_TRUE(request);
  EXPECT_EQ(request->spec.kind, CollectiveKind::reduce_scatter);
  EXPECT_EQ(request->spec.root, Rank{3});
  EXPECT_TRUE(request->spec.in_place);
  EXPECT_EQ(request->redop, ReduceOp::max);
  EXPECT_EQ(name(request->type), "bfloat16");
}

TEST(Machines, OrderRanksThemselvesShapesDoNot) {
  scenario::SystemOptions options;
  EXPECT_EQ(read(options)->rank_order, "identity");
  options.system = "dgx-h100";
  EXPECT_EQ(read(options)->rank_order, "auto");
  options.rank_order = "identity";
  EXPECT_EQ(read(options)->rank_order, "identity");
}

TEST(Machines, TakeChangesInOrder) {
  scenario::SystemOptions options;
  options.ranks = 2;
  options.bandwidth = "10GB/s";
  options.set = {"link.bandwidth=x2", "link.latency=3us"};
  const auto machine = read(options);
  ASSERT_TRUE(machine) << machine.error().message;
  for (const auto& link : machine->topology().links) {
    EXPECT_EQ(link.bandwidth, 20_GBps);
    EXPECT_EQ(link.latency, 3_us);
  }
}

}  // namespace
}  // namespace ringside::terminal
