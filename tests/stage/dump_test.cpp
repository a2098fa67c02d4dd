// The dumped state: what it says is recomputed from the spans that it holds itself.

#include "viz/stage/dump.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "core/replay.hpp"
#include "viz/stage/action.hpp"

namespace ringside::stage {
namespace {

using Json = nlohmann::json;

Model model_of(const char* share) {
  Model model;
  model.scenario = scenario::parse_share_string(share)->scenario;
  model.run = *stage_run(model.scenario);
  return model;
}

Json at(Model model, std::int64_t now) {
  model.playback.now = {now};
  return Json::parse(dump_state(model));
}

/// Machines and algorithms, right and wrong ones.
constexpr const char* shares[] = {
    "ring?ranks=4&bytes=1M",
    "ring?ranks=5&bytes=1M&in-place=true",
    "halving_doubling?ranks=8&system=mesh&bytes=1M",
    "ring?system=dgx-a100&bytes=64M",
    "nvls?system=dgx-h100&bytes=1M",
    "ring?ranks=4&bytes=1M&mistake=doubled_add",
    "direct?collective=all_to_all&ranks=4&system=mesh&bytes=1M",
    "dissemination?collective=barrier&ranks=5&system=mesh",
    "ring?ranks=4&bytes=1M&straggler=2%3D40us&slow=gpu0-%3Egpu1%3D4x",
};

/// A few moments of a run, its ends among them.
std::vector<std::int64_t> moments(const Model& model) {
  const auto end = model.run->time().picoseconds;
  return {0, 1, end / 7, end / 3, end / 2, end - 1, end};
}

TEST(Dump, IsTheSameForTheSameModelAndValid) {
  for (const char* share : shares) {
    const Model model = model_of(share);
    EXPECT_EQ(dump_state(model), dump_state(model_of(share))) << share;
    EXPECT_TRUE(Json::accept(dump_state(model))) << share;
  }
  EXPECT_TRUE(Json::parse(dump_state(Model{}))["run"].is_null());
}

TEST(Dump, NumbersFollowFromTheSpansInIt) {
  for (const char* share : shares) {
    const Model model = model_of(share);
    for (const auto now : moments(model)) {
      SCOPED_TRACE(std::string(share) + " at " + std::to_string(now));
      const Json run = at(model, now)["run"], &numbers = run["numbers"];
      std::uint64_t sent = 0, all = 0, committed = 0, messages = 0;
      std::int64_t last = 0;
      for (const Json& t : run["transfers"]) {
        last = std::max(last, t["commit_ps"].get<std::int64_t>());
        if (t["from"][0] == t["to"][0]) continue;
        const std::int64_t begin = t["begin_ps"], read = t["read_ps"];
        const double share_sent =
            now >= read    ? 1
            : now <= begin ? 0
                           : static_cast<double>(now - begin) / static_cast<double>(read - begin);
        const std::uint64_t bytes = t["bytes"];
        sent += static_cast<std::uint64_t>(static_cast<double>(bytes) * share_sent);
        all += bytes;
        ++messages;
        committed += t["commit_ps"] <= now ? 1 : 0;
      }
      EXPECT_EQ(numbers["sent_bytes"], sent);
      EXPECT_EQ(numbers["to_send_bytes"], all);
      EXPECT_EQ(numbers["messages"], committed);
      EXPECT_EQ(numbers["messages_in_all"], messages);
      EXPECT_EQ(numbers["finished"], now >= last);
      EXPECT_EQ(run["time_ps"], last);
      if (now == last) {
        EXPECT_EQ(sent, all);
      }
      if (numbers.contains("algbw_GBps")) {
        const double algbw = run["row"]["bytes"].get<double>() / static_cast<double>(last) * 1e3;
        EXPECT_DOUBLE_EQ(numbers["algbw_GBps"], algbw);
        EXPECT_DOUBLE_EQ(
            numbers["busbw_GBps"],
            algbw * busbw_factor(model.run->schedule->spec().kind, model.run->ranks()));
      }
    }
  }
}

TEST(Dump, PortsAndIdleTimesFollowFromTheSpansInIt) {
  for (const char* share : shares) {
    const Model model = model_of(share);
    const auto end = model.run->time().picoseconds;
    for (const auto now : moments(model)) {
      SCOPED_TRACE(std::string(share) + " at " + std::to_string(now));
      const Json run = at(model, now)["run"];
      const Json& ports = run["numbers"]["ports"];
      std::vector<std::uint64_t> out(ports.size()), in(ports.size());
      // Where something begins or ends for a rank: +1, -1.
      std::vector<std::map<std::int64_t, int>> edges(ports.size());
      for (const Json& t : run["transfers"]) {
        const std::size_t from = t["from"][0], to = t["to"][0];
        if (from == to) continue;
        if (t["read_ps"] <= now) out[from] += t["bytes"].get<std::uint64_t>();
        if (t["read_ps"] <= now) in[to] += t["bytes"].get<std::uint64_t>();
        for (const std::size_t r : {from, to}) {
          ++edges[r][std::min(t["begin_ps"].get<std::int64_t>(), now)];
          --edges[r][std::min(t["arrival_ps"].get<std::int64_t>(), now)];
        }
      }
      for (std::size_t r = 0; r < ports.size(); ++r) {
        std::int64_t idle = 0, since = 0;
        int open = 0;
        edges[r][now] += 0;
        for (const auto& [time, change] : edges[r]) {
          if (open == 0) idle += time - since;
          open += change;
          since = time;
        }
        EXPECT_EQ(ports[r]["idle_ps"], idle) << "rank " << r;
        // What is still leaving counts in part.
        EXPECT_GE(ports[r]["out_bytes"].get<std::uint64_t>(), out[r]);
        EXPECT_GE(ports[r]["in_bytes"].get<std::uint64_t>(), in[r]);
        if (now == end) {
          EXPECT_EQ(ports[r]["out_bytes"], out[r]);
          EXPECT_EQ(ports[r]["in_bytes"], in[r]);
        }
      }
    }
  }
}

TEST(Dump, LinksCarryWhatCrossesThem) {
  for (const char* share : shares) {
    const Model model = model_of(share);
    const Json run = at(model, model.run->time().picoseconds / 3)["run"];
    std::map<std::string, std::uint64_t> crossed;
    for (const Json& t : run["transfers"])
      for (const Json& link : t["route"]) crossed[link] += t["bytes"].get<std::uint64_t>();
    std::erase_if(crossed, [](const auto& link) { return link.second == 0; });
    std::map<std::string, std::uint64_t> said;
    double most = 0;
    for (const Json& link : run["links"]) {
      said[link["link"]] = link["bytes"];
      most = std::max(most, link["busy_ps"].get<double>());
      EXPECT_GE(link["load"], 0);
      EXPECT_LE(link["load"], 1);
    }
    EXPECT_EQ(said, crossed) << share;
    std::set<std::string> busiest, named;
    for (const Json& link : run["links"])
      if (link["busy_ps"] == most) busiest.insert(link["link"]);
    for (const Json& link : run["numbers"]["busiest_links"]) named.insert(link);
    if (most > 0) {
      EXPECT_EQ(named, busiest) << share;
      EXPECT_NEAR(run["numbers"]["busiest_share"], most / run["time_ps"].get<double>(), 1e-12);
    }
  }
}

TEST(Dump, ARingsLinksAreFullOnceTheyAreInUse) {
  const Model model = model_of("ring?ranks=4&bytes=1G");
  const Json run = at(model, model.run->time().picoseconds / 100)["run"];
  ASSERT_EQ(run["links"].size(), 4u);
  for (const Json& link : run["links"]) EXPECT_NEAR(link["load"], 1, 1e-6) << link;
}

TEST(Dump, SlotsHoldWhatTheReplayHoldsAtTheEnd) {
  for (const char* share : shares) {
    const Model model = model_of(share);
    const Json run = at(model, model.run->time().picoseconds)["run"];
    Replay replay(*model.run->schedule);
    replay.seek(replay.length());
    for (const Json& slot : run["slots"]) {
      const Slot place{{slot["slot"][0]},
                       slot["slot"][1] == "input"    ? Buffer::input
                       : slot["slot"][1] == "output" ? Buffer::output
                                                     : Buffer::scratch,
                       {slot["slot"][2]}};
      const auto& held = replay.at(place);
      ASSERT_TRUE(held.has_value()) << share << to_string(place);
      EXPECT_EQ(slot["value"], held->value);
      EXPECT_EQ(slot["contributors"].size(), held->contributors());
    }
    EXPECT_EQ(run["proven"], run["violations"].empty());
    EXPECT_EQ(run["proven"], model.scenario.mistake.empty()) << share;
    EXPECT_TRUE(run["under_way"].empty());
  }
}

TEST(Dump, UnderWayIsWhatHasBegunAndIsNotThere) {
  for (const char* share : shares) {
    const Model model = model_of(share);
    for (const auto now : moments(model)) {
      const Json run = at(model, now)["run"];
      std::set<std::uint32_t> expected, said;
      for (const Json& t : run["transfers"])
        if (t["from"][0] != t["to"][0] && t["begin_ps"] <= now && now < t["commit_ps"])
          expected.insert(t["id"].get<std::uint32_t>());
      for (const Json& flight : run["under_way"]) said.insert(flight["id"].get<std::uint32_t>());
      EXPECT_EQ(said, expected) << share << " at " << now;
    }
  }
}

TEST(Dump, SaysWhatTheUserDid) {
  Model model = model_of("ring?ranks=4&bytes=1M");
  Director director;
  apply(model, Command::language, director);
  apply(model, Command::theme, director);
  apply(model, Select{{.rank = Rank{2}}}, director);
  const LinkId link = find_links(*model.run->topology, "gpu1->gpu2")->front();
  apply(model, Hover{{.link = link}}, director);
  apply(model, Seek{microseconds(3)}, director);
  apply(model, Command::fork, director);
  const Json state = Json::parse(dump_state(model));
  EXPECT_EQ(state["language"], "zh");
  EXPECT_EQ(state["theme"], "projector");
  EXPECT_EQ(state["selected"], Json::parse(R"({"rank": 2})"));
  EXPECT_EQ(state["hover"], Json::parse(R"({"link": "gpu1->gpu2"})"));
  EXPECT_EQ(state["now_ps"], 3'000'000);
  EXPECT_EQ(state["ghost"]["time_ps"], model.run->time().picoseconds);
  EXPECT_THAT(state["share"].get<std::string>(), testing::HasSubstr("t=3us"));
}

}  // namespace
}  // namespace ringside::stage
