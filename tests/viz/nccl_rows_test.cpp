#include "viz/terminal/nccl_rows.hpp"

#include <gmock/gmock.h>

namespace ringside::terminal {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

/// Rows of one size on two DGX H100, or the error as the only row's violation.
std::vector<Row> rows(const NcclChoice& choice, Bytes size) {
  scenario::SystemOptions system;
  system.system = "dgx-h100";
  system.nodes = 2;
  scenario::CollectiveOptions collective;
  collective.algorithm = choice.algorithm;
  const auto machine = scenario::read(system);
  const auto request = scenario::read(collective);
  EXPECT_TRUE(machine && request);
  const auto nccl = NcclRows::make(*request, *machine, choice);
  if (!nccl) return {Row{.violation = nccl.error().message}};
  auto found = nccl->at(size);
  if (!found) return {Row{.violation = found.error().message}};
  return *std::move(found);
}

TEST(NcclRows, AutoIsTheFastestOfAll) {
  for (const Bytes size : {8_B, 1_MiB, 1_GiB}) {
    const auto picked = rows({}, size);
    ASSERT_EQ(picked.size(), 1u);
    const auto all = rows({.algorithm = "all", .protocol = {}}, size);
    EXPECT_GT(all.size(), 5u);
    for (const Row& row : all) EXPECT_GE(*row.time, *picked[0].time);
  }
}

TEST(NcclRows, WhereTheTimeGoesAddsUpToIt) {
  for (const Row& row : rows({.algorithm = "all", .protocol = {}}, 16_MiB)) {
    Duration sum{};
    for (const auto& share : row.time_shares) sum += share.time;
    EXPECT_EQ(sum, *row.time) << row.algorithm;
    EXPECT_THAT(shares_for_people(row), HasSubstr(row.algorithm + " all_reduce under"));
  }
}

TEST(NcclRows, OneProtocolOneMethod) {
  const auto ring = rows({.algorithm = "ring", .protocol = sim::Protocol::ll}, 1_MiB);
  ASSERT_EQ(ring.size(), 1u);
  EXPECT_EQ(ring[0].algorithm, "ring");
  EXPECT_EQ(ring[0].protocol, "LL");
  const auto none = rows({.algorithm = "pat", .protocol = {}}, 1_MiB);
  EXPECT_THAT(none[0].violation, HasSubstr("does not run pat all_reduce"));
  const auto ours = rows({.algorithm = "halving_doubling", .protocol = {}}, 1_MiB);
  EXPECT_THAT(ours[0].violation, StartsWith("NCCL does not run halving_doubling"));
}

TEST(NcclRows, PicksAreSaidWhereTheyChange) {
  std::vector<Row> all;
  for (const Bytes size : {8_B, 16_B, 1_GiB}) all.push_back(rows({}, size).front());
  EXPECT_EQ(picks(all), "picked: tree LL, from 1 GiB nvls_tree Simple");
}

}  // namespace
}  // namespace ringside::terminal
