#include "sim/shapes.hpp"

#include <gmock/gmock.h>

#include <bit>
#include <map>
#include <set>

namespace ringside::sim {
namespace {

using testing::HasSubstr;

Topology shape(ShapeKind kind, std::uint64_t ranks, std::vector<std::uint32_t> dims = {}) {
  auto made = make_shape({.kind = kind, .ranks = ranks, .dims = std::move(dims)});
  EXPECT_TRUE(made) << (made ? "" : made.error().message);
  return made ? *made : Topology{};
}

std::string refusal(const ShapeRequest& request) {
  const auto made = make_shape(request);
  return made ? "(made)" : made.error().message;
}

/// How many links lead from each ordered pair of devices.
std::map<std::pair<std::uint32_t, std::uint32_t>, int> pairs(const Topology& t) {
  std::map<std::pair<std::uint32_t, std::uint32_t>, int> count;
  for (const auto& link : t.links) ++count[{link.from.value, link.to.value}];
  return count;
}

/// Devices that can be reached from rank 0 through devices that forward.
std::size_t reached(const Topology& t) {
  std::set<std::uint32_t> seen{t.ranks[0].value};
  std::vector<std::uint32_t> frontier{t.ranks[0].value};
  while (!frontier.empty()) {
    const auto at = frontier.back();
    frontier.pop_back();
    for (const auto& link : t.links)
      if (link.from.value == at && seen.insert(link.to.value).second && t[link.to].forwards)
        frontier.push_back(link.to.value);
  }
  return seen.size();
}

TEST(Shapes, LinkCountsInClosedForm) {
  for (std::uint64_t n = 1; n <= 40; ++n) {
    const auto ring_links = n == 1 ? 0 : n == 2 ? 2 : 2 * n;
    EXPECT_EQ(shape(ShapeKind::ring, n).links.size(), ring_links) << n;
    EXPECT_EQ(shape(ShapeKind::star, n).links.size(), 2 * n) << n;
    EXPECT_EQ(shape(ShapeKind::mesh, n).links.size(), n * (n - 1)) << n;
    if (std::has_single_bit(n)) {
      EXPECT_EQ(shape(ShapeKind::hypercube, n).links.size(),
                n * static_cast<std::uint64_t>(std::countr_zero(n)))
          << n;
    }
  }
  const auto side = [](std::uint32_t d) { return d == 1 ? 0u : d == 2 ? 1u : 2u; };
  for (std::uint32_t a = 1; a <= 5; ++a)
    for (std::uint32_t b = 1; b <= 5; ++b)
      for (std::uint32_t c = 1; c <= 4; ++c)
        EXPECT_EQ(shape(ShapeKind::torus, a * b * c, {a, b, c}).links.size(),
                  a * b * c * (side(a) + side(b) + side(c)));
}

TEST(Shapes, EveryShapeIsValidConnectedSymmetricAndWithoutParallelLinks) {
  for (const auto text : shape_names())
    for (const std::uint64_t n : {1, 2, 4, 8, 16, 32}) {
      SCOPED_TRACE(std::string(text) + " " + std::to_string(n));
      const auto t = shape(*parse_shape(text), n);
      EXPECT_TRUE(check(t));
      EXPECT_EQ(t.ranks.size(), n);
      EXPECT_EQ(reached(t), t.devices.size());
      const auto count = pairs(t);
      for (const auto& [pair, links] : count) {
        EXPECT_EQ(links, 1);
        EXPECT_EQ(count.count({pair.second, pair.first}), 1u);
      }
    }
}

TEST(Shapes, DefaultsAreTheTextbooks) {
  const auto t = shape(ShapeKind::ring, 4);
  EXPECT_EQ(t.links[0].bandwidth, 25_GBps);
  EXPECT_EQ(t.links[0].latency, 1_us);
  EXPECT_EQ(t.link_name(LinkId{0}), "gpu0->gpu1");
}

TEST(Shapes, OnlyShapesWithoutSwitchesLetRanksPassThingsOn) {
  for (const auto text : shape_names()) {
    const auto t = shape(*parse_shape(text), 8);
    const bool switched = text == "star" || text == "fattree";
    for (const auto rank : t.ranks) EXPECT_EQ(t[rank].forwards, !switched) << text;
  }
}

TEST(Shapes, TorusRowsAreRings) {
  const auto t = shape(ShapeKind::torus, 12, {3, 4});
  const auto count = pairs(t);
  for (std::uint32_t row = 0; row < 3; ++row)
    for (std::uint32_t column = 0; column < 4; ++column) {
      const auto at = row * 4 + column;
      EXPECT_TRUE(count.contains({at, row * 4 + (column + 1) % 4}));
      EXPECT_TRUE(count.contains({at, (row + 1) % 3 * 4 + column}));
    }
  EXPECT_EQ(count.size(), 12u * 4);
}

TEST(Shapes, TorusIsNearSquareUnlessTold) {
  // 3 x 4: two sides of more than two, so four links out of each rank.
  EXPECT_EQ(shape(ShapeKind::torus, 12).links.size(), 48u);
  EXPECT_EQ(shape(ShapeKind::torus, 13).links.size(), 26u);  // prime: a ring
}

TEST(Shapes, HypercubeJoinsRanksThatDifferInOneBit) {
  for (const auto& [pair, links] : pairs(shape(ShapeKind::hypercube, 64)))
    EXPECT_TRUE(std::has_single_bit(pair.first ^ pair.second)) << links;
}

TEST(Shapes, FatTreeUplinksCarryWhatTheLeafSends) {
  for (const std::uint32_t over : {1u, 2u, 4u}) {
    const auto t = *make_shape(
        {.kind = ShapeKind::fattree, .ranks = 32, .dims = {8}, .oversubscription = over});
    std::map<std::uint32_t, std::uint64_t> down, up;
    for (const auto& link : t.links) {
      if (t[link.from].kind == DeviceKind::gpu)
        down[link.to.value] += link.bandwidth.bytes_per_second;
      if (t[link.to].name == "spine0") up[link.from.value] += link.bandwidth.bytes_per_second;
    }
    EXPECT_EQ(down.size(), 4u);
    for (const auto& [leaf, bytes_per_second] : down) EXPECT_EQ(bytes_per_second, over * up[leaf]);
  }
  EXPECT_EQ(shape(ShapeKind::fattree, 7).devices.size(), 8u);  // prime: one leaf, no spine
}

TEST(Shapes, ImpossibleRequestsGetOneSentence) {
  for (const auto text : shape_names()) {
    const auto kind = *parse_shape(text);
    EXPECT_THAT(refusal({.kind = kind, .ranks = 0}), HasSubstr("at least one rank"));
    EXPECT_THAT(refusal({.kind = kind, .ranks = 1'000'000'000}), HasSubstr("too large"));
    EXPECT_THAT(refusal({.kind = kind, .ranks = UINT64_MAX}), HasSubstr("too large"));
    EXPECT_THAT(refusal({.kind = kind, .ranks = 4, .bandwidth = {}}), HasSubstr("above zero"));
  }
  EXPECT_THAT(refusal({.kind = ShapeKind::mesh, .ranks = 4097}), HasSubstr("too many links"));
  EXPECT_THAT(refusal({.kind = ShapeKind::hypercube, .ranks = 6}), HasSubstr("power of two"));
  EXPECT_THAT(refusal({.kind = ShapeKind::ring, .ranks = 6, .dims = {6}}), HasSubstr("no dims"));
  EXPECT_THAT(refusal({.kind = ShapeKind::torus, .ranks = 6, .dims = {4, 2}}),
              HasSubstr("multiply to its 6"));
  EXPECT_THAT(refusal({.kind = ShapeKind::torus, .ranks = 6, .dims = {0, 6}}),
              HasSubstr("multiply to its 6"));
  EXPECT_THAT(refusal({.kind = ShapeKind::fattree, .ranks = 6, .dims = {4}}),
              HasSubstr("divides its 6"));
  EXPECT_THAT(refusal({.kind = ShapeKind::star, .ranks = 6, .oversubscription = 0}),
              HasSubstr("oversubscription"));
  EXPECT_THAT(parse_shape("rign").error().message, HasSubstr("did you mean ring?"));
}

}  // namespace
}  // namespace ringside::sim
