// The table is the one that nccl-tests prints, to the column; what reads the one reads the other.

#include "core/placement_table.hpp"

#include <gmock/gmock.h>

#include <sstream>

namespace ringside {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

/// The row that NCCL's documentation shows.
Row row(bool in_place) {
  return {.algorithm = "ring",
          .backend = "host/ranks",
          .ranks = 8,
          .size = 1_MiB,
          .count = 262144,
          .type = ElementType::float32,
          .redop = ReduceOp::sum,
          .in_place = in_place,
          .time = Duration{in_place ? 26'110'000 : 26'410'000},
          .wrong = 0};
}

constexpr const char* nccl_header =
    "#                                                              out-of-place                  "
    "     in-place\n"
    "#       size         count      type   redop    root     time   algbw   busbw  #wrong     "
    "time   algbw   busbw  #wrong";
constexpr const char* nccl_row =
    "     1048576        262144     float     sum      -1    26.41   39.70   69.48       0    "
    "26.11 "
    "  40.16   70.28       0";

TEST(PlacementTable, IsThatOfNcclTests) {
  const PlacementTable table;
  EXPECT_THAT(table.header(), StartsWith(nccl_header));
  EXPECT_THAT(table.header(),
              HasSubstr("\n#        (B)    (elements)                               (us)  (GB/s)  "
                        "(GB/s)             (us)  (GB/s)  (GB/s)\n"));
  EXPECT_EQ(table.line({row(false), row(true)}),
            std::string(nccl_row) + "  ring                 host/ranks\n");
}

TEST(PlacementTable, SaysNotAvailableOfWhatWasNotRunOrNotChecked) {
  Row unchecked = row(false);
  unchecked.wrong.reset();
  EXPECT_THAT(PlacementTable{}.line({unchecked, std::nullopt}),
              HasSubstr("   69.48     N/A      N/A     N/A     N/A     N/A  ring"));
  EXPECT_THAT(PlacementTable{}.line({std::nullopt, row(true)}),
              HasSubstr("-1      N/A     N/A     N/A     N/A    26.11 "));
  Row rooted = row(false);
  rooted.redop.reset();
  rooted.root = Rank{3};
  EXPECT_THAT(PlacementTable{}.line({rooted, std::nullopt}), HasSubstr("float    none       3  "));
}

TEST(PlacementTable, ColumnsStandUnderTheirTitles) {
  Row full = row(false);
  full.statistics = Statistics{20, 26_us, 25_us, 40_us, 27_us, 40_us, 0.0625};
  full.predicted = 20_us;
  full.busiest_link_share = 0.5;
  const PlacementTable table{true, true};
  std::istringstream header(table.header());
  std::string headings, titles, units;
  std::getline(header, headings);
  std::getline(header, titles);
  std::getline(header, units);
  const auto line = table.line({full, row(true)});
  const auto ends_at = [&](const std::string& title, const std::string& value, std::size_t from) {
    const auto at = titles.find(title, from);
    ASSERT_NE(at, std::string::npos) << title;
    const auto end = at + title.size();
    EXPECT_EQ(line.substr(end - value.size(), value.size()), value) << title << "\n" << line;
  };
  ends_at(" time", " 26.41", 0);
  ends_at(" min", " 25.00", 0);
  ends_at(" max", " 40.00", 0);
  ends_at(" p99", " 40.00", 0);
  ends_at(" cv", " 6.25", 0);
  ends_at(" predict", " 20.00", 0);
  ends_at(" error", " -24.27", 0);
  ends_at(" link", " 50.00", 0);
  ends_at(" error", " N/A", titles.rfind(" error"));
  EXPECT_EQ(titles.find("algorithm"), line.find("ring"));
  EXPECT_EQ(titles.find("executor"), line.find("host/ranks"));
}

TEST(PlacementTable, FooterCountsCasesNotElements) {
  EXPECT_EQ(footer(verdict({row(false), row(true)})),
            "# Out of bounds values : 0 OK\n# Avg bus bandwidth    : 69.8807\n");
  Row wrong = row(false), unchecked = row(false);
  wrong.wrong = 1234567;
  unchecked.wrong.reset();
  EXPECT_THAT(footer(verdict({wrong, row(true), wrong})), HasSubstr(": 2 FAILED\n"));
  EXPECT_THAT(PlacementTable{}.line({wrong, std::nullopt}), HasSubstr("  1.23457e+06"));
  EXPECT_THAT(footer(verdict({unchecked})), HasSubstr(": N/A\n"));
  EXPECT_THAT(footer(verdict({})), HasSubstr("bandwidth    : N/A\n"));
}

TEST(PlacementTable, YardsticksAreCheckedButNotAveraged) {
  Row native = row(false);
  native.algorithm = "native";
  native.time = 1_us;
  const auto both = verdict({row(false), row(true), native});
  EXPECT_EQ(both.average_busbw, verdict({row(false), row(true)}).average_busbw);
  EXPECT_EQ(both.averaged, 2u);
  EXPECT_EQ(both.checked, 3u);
  native.wrong = 1;
  EXPECT_EQ(verdict({row(false), native}).wrong, 1u);
}

}  // namespace
}  // namespace ringside
