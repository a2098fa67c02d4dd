#include "sim/faults.hpp"

#include "sim/router.hpp"
#include "tests/sim/bench.hpp"

namespace ringside::sim {
namespace {

TEST(Faults, ReadsWhatTheCommandLineSays) {
  const auto slow = need(parse_slow("gpu3->nvsw0=4x"));
  EXPECT_EQ(slow.link, "gpu3->nvsw0");
  EXPECT_EQ(slow.factor, 4);
  EXPECT_EQ(need(parse_slow("a->b#2=1.5")).factor, 1.5);
  const auto late = need(parse_straggler("3=50us"));
  EXPECT_EQ(late.rank, Rank{3});
  EXPECT_EQ(late.start, 50_us);
  Faults faults;
  need(parse_jitter("5%:42", faults));
  EXPECT_DOUBLE_EQ(faults.jitter, 0.05);
  EXPECT_EQ(faults.jitter_seed, 42u);
  need(parse_jitter("10%", faults));
  EXPECT_EQ(faults.jitter_seed, 0u);
}

TEST(Faults, RefusesWhatMeansNothing) {
  for (const auto* bad : {"", "=4x", "a->b", "a->b=", "a->b=x", "a->b=0.5x", "a->b=-4x",
                          "a->b=nanx", "a->b=infx", "a->b=4y", "a->b=1e9x"})
    EXPECT_FALSE(parse_slow(bad)) << bad;
  for (const auto* bad : {"", "3", "3=", "=5us", "x=5us", "-1=5us", "3=5", "3=-5us", "3=nan"})
    EXPECT_FALSE(parse_straggler(bad)) << bad;
  Faults faults;
  for (const auto* bad : {"", "5", "%", "5%:", "5%:x", "-5%", "nan%", "1e9%", "5%:-1", "5%5"})
    EXPECT_FALSE(parse_jitter(bad, faults)) << bad;
  auto t = shape(ShapeKind::star, 4);
  faults.slow = {{"gpu9->sw0", 2}};
  EXPECT_NE(apply(faults, t).error().message.find("GPUs are gpu0 to gpu3"), std::string::npos);
  faults.slow = {{"gpo2->sw0", 2}};
  EXPECT_NE(apply(faults, t).error().message.find("did you mean gpu"), std::string::npos);
  faults = {};
  faults.dead = {"gpu0->gpu1"};
  EXPECT_NE(apply(faults, t).error().message.find("gpu0 has links to sw0"), std::string::npos);
  faults.dead = {"gpu0->sw0,gpu1->sw0"};
  EXPECT_NE(apply(faults, t).error().message.find("once for each"), std::string::npos);
  const auto two = parse_slow("gpu0->sw0=4x,gpu1->sw0=2x");
  ASSERT_FALSE(two);
  EXPECT_NE(two.error().message.find("--slow 'gpu0->sw0=4x' --slow"), std::string::npos);
  EXPECT_TRUE(t.dead.empty());
  faults = {};
  faults.stragglers = {{{4}, 1_us}};
  EXPECT_NE(disturbance(faults, 4).error().message.find("0 to 3"), std::string::npos);
}

TEST(Faults, ASlowLinkSetsTheRingsPace) {
  const auto schedule = story(CollectiveKind::all_reduce, "ring", 8);
  auto t = shape(ShapeKind::ring, 8);
  Faults faults;
  faults.slow = {need(parse_slow("gpu3->gpu4=4x"))};
  need(apply(faults, t));
  const auto run = need(simulate(schedule, bytes(schedule, 8_MiB), t, NetworkModel::flow));
  const auto wire = wire_time(1_MiB, 25_GBps);
  // All 14 chunks pass the slow wire one after the other.
  EXPECT_GE(run.time, 14 * 4 * wire);
  EXPECT_LE(run.time, 14 * (4 * wire + 1_us) + 7 * (wire + 1_us));
  EXPECT_EQ(t.link_name(busiest(run).links.at(0)), "gpu3->gpu4");
}

TEST(Faults, ADeadLinkIsWalkedRoundUntilThereIsNoWay) {
  auto t = shape(ShapeKind::ring, 4);
  Faults faults;
  faults.dead = {"gpu0->gpu1"};
  need(apply(faults, t));
  EXPECT_EQ(t.links.size(), 7u);
  Router router(t);
  EXPECT_EQ(need(router.route({0}, {1}, {0})).size(), 3u) << "the other way round";
  faults.dead = {"gpu0->gpu3"};
  need(apply(faults, t));
  Router cut(t);
  const auto route = cut.route({0}, {1}, {0});
  ASSERT_FALSE(route);
  EXPECT_NE(route.error().message.find(
                "with gpu0->gpu1, gpu0->gpu3 dead there is no way from gpu0 to gpu1"),
            std::string::npos)
      << route.error().message;
}

TEST(Faults, StragglersBecomeStartTimes) {
  Faults faults;
  faults.stragglers = {{{2}, 5_us}};
  EXPECT_EQ(need(disturbance(faults, 4)).start, (std::vector<Duration>{{}, {}, 5_us, {}}));
  EXPECT_TRUE(need(disturbance({}, 4)).start.empty());
  faults.stragglers.push_back({{2}, 3_us});
  EXPECT_NE(disturbance(faults, 4).error().message.find("comes twice"), std::string::npos);
}

TEST(Faults, ALinkHasOneFactor) {
  Faults faults;
  faults.slow = {{"gpu0->sw0", 2}, {"gpu1->sw0", 3}};
  auto t = shape(ShapeKind::star, 2);
  need(apply(faults, t));
  EXPECT_EQ(t.links[find_links(t, "gpu0->sw0")->front().value].bandwidth.bytes_per_second,
            12'500'000'000u);
  faults.slow.push_back({"gpu0->sw0#1", 2});
  EXPECT_NE(apply(faults, t).error().message.find("twice, 2x and 2x"), std::string::npos);
}

}  // namespace
}  // namespace ringside::sim
