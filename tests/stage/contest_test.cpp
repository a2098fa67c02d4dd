// What a contest chooses for the user: chunks that suit a size, what two-level algorithms take for
// a node; and what it says where a flag has no effect.

#include "viz/scenario/contest.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace ringside::scenario {
namespace {

SystemOptions system(const char* name, std::uint32_t nodes = 1, const char* net = "") {
  SystemOptions options;
  options.system = name, options.nodes = nodes, options.net = net;
  return options;
}

Machine machine(const SystemOptions& options) {
  const auto read_in = read(options);
  if (read_in) return *read_in;
  ADD_FAILURE() << read_in.error().message;
  return {};
}

CollectiveRequest request(CollectiveKind kind, std::string_view algorithm) {
  return {.spec = {.kind = kind},
          .algorithm = std::string(algorithm),
          .type = ElementType::float32,
          .redop = ReduceOp::sum,
          .options = {}};
}

Plan planned(const CollectiveRequest& asked, const Machine& on, Bytes size = 1_MiB) {
  const auto contest = Contest::enter(asked, on);
  const auto plan = contest ? contest->only_plan(size) : tl::unexpected(contest.error());
  if (plan) return *plan;
  ADD_FAILURE() << plan.error().message;
  return {};
}

std::string refusal(const CollectiveRequest& asked, const Machine& on) {
  const auto contest = Contest::enter(asked, on);
  return contest ? "(entered)" : contest.error().message;
}

std::vector<const Algorithm*> tuned_algorithms() {
  std::vector<const Algorithm*> tuned;
  for (const Algorithm& algorithm : all_algorithms())
    if (algorithm.chunking == Chunking::tuned) tuned.push_back(&algorithm);
  return tuned;
}

/// Every number of chunks up to 256 that is 2^k or 2^k times the ranks, the slow and obvious way:
/// least first.
std::vector<std::pair<std::uint32_t, Duration>> priced(const Algorithm& algorithm,
                                                       CollectiveSpec spec, Bytes size,
                                                       LinkCost link) {
  std::vector<std::pair<std::uint32_t, Duration>> prices;
  for (std::uint32_t chunks = 1; chunks <= 256; ++chunks) {
    const auto is_power = [](std::uint32_t n) { return (n & (n - 1)) == 0; };
    if (!is_power(chunks) && (chunks % spec.ranks != 0 || !is_power(chunks / spec.ranks))) continue;
    Options options;
    options.chunks = chunks;
    if (const auto plan = make_plan(algorithm, spec, options))
      prices.emplace_back(chunks, algorithm.predict(plan->spec, plan->options, size, link));
  }
  return prices;
}

/// On a star whose routes cost 2 us and 25 GB/s.
TEST(ChunkTuning, TakesTheFewestChunksNearTheBestOfTheSizesThatRealPipelinesUse) {
  SystemOptions star = system("star");
  star.bandwidth = "25GB/s", star.latency = "1us";
  for (const std::uint32_t ranks : {2u, 6u, 8u}) {
    star.ranks = ranks;
    const Machine on = machine(star);
    for (const Algorithm* algorithm : tuned_algorithms()) {
      const auto asked = request(algorithm->collective, algorithm->name);
      for (Bytes size = 8_B; size <= 4_GiB; size = 2 * size) {
        SCOPED_TRACE(std::string(algorithm->name) + " " + to_string(size) + " on " +
                     std::to_string(ranks));
        const Plan plan = planned(asked, on, size);
        auto prices = priced(*algorithm, plan.spec, size, {2_us, 25_GBps});
        ASSERT_FALSE(prices.empty());
        while (prices.size() > 1 && size < prices.back().first * 4_KiB) prices.pop_back();
        Duration least = forever;
        for (const auto& [chunks, price] : prices) least = std::min(least, price);
        const auto wanted = std::find_if(prices.begin(), prices.end(), [&](const auto& price) {
          return static_cast<double>(price.second.picoseconds) <=
                     1.01 * static_cast<double>(least.picoseconds) &&
                 size <= price.first * 1_MiB;
        });
        EXPECT_EQ(plan.options.chunks,
                  wanted == prices.end() ? prices.back().first : wanted->first);
      }
    }
  }
}

TEST(ChunkTuning, CutsNoFinerForMoreRanksThanMustBe) {
  SystemOptions star = system("star");
  star.ranks = 1024;
  const Machine on = machine(star);
  for (const Algorithm* algorithm : tuned_algorithms()) {
    const auto chunks =
        planned(request(algorithm->collective, algorithm->name), on, 4_GiB).options.chunks;
    EXPECT_EQ(chunks, algorithm->name == "nvls" ? 1024u : 256u)  // a shard a rank, or as it likes
        << algorithm->name;
  }
}

TEST(ChunkTuning, LeavesAloneWhatTheUserFixed) {
  const Machine on = machine(system("star"));
  for (const Algorithm* algorithm : tuned_algorithms()) {
    auto asked = request(algorithm->collective, algorithm->name);
    asked.options.chunks = 48;
    EXPECT_EQ(planned(asked, on, 1_GiB).options.chunks, 48u) << algorithm->name;
  }
}

std::uint32_t node_of(const SystemOptions& options) {
  return planned(request(CollectiveKind::all_reduce, "hierarchical"), machine(options))
      .options.ranks_per_node;
}

TEST(Domain, IsWhatASwitchJoinsOrElseANode) {
  EXPECT_EQ(node_of(system("dgx-h100", 4, "ndr")), 8u) << "an NVSwitch a node";
  EXPECT_EQ(node_of(system("dgx1-v100", 2, "edr")), 8u) << "no switch: a node";
  EXPECT_EQ(node_of(system("gb200-nvl72", 36, "ndr")), 72u) << "18 trays of 4 share one switch";
}

TEST(Domain, IsNoneWhereGroupsAreUnequalOrOne) {
  for (const std::uint32_t trays : {18u, 19u}) {
    const Machine on = machine(system("gb200-nvl72", trays, "ndr"));
    const auto asked = request(CollectiveKind::all_reduce, "hierarchical");
    const auto contest = Contest::enter(asked, on);
    const auto by_default = make_plan(**find_algorithm(CollectiveKind::all_reduce, "hierarchical"),
                                      {.ranks = 4 * trays}, {});
    ASSERT_EQ(contest.has_value(), by_default.has_value()) << trays;
    if (contest) {
      EXPECT_EQ(contest->only_plan(1_MiB)->options, by_default->options) << trays;
    }
  }
}

TEST(Domain, IsNoneWhereOnlyTheFirstGroupsAreAlike) {
  Machine on = machine(system("ring"));
  for (std::uint32_t g = 0; g < 8; ++g) on.system.topology.devices[g].node = g < 4 ? g / 2 : 2;
  const auto asked = request(CollectiveKind::all_reduce, "hierarchical");
  EXPECT_EQ(planned(asked, on).options.ranks_per_node, 8u) << "2 + 2 + 4";
  for (std::uint32_t g = 4; g < 8; ++g) on.system.topology.devices[g].node = g / 2;
  EXPECT_EQ(planned(asked, on).options.ranks_per_node, 2u);
}

TEST(UnusedFlags, AreNotesAmongAllAndARefusalOfOne) {
  SystemOptions options = system("dgx-a100");
  options.rank_order = "7,6,5,4,3,2,1,0";
  const Machine on = machine(options);
  auto asked = request(CollectiveKind::all_reduce, "all");
  asked.options.ranks_per_node = 2;
  const auto contest = Contest::enter(asked, on);
  ASSERT_TRUE(contest) << contest.error().message;
  const auto& notes = contest->notes();
  const auto ignores = [&](std::string_view flag, std::string_view algorithm) {
    return std::any_of(notes.begin(), notes.end(), [&](const std::string& note) {
      const auto took_no = note.find("took no " + std::string(flag));
      return took_no != note.npos &&
             (", " + note.substr(0, took_no)).find(", " + std::string(algorithm)) != note.npos;
    });
  };
  EXPECT_TRUE(ignores("--rank-order", "star"));
  EXPECT_TRUE(ignores("--rank-order", "hierarchical"));
  EXPECT_FALSE(ignores("--rank-order", "ring")) << "it follows the order";
  EXPECT_TRUE(ignores("--ranks-per-node", "ring"));
  EXPECT_TRUE(ignores("--ranks-per-node", "star")) << "both flags, not the first alone";
  EXPECT_FALSE(ignores("--ranks-per-node", "hierarchical"));

  EXPECT_EQ(refusal(request(CollectiveKind::all_reduce, "star"), on),
            "star all_reduce takes no --rank-order");
  asked.algorithm = "star";
  EXPECT_EQ(refusal(asked, on), "star all_reduce takes no --rank-order, --ranks-per-node");
  asked.algorithm = "ring";
  EXPECT_EQ(refusal(asked, on), "ring all_reduce takes no --ranks-per-node");
}

TEST(Contest, ASizeThatOneCannotRunKeepsTheOthers) {
  // At 1 KB/s, what the star's hub carries takes longer than 53 days; the ring's wires do not.
  SystemOptions options = system("ring");
  options.bandwidth = "1KB/s";
  const auto slow = machine(options);
  const auto names = [&](Bytes size) {
    auto contest = *Contest::enter(request(CollectiveKind::all_reduce, "all"), slow);
    std::vector<std::string> ran;
    const auto done = contest.run(size, [&](Contest::Run& run) {
      ran.push_back(run.row.algorithm);
      return Result<void>{};
    });
    EXPECT_TRUE(done);
    const auto notes = contest.notes();
    const bool is_noted = std::ranges::any_of(notes, [](const std::string& note) {
      return note.find("star") != note.npos && note.find("not run at 256 MiB") != note.npos;
    });
    EXPECT_EQ(is_noted, std::ranges::count(ran, "star") == 0);
    return ran;
  };
  EXPECT_EQ(std::ranges::count(names(1_KiB), "star"), 1);
  EXPECT_EQ(std::ranges::count(names(256_MiB), "ring"), 1);
  EXPECT_EQ(std::ranges::count(names(256_MiB), "star"), 0);

  auto alone = *Contest::enter(request(CollectiveKind::all_reduce, "star"), slow);
  EXPECT_FALSE(alone.run(256_MiB, [](Contest::Run&) { return Result<void>{}; }));
}

TEST(UnusedFlags, WhatTheMachineChoseIsNoWishOfTheUser) {
  const auto contest =
      Contest::enter(request(CollectiveKind::all_reduce, "all"), machine(system("dgx-a100")));
  ASSERT_TRUE(contest);
  for (const auto& note : contest->notes()) EXPECT_EQ(note.find("took no"), note.npos) << note;
  SystemOptions options = system("dgx-a100");
  options.rank_order = "identity";
  EXPECT_EQ(refusal(request(CollectiveKind::all_reduce, "star"), machine(options)), "(entered)")
      << "the order it has anyway";
}

}  // namespace
}  // namespace ringside::scenario
