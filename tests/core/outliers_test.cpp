// What stands out of a measured curve is not what NCCL's own choices make of it.

#include <gmock/gmock.h>

#include <cmath>

#include "core/formats/measured_log.hpp"

namespace ringside {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

/// Times by size, from 8 bytes on, each twice the one before.
std::vector<Row> curve(const std::vector<double>& microseconds, bool in_place = false) {
  std::vector<Row> rows;
  for (std::size_t i = 0; i < microseconds.size(); ++i) {
    Row row{.size = Bytes{8u << i}, .time = Duration{std::llround(microseconds[i] * 1e6)}};
    row.in_place = in_place;
    rows.push_back(row);
  }
  return rows;
}

std::vector<std::size_t> which(const std::vector<bool>& flags) {
  std::vector<std::size_t> set;
  for (std::size_t i = 0; i < flags.size(); ++i)
    if (flags[i]) set.push_back(i);
  return set;
}

TEST(Outliers, AreWhatLargerSizesAndTheOtherPlacementContradict) {
  EXPECT_THAT(which(outliers(curve({68, 25, 25, 26, 107, 27, 28, 40, 80, 160}))),
              ElementsAre(0, 4));
  EXPECT_THAT(which(outliers(curve({25, 25, 26, 30, 27, 28, 40, 80, 160}))), IsEmpty());
  EXPECT_THAT(which(outliers(curve({25, 50, 100, 200, 400}))), IsEmpty()) << "it grows";
  auto both = curve({25, 50, 300, 200, 400});
  const auto twins = curve({25, 50, 100, 200, 400}, true);
  EXPECT_THAT(which(outliers(both)), IsEmpty()) << "a switch of algorithms looks like this";
  both.insert(both.end(), twins.begin(), twins.end());
  EXPECT_THAT(which(outliers(both)), ElementsAre(2)) << "but not in one placement alone";
  auto first = curve({317, 227, 231, 239, 300});
  const auto settled = curve({93, 156, 174, 239, 300}, true);
  first.insert(first.end(), settled.begin(), settled.end());
  EXPECT_THAT(which(outliers(first)), ElementsAre(0)) << "the first use of anything";
  auto other = curve({25, 50, 100, 200, 400, 800});
  const auto slower = curve({25, 50, 300, 600, 1200, 2400}, true);
  other.insert(other.end(), slower.begin(), slower.end());
  EXPECT_THAT(which(outliers(other)), IsEmpty()) << "another algorithm ran there";
}

}  // namespace
}  // namespace ringside
