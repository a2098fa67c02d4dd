// What links carry when: as many bytes as the simulation counts, and never more than they can.

#include "sim/link_stretches.hpp"

#include <algorithm>
#include <utility>

#include "tests/sim/bench.hpp"

namespace ringside::sim {
namespace {

/// Bytes that went over each link, as its stretches say.
std::vector<double> carried(const std::vector<LinkStretch>& stretches, std::size_t links) {
  std::vector<double> bytes(links);
  for (const LinkStretch& s : stretches)
    bytes[s.link.value] += static_cast<double>(s.rate.bytes_per_second) * (s.to - s.from).seconds();
  return bytes;
}

/// The most that a link ever carries at once, as a share of its bandwidth.
double fullest(const std::vector<LinkStretch>& stretches, const Topology& topology) {
  double most = 0;
  for (const LinkStretch& s : stretches) {
    std::uint64_t sum = 0;  // at the moment s begins
    for (const LinkStretch& other : stretches)
      if (other.link == s.link && other.from <= s.from && s.from < other.to)
        sum += other.rate.bytes_per_second;
    const auto bandwidth = topology[s.link].bandwidth.bytes_per_second;
    most = std::max(most, static_cast<double>(sum) / static_cast<double>(bandwidth));
  }
  return most;
}

TEST(LinkStretches, CarryAllBytesAndNeverMoreThanFits) {
  for (const auto kind : {ShapeKind::ring, ShapeKind::star})
    for (const char* const algorithm : {"ring", "star", "halving_doubling", "double_binary_tree"})
      for (const auto model : both_models) {
        const Topology topology = shape(kind, 8);
        const Schedule schedule = story(CollectiveKind::all_reduce, algorithm, 8);
        const auto simulator = need(Simulator::prepare(schedule, topology));
        const Payload payload = bytes(schedule, 3_MiB);
        const auto run = need(simulator.run(payload, model));
        const auto stretches = need(link_stretches(simulator, payload, model));
        const std::string which = std::string(algorithm) + " on " + topology.name;
        const auto sums = carried(stretches, topology.links.size());
        for (std::size_t l = 0; l < sums.size(); ++l)
          EXPECT_NEAR(sums[l], static_cast<double>(run.links[l].bytes.count), 64) << which;
        EXPECT_LE(fullest(stretches, topology), 1) << which;
        EXPECT_GT(fullest(stretches, topology), 0.99) << which;
      }
}

TEST(LinkStretches, FollowTheFairShare) {
  Told told(4, 3, 1_MiB);  // into one port: a third each, then half each, then one alone
  for (std::uint32_t r = 0; r < 3; ++r) told->copy(input(r, 0), scratch(3, 3 * r), r + 1);
  const Topology star = shape(ShapeKind::star, 4);
  const auto simulator = need(Simulator::prepare(told.schedule(), star));
  const auto stretches = need(link_stretches(simulator, told.payload(), NetworkModel::flow));
  const auto port = need(find_links(star, "sw0->gpu3")).front();
  std::vector<std::uint64_t> rates;
  for (const LinkStretch& s : stretches)
    if (s.link == port && s.transfer == TransferId{2}) rates.push_back(s.rate.bytes_per_second);
  ASSERT_EQ(rates.size(), 3u);
  EXPECT_EQ(rates[0], 25'000'000'000 / 3);
  EXPECT_EQ(rates[1], 25'000'000'000 / 2);
  EXPECT_EQ(rates[2], 25'000'000'000);
}

}  // namespace
}  // namespace ringside::sim
