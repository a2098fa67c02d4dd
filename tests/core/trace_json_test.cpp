// Recorded runs as text: exact there and back, and one sentence for whatever else a file may hold.

#include "core/formats/trace_json.hpp"

#include <gmock/gmock.h>

#include <random>

#include "core/engine.hpp"
#include "core/formats/schedule_json.hpp"

namespace ringside {
namespace {

using testing::HasSubstr;

/// Spans in the order they promise, each picosecond different.
std::vector<Span> some_spans(std::size_t n, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<Span> spans;
  for (std::size_t i = 0; i < n; ++i) {
    Span span{{static_cast<std::int64_t>(random() % 1'000'000'000'000'007)}, {}, {}, {}, {}};
    const auto later = [&] { return Duration{static_cast<std::int64_t>(random() % 1'000'003)}; };
    span.begin = span.ready + later();
    span.read = span.begin + later();
    span.arrival = span.begin + later();
    span.commit = std::max(span.read, span.arrival) + later();
    spans.push_back(span);
  }
  return spans;
}

RecordedRun recorded(const Plan& plan, std::uint64_t count) {
  RecordedRun run;
  run.schedule = std::make_shared<const Schedule>(*build_schedule(plan));
  run.spans = some_spans(run.schedule->transfers().size(), count);
  run.row.collective = plan.spec.kind;
  run.row.algorithm = plan.algorithm->name;
  run.row.options = plan.options;
  run.row.protocol = "none";
  run.row.backend = "sim/flow";
  run.row.system = "机器 \"one\".toml";
  run.row.nodes = 2;
  run.row.net = "ib-ndr";
  run.row.conditions = {{.name = "rank-order", .values = {"0,1;1,0"}},
                        {.name = "no-p2p"},
                        {.name = "set", .values = {"nvlink.bandwidth=x0.5"}, .repeats = true},
                        {.name = "slow", .values = {"a->b=2x", "b->a=3x"}, .repeats = true}};
  run.row.ranks = plan.spec.ranks;
  for (std::uint32_t r = 0; r < plan.spec.ranks; ++r) run.row.devices.push_back(r / 2);
  run.row.count = count;
  run.row.type = ElementType::float16;
  run.row.size = size_of(plan.spec, count, ElementType::float16);
  if (reduces(plan.spec.kind)) run.row.redop = ReduceOp::max;
  if (has_root(plan.spec.kind)) run.row.root = plan.spec.root;
  run.row.in_place = plan.spec.in_place;
  run.row.time = Duration{987'654'321'012'345};
  run.row.busiest_link = "gpu0->gpu1";
  run.row.busiest_link_ties = 7;
  run.row.busiest_link_share = 0.1 + 0.2;
  run.share = "ring?ranks=8&system=%E6%9C%BA%E5%99%A8.toml";
  return run;
}

RecordedRun ring(std::uint32_t ranks) {
  const auto* algorithm = *find_algorithm(CollectiveKind::all_reduce, "ring");
  return recorded(*make_plan(*algorithm, {.kind = CollectiveKind::all_reduce, .ranks = ranks}, {}),
                  64);
}

void expect_equal(const RecordedRun& a, const RecordedRun& b) {
  EXPECT_EQ(schedule_to_json(*a.schedule), schedule_to_json(*b.schedule));
  ASSERT_EQ(a.spans.size(), b.spans.size());
  for (std::size_t i = 0; i < a.spans.size(); ++i) {
    EXPECT_EQ(a.spans[i].ready, b.spans[i].ready);
    EXPECT_EQ(a.spans[i].begin, b.spans[i].begin);
    EXPECT_EQ(a.spans[i].read, b.spans[i].read);
    EXPECT_EQ(a.spans[i].arrival, b.spans[i].arrival);
    EXPECT_EQ(a.spans[i].commit, b.spans[i].commit);
  }
  EXPECT_EQ(a.is_measured, b.is_measured);
  EXPECT_EQ(a.share, b.share);
  const Row &r = a.row, &s = b.row;
  EXPECT_EQ(r.collective, s.collective);
  EXPECT_EQ(r.algorithm, s.algorithm);
  EXPECT_EQ(r.options, s.options);
  EXPECT_EQ(r.protocol, s.protocol);
  EXPECT_EQ(r.backend, s.backend);
  EXPECT_EQ(r.system, s.system);
  EXPECT_EQ(r.nodes, s.nodes);
  EXPECT_EQ(r.net, s.net);
  ASSERT_EQ(r.conditions.size(), s.conditions.size());
  for (std::size_t i = 0; i < r.conditions.size(); ++i) {
    EXPECT_EQ(r.conditions[i].name, s.conditions[i].name);
    EXPECT_EQ(r.conditions[i].values, s.conditions[i].values);
    EXPECT_EQ(r.conditions[i].repeats, s.conditions[i].repeats);
  }
  EXPECT_EQ(r.ranks, s.ranks);
  EXPECT_EQ(r.devices, s.devices);
  EXPECT_EQ(r.size, s.size);
  EXPECT_EQ(r.count, s.count);
  EXPECT_EQ(r.type, s.type);
  EXPECT_EQ(r.redop, s.redop);
  EXPECT_EQ(r.root, s.root);
  EXPECT_EQ(r.in_place, s.in_place);
  EXPECT_EQ(r.time, s.time);
  EXPECT_EQ(r.busiest_link, s.busiest_link);
  EXPECT_EQ(r.busiest_link_ties, s.busiest_link_ties);
  EXPECT_EQ(r.busiest_link_share, s.busiest_link_share);
  EXPECT_EQ(r.wrong, s.wrong);
}

TEST(TraceJson, EveryAlgorithmSurvivesTheWayToTextAndBack) {
  std::size_t runs = 0;
  for (const Algorithm& algorithm : all_algorithms())
    for (const std::uint32_t ranks : {1u, 2u, 4u, 5u, 8u})
      for (const bool in_place : {false, true}) {
        const auto plan = make_plan(algorithm, {algorithm.collective, ranks, {0}, in_place}, {});
        if (!plan) continue;
        const RecordedRun run = recorded(*plan, 64 * plan->options.chunks);
        const auto text = trace_to_json(run);
        ASSERT_TRUE(text) << text.error().message;
        const auto again = trace_from_json(*text, "it");
        ASSERT_TRUE(again) << again.error().message;
        expect_equal(run, *again);
        EXPECT_EQ(*trace_to_json(*again), *text);
        ++runs;
      }
  EXPECT_GT(runs, 200u);
}

TEST(TraceJson, KeepsWhatOnlySomeRunsHave) {
  RecordedRun run = ring(4);
  run.is_measured = true;
  run.share.clear();
  run.row.wrong = 3;
  run.row.time.reset();
  run.row.busiest_link.clear();
  run.row.busiest_link_ties = 0;
  run.row.busiest_link_share.reset();
  run.row.options.rank_order = {{{0}, {2}, {1}, {3}}, {{3}, {1}, {2}, {0}}};
  run.row.options.dims = {2, 2};
  run.row.options.ranks_per_node = 2;
  const auto again = trace_from_json(*trace_to_json(run), "it");
  ASSERT_TRUE(again) << again.error().message;
  expect_equal(run, *again);
}

/// A valid text with `from` replaced by `to` once.
std::string changed(const std::string& from, const std::string& to) {
  RecordedRun run = ring(2);
  run.row.options.rank_order = {{{1}, {0}}};
  for (std::size_t i = 0; i < run.spans.size(); ++i)
    run.spans[i] = {{1}, {2}, {3}, {4}, {5 + static_cast<std::int64_t>(i)}};
  std::string text = *trace_to_json(run);
  const auto at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from << " in " << text;
  return text.replace(at, from.size(), to);
}

TEST(TraceJson, SaysWhereAndWhatWasExpected) {
  struct Case {
    const char *from, *to, *says;
  };
  const Case cases[] = {
      {"\"ringside_trace\":1", "\"ringside_trace\":2", "f: /ringside_trace: expected 1, found 2"},
      {"\"measured\":false,", "", "f: the field \"measured\" is missing"},
      {"\"measured\":false", "\"measured\":0", "f: /measured: expected true or false, found 0"},
      {"\"measured\"", "\"mesured\":1,\"measured\"", "did you mean measured"},
      {"\"share\":\"ring", "\"share\":\"\\u0007ring", "f: /share: expected one line"},
      {"\"row\"", "\"rows\"", "rows"},
      {"\"algorithm\":\"ring\",", "", "f: /row: the field \"algorithm\" is missing"},
      {"\"collective\":\"all_reduce\"", "\"collective\":\"all_redcue\"", "did you mean all_reduce"},
      {"\"collective\":\"all_reduce\"", "\"collective\":\"barrier\"",
       "f: /row/collective: expected \"all_reduce\", as the schedule says, found \"barrier\""},
      {"\"ranks\":2", "\"ranks\":3", "f: /row/ranks: expected 2, found 3"},
      {"\"devices\":[0,0]", "\"devices\":[0]", "f: /row/devices: expected one of each rank"},
      {"\"devices\":[0,0]", "\"devices\":[0,-1]", "f: /row/devices/1: expected a whole number"},
      {"\"bytes\":128", "\"bytes\":127", "f: /row/bytes: expected 128, which is what the count"},
      {"\"count\":64", "\"count\":9000000000000000000", "f: /row/count: "},
      {"\"count\":64", "\"count\":-64", "f: /row/count: expected a whole number"},
      {"\"count\":64", "\"count\":64.5", "f: /row/count: expected a whole number"},
      {"\"count\":64,", "", "f: /row: the field \"count\" is missing"},
      {"\"type\":\"half\"", "\"type\":\"halve\"", "f: /row/type: "},
      {"\"redop\":\"max\"", "\"redop\":\"maximum\"", "f: /row/redop: "},
      {"\"in_place\":false", "\"in_place\":true", "f: /row/in_place: row and schedule must agree"},
      {"\"time_ps\":987654321012345", "\"time_ps\":-1", "f: /row/time_ps: expected"},
      {"\"busiest_link_share\":0.3", "\"busiest_link_share\":9e9,\"wrong\":0.3",
       "f: /row/busiest_link_share: expected a share"},
      {"\"nodes\":2", "\"nodes\":-2", "f: /row/nodes: expected a whole number"},
      {"\"no_p2p\":true", "\"no_p2p\":false", "f: /row/conditions/no_p2p: expected true, a text"},
      {"\"no_p2p\":true", "\"no_p2p\":[true]", "f: /row/conditions/no_p2p: expected true, a text"},
      {"\"no_p2p\":true", "\"NO\":true", "f: /row/conditions: expected names of flags"},
      {"[[1,0]]", "[[1,1]]", "f: /row/options/rank_order/0/1: expected each of the ranks 0 to 1"},
      {"[[1,0]]", "[[1]]", "f: /row/options/rank_order/0: expected each of the ranks"},
      {"[[1,0]]", "[[1,2]]", "f: /row/options/rank_order/0/1: expected a whole number from 0 to 1"},
      {"[1, 2, 3, 4, 5]", "[1, 2, 3, 4]", "f: /spans/0: expected a span [ready, begin, read"},
      {"[1, 2, 3, 4, 5]", "[3, 2, 3, 4, 5]", "f: /spans/0: expected times in the order"},
      {"[1, 2, 3, 4, 5]", "[1, 2, 6, 4, 5]", "f: /spans/0: expected times in the order"},
      {"[1, 2, 3, 4, 5]", "[1, 2, 3, 1, 5]", "f: /spans/0: expected times in the order"},
      {"[1, 2, 3, 4, 5]", "[1, 2, 3, 6, 5]", "f: /spans/0: expected times in the order"},
      {"[1, 2, 3, 4, 5]", "[1, 2, 3, 4, 9223372036854775807]", "f: /spans/0/4: expected a whole"},
      {"[1, 2, 3, 4, 5]", "[1, 2, 3, 4.0, 5]", "f: /spans/0/3: expected a whole number"},
      {"  [1, 2, 3, 4, 5],\n", "", "f: /spans: expected one span for each of the schedule's"},
      {"\"ringside_schedule\"", "\"schedule\"", "f: the schedule: "},
      {"\"action\"", "\"acton\"", "f: the schedule: /steps/0/0: "},
      {"{", "[", "f is not JSON: at byte"},
  };
  for (const Case& c : cases) {
    const auto run = trace_from_json(changed(c.from, c.to), "f");
    ASSERT_FALSE(run) << c.to;
    EXPECT_THAT(run.error().message, HasSubstr(c.says));
    EXPECT_EQ(run.error().message.find('\n'), std::string::npos);
  }
  EXPECT_TRUE(trace_from_json(changed("", ""), "f"));
}

TEST(TraceJson, SurvivesWhatIsNoTraceAtAll) {
  for (const char* text : {"", "null", "[]", "{}", "1", "\"x\"", "{\"ringside_trace\": 1}",
                           "{\"ringside_schedule\": 1}", "\xff\xfe", "{\"ringside_trace\": 1e999}"})
    EXPECT_FALSE(trace_from_json(text, "f")) << text;
  EXPECT_THAT(trace_from_json(std::string(1'000'000, '['), "f").error().message,
              HasSubstr("nests 6 deep at most"));
}

TEST(TraceJson, ATextCutAnywhereIsRefused) {
  const std::string text = changed("", "");
  for (std::size_t n = 0; n + 2 < text.size(); ++n)
    EXPECT_FALSE(trace_from_json(std::string_view(text).substr(0, n), "f")) << n;
}

}  // namespace
}  // namespace ringside
