// Files for Perfetto: they keep the format's rules, and the rules notice when one does not.

#include "core/formats/trace_events.hpp"

#include <gmock/gmock.h>

#include "core/engine.hpp"
#include "tests/core/trace_events_rules.hpp"

namespace ringside {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;

/// All messages of a step at once: they overlap wherever the algorithm lets them.
RecordedRun in_step(CollectiveKind kind, const char* algorithm, std::uint32_t ranks) {
  const CollectiveSpec spec{.kind = kind, .ranks = ranks};
  const Plan plan = *make_plan(**find_algorithm(kind, algorithm), spec, {});
  RecordedRun run;
  run.schedule = std::make_shared<const Schedule>(*build_schedule(plan));
  run.row.collective = kind;
  run.row.algorithm = algorithm;
  run.row.ranks = ranks;
  run.row.count = 1024;
  run.row.type = ElementType::float32;
  for (TransferId id{0}; id.value < run.schedule->transfers().size(); ++id.value) {
    const TimePoint begin = run.schedule->step(id).value * 10_us;
    run.spans.push_back({begin, begin + 1_ns, begin + 5_us + Duration{id.value},
                         begin + 7_us + Duration{id.value}, begin + 9_us});
  }
  return run;
}

std::string text_of(const RecordedRun& run) {
  const UsedWires used = wires_between_ranks(run);
  std::string text;
  const auto written =
      write_trace_events({.run = run, .used = used, .version = "1", .command = "a \"quoted\" one"},
                         [&](std::string_view piece) -> Result<void> {
                           text += piece;
                           return {};
                         });
  EXPECT_TRUE(written);
  return text;
}

TEST(TraceEvents, KeepTheRulesForEveryAlgorithm) {
  for (const Algorithm& algorithm : all_algorithms()) {
    const CollectiveSpec spec{.kind = algorithm.collective, .ranks = 4};
    if (!make_plan(algorithm, spec, {})) continue;
    TraceEventRules rules;
    const RecordedRun run = in_step(algorithm.collective, std::string(algorithm.name).c_str(), 4);
    EXPECT_THAT(rules.faults_of(text_of(run)), IsEmpty()) << algorithm.name;
    std::size_t slices = 0;
    for (const Transfer& t : run.schedule->transfers()) slices += t.is_local() ? 1 : 2;
    EXPECT_EQ(rules.slices, slices) << algorithm.name;
  }
}

TEST(TraceEvents, OfARingTakeOneThreadForSendsAndOneForReceives) {
  TraceEventRules rules;
  EXPECT_THAT(rules.faults_of(text_of(in_step(CollectiveKind::all_reduce, "ring", 5))), IsEmpty());
  EXPECT_EQ(rules.threads["channel 0 sends"], 5u);
  EXPECT_EQ(rules.threads["channel 0 receives"], 5u);
  EXPECT_EQ(rules.threads["channel 0 sends, 2"], 0u);
  EXPECT_THAT(rules.processes, Contains("rank 4"));
}

TEST(TraceEvents, ThatOverlapGetThreadsOfTheirOwn) {
  TraceEventRules rules;
  EXPECT_THAT(rules.faults_of(text_of(in_step(CollectiveKind::all_to_all, "direct", 4))),
              IsEmpty());
  std::size_t sends = 0;
  for (const auto& [name, count] : rules.threads)
    if (name.find("sends") != std::string::npos) sends += count;
  EXPECT_GE(sends, 4u);
}

TEST(TraceEvents, CountWhatIsUnderWayOnAWire) {
  TraceEventRules rules;
  EXPECT_THAT(rules.faults_of(text_of(in_step(CollectiveKind::all_reduce, "ring", 4))), IsEmpty());
  EXPECT_EQ(rules.most["links: bytes under way/rank0->rank1"], 1024) << "a quarter of 4 KiB";
  EXPECT_NEAR(rules.most["links: in use/rank0->rank1"], 0.205, 0.001) << "1 KiB in 5 us, GB/s";
}

TEST(TraceEvents, TimesAreWholeNanosecondsThatNeverGoBack) {
  RecordedRun run = in_step(CollectiveKind::all_reduce, "ring", 2);
  for (Span& span : run.spans) {
    const Duration odd{span.begin.picoseconds + 999};
    span = {odd, odd, odd, odd, odd};  // takes no time at all
  }
  const std::string text = text_of(run);
  EXPECT_THAT(TraceEventRules().faults_of(text), IsEmpty());
  EXPECT_THAT(text, HasSubstr("\"ts\": 10.001"));
}

/// The first line that holds `what` is gone, or changed.
std::string without(std::string text, const std::string& what) {
  const auto at = text.find(what);
  const auto begin = text.rfind('\n', at);
  text.erase(begin, text.find('\n', at) - begin);
  return text;
}
std::string changed(std::string text, const std::string& from, const std::string& to) {
  return text.replace(text.find(from), from.size(), to);
}

TEST(TraceEventRules, NoticeEveryMistake) {
  const std::string text = text_of(in_step(CollectiveKind::all_reduce, "ring", 3));
  const auto fault = [](const std::string& broken) {
    const auto faults = TraceEventRules().faults_of(broken);
    return faults.empty() ? "none" : faults.front();
  };
  EXPECT_THAT(fault(without(text, "\"ph\": \"E\"")), HasSubstr("a slice within a slice"));
  EXPECT_THAT(fault(without(text, "\"ph\": \"B\"")), HasSubstr("an arrow outside all slices"));
  EXPECT_THAT(fault(without(text, "\"ph\": \"f\"")), HasSubstr("ends nowhere"));
  EXPECT_THAT(fault(without(text, "\"ph\": \"s\"")), HasSubstr("start nowhere"));
  EXPECT_THAT(fault(without(text, "process_name")), HasSubstr("without a name"));
  EXPECT_THAT(fault(without(text, "thread_name")), HasSubstr("without a name"));
  EXPECT_THAT(fault(changed(text, "\"tid\": 2", "\"tid\": 1")), HasSubstr("two threads"));
  EXPECT_THAT(fault(changed(text, "\"bytes\": 0", "\"bytes\": -1")), HasSubstr("no number"));
  EXPECT_THAT(fault(changed(text, "\"ph\": \"E\"", "\"ph\": \"X\"")), HasSubstr("no such phase"));
  EXPECT_THAT(fault(text.substr(0, text.size() / 2)), HasSubstr("no object"));
}

}  // namespace
}  // namespace ringside
