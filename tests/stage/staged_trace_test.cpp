// Runs opened from trace files: exactly what was recorded, on its machine where that is known.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

#include "core/file.hpp"
#include "core/formats/schedule_json.hpp"
#include "core/formats/trace_json.hpp"
#include "core/mutation.hpp"
#include "viz/stage/rank_kind.hpp"
#include "viz/stage/scene.hpp"
#include "viz/stage/staged_run.hpp"

namespace ringside::stage {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

scenario::Scenario scenario_of(const std::string& share) {
  return scenario::parse_share_string(share)->scenario;
}

RecordedRun record(const StagedRun& run) {
  return {.row = run.row,
          .schedule = run.schedule,
          .spans = run.spans,
          .is_measured = run.is_measured,
          .share = scenario::to_share_string({run.scenario, {}})};
}

/// A file with this in it, gone at the end.
class TraceFile {
 public:
  explicit TraceFile(const std::string& text)
      : path_(std::filesystem::temp_directory_path() /
              ("ringside_trace_" + std::to_string(getpid()) + ".json")) {
    EXPECT_TRUE(write_file(path_, text));
  }
  explicit TraceFile(const RecordedRun& run) : TraceFile(*trace_to_json(run)) {}
  ~TraceFile() { std::filesystem::remove(path_); }
  TraceFile(const TraceFile&) = delete;
  TraceFile& operator=(const TraceFile&) = delete;
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

void expect_same_times(std::span<const Span> a, std::span<const Span> b) {
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t i = 0; i < a.size(); ++i) {
    EXPECT_EQ(a[i].ready, b[i].ready);
    EXPECT_EQ(a[i].begin, b[i].begin);
    EXPECT_EQ(a[i].read, b[i].read);
    EXPECT_EQ(a[i].arrival, b[i].arrival);
    EXPECT_EQ(a[i].commit, b[i].commit);
  }
}

void expect_same_contents(const StagedRun& a, const StagedRun& b) {
  for (const double share : {0.0, 0.2, 0.5, 0.77, 1.0}) {
    const TimePoint now{
        static_cast<std::int64_t>(share * static_cast<double>(a.time().picoseconds))};
    EXPECT_EQ(a.timeline->under_way(now), b.timeline->under_way(now));
    for (std::uint32_t r = 0; r < a.ranks(); ++r)
      for (std::uint32_t c = 0; c < a.schedule->chunks(); ++c)
        EXPECT_EQ(a.timeline->shown({r}, {c}, now), b.timeline->shown({r}, {c}, now));
  }
}

TEST(StagedTrace, OfASimulatedRunIsThatRunOnItsMachine) {
  for (const char* share :
       {"ring?ranks=8&bytes=1M", "ring?system=dgx-a100&bytes=64M",
        "halving_doubling?ranks=16&system=mesh&bytes=64K&type=half&redop=max",
        "nvls?system=dgx-h100", "binomial?collective=broadcast&root=3&ranks=7&bytes=4K",
        "ring?ranks=6&bytes=1M&slow=gpu1-%3Egpu2%3D4x&straggler=3%3D50us&jitter=5%25",
        "ring?collective=all_gather&ranks=5&in-place=true&bytes=100000", "ring?ranks=1"}) {
    SCOPED_TRACE(share);
    const auto staged = stage_run(scenario_of(share));
    ASSERT_TRUE(staged) << staged.error().message;
    const StagedRun& before = **staged;
    const TraceFile file(record(before));
    const auto opened = stage_trace(file.path());
    ASSERT_TRUE(opened) << opened.error().message;
    const StagedRun& after = **opened;
    expect_same_times(before.spans, after.spans);
    expect_same_contents(before, after);
    EXPECT_EQ(after.notes, before.notes);
    EXPECT_EQ(after.topology->links.size(), before.topology->links.size());
    EXPECT_EQ(after.route_links, before.route_links);
    EXPECT_EQ(after.links.size(), before.links.size());
    EXPECT_EQ(after.is_logical, before.is_logical);
    EXPECT_FALSE(after.is_measured);
    EXPECT_EQ(after.row.time, before.row.time);
    EXPECT_EQ(after.trace, file.path());
    EXPECT_EQ(scenario::to_share_string({after.scenario, {}}),
              scenario::to_share_string({before.scenario, {}}));
  }
}

TEST(StagedTrace, OfABrokenRunIsAsBroken) {
  for (std::size_t m = 0; m < mutation_count; ++m) {
    const stage::Run before =
        *stage_run(scenario_of("ring?ranks=4&mistake=" + std::string(name(Mutation(m)))));
    const TraceFile file(record(*before));
    const auto after = stage_trace(file.path());
    ASSERT_TRUE(after) << after.error().message;
    EXPECT_EQ((*after)->mistake, before->mistake);
    EXPECT_EQ((*after)->violations.size(), before->violations.size());
    EXPECT_FALSE((*after)->is_logical && (*after)->links.empty()) << "simulated again, the same";
  }
}

/// As a real run could look: no two transfers alike, and no machine known.
RecordedRun measured(std::uint32_t ranks) {
  const stage::Run run =
      *stage_run(scenario_of("ring?ranks=" + std::to_string(ranks) + "&bytes=1M"));
  RecordedRun recorded = record(*run);
  recorded.is_measured = true;
  recorded.row.backend = "host";
  recorded.row.busiest_link.clear();
  recorded.row.busiest_link_share.reset();
  std::int64_t late = 1;
  for (Span& span : recorded.spans) {
    late = late * 31 % 999'983;
    for (TimePoint* at : {&span.ready, &span.begin, &span.read, &span.arrival, &span.commit})
      at->picoseconds += late;
  }
  return recorded;
}

TEST(StagedTrace, OfAMeasuredRunStandsOnWhoTalks) {
  const RecordedRun recorded = measured(6);
  const TraceFile file(recorded);
  const auto opened = stage_trace(file.path());
  ASSERT_TRUE(opened) << opened.error().message;
  const StagedRun& run = **opened;
  EXPECT_TRUE(run.is_measured && run.is_logical);
  expect_same_times(run.spans, recorded.spans);
  EXPECT_TRUE(run.violations.empty());
  EXPECT_TRUE(run.links.empty());
  EXPECT_EQ(run.topology->ranks.size(), 6u);
  ASSERT_EQ(run.topology->links.size(), 6u) << "a ring talks to the next rank alone";
  EXPECT_TRUE(sim::check(*run.topology));
  for (TransferId id{0}; id.value < run.spans.size(); ++id.value) {
    ASSERT_EQ(run.route(id).size(), 1u);
    const sim::Link& link = (*run.topology)[run.route(id).front()];
    const Transfer& t = (*run.schedule)[id];
    EXPECT_EQ(link.from, run.topology->ranks[t.src().rank.value]);
    EXPECT_EQ(link.to, run.topology->ranks[t.dst().rank.value]);
    // No message is faster than its wire: a load is a share.
    const Span& span = run.spans[id.value];
    EXPECT_LE(static_cast<double>(run.size(id).count) / (span.read - span.begin).seconds(),
              static_cast<double>(link.bandwidth.bytes_per_second) * (1 + 1e-9) + 1);
  }
  EXPECT_THAT(run.notes, testing::ElementsAre(HasSubstr("not as the machine is built")));
  const Scene scene = make_scene(run, {0, 0, 800, 600}, Model::Layout::automatic, 1);
  EXPECT_TRUE(scene.is_logical);
  EXPECT_EQ(scene.ranks.size(), 6u);
}

TEST(StagedTrace, RanksAreWhatTheyRanOn) {
  const auto kind = [](const std::string& backend, std::vector<std::uint32_t> devices = {}) {
    return rank_kind({.backend = backend, .devices = std::move(devices)}, true);
  };
  EXPECT_EQ(kind("host/sliced"), RankKind::thread);
  EXPECT_EQ(kind("mpi"), RankKind::process);
  EXPECT_EQ(kind("reference"), RankKind::unknown);
  EXPECT_EQ(kind("hosts"), RankKind::unknown);
  EXPECT_EQ(kind("cuda/streams", {0, 1, 2}), RankKind::gpu);
  EXPECT_EQ(kind("cuda/streams", {2, 1, 0}), RankKind::on_gpu);
  EXPECT_EQ(kind("cuda/kernel", {0, 0, 1}), RankKind::virtual_gpu);
  EXPECT_EQ(kind("cuda/kernel"), RankKind::unknown) << "it does not say";
  EXPECT_EQ(kind("nccl"), RankKind::gpu) << "NCCL gives each rank a GPU of its own";
  EXPECT_EQ(rank_kind({.backend = "sim/flow"}, false), RankKind::gpu);

  RecordedRun recorded = measured(3);
  const auto first_link = [&] {
    const TraceFile file(recorded);
    const stage::Run run = *stage_trace(file.path());
    return run->topology->link_name({0});
  };
  EXPECT_EQ(first_link(), "rank0->rank1");
  recorded.row.backend = "cuda/streams";
  recorded.row.devices = {0, 1, 2};
  EXPECT_EQ(first_link(), "gpu0->gpu1");
}

TEST(StagedTrace, SeatsAgentsOfAMachineUnknown) {
  const stage::Run before = *stage_run(scenario_of("nvls?system=dgx-h100"));
  RecordedRun recorded = record(*before);
  recorded.share.clear();
  const TraceFile file(recorded);
  const auto opened = stage_trace(file.path());
  ASSERT_TRUE(opened) << opened.error().message;
  const StagedRun& run = **opened;
  EXPECT_EQ(run.topology->ranks.size(), run.schedule->participants());
  EXPECT_EQ(run.topology->devices.back().kind, sim::DeviceKind::nvswitch);
  EXPECT_EQ(run.scenario.collective.algorithm, "nvls");
  EXPECT_EQ(run.scenario.system.ranks, 8u);
  make_scene(run, {0, 0, 800, 600}, Model::Layout::machine, 1);
  make_scene(run, {0, 0, 800, 600}, Model::Layout::ring, 1);
}

TEST(StagedTrace, OfAnotherMachineOrVersionIsShownAsRecorded) {
  const stage::Run before = *stage_run(scenario_of("ring?system=dgx-a100&bytes=1M"));
  for (const char* share : {"ring?system=dgx-a100&bytes=2M", "ring?system=dgx-h100&bytes=1M",
                            "ring?system=no-such-machine&bytes=1M", "star?system=dgx-a100&bytes=1M",
                            "ring?ranks=4&bytes=1M", "ring?system=-&bytes=1M"}) {
    SCOPED_TRACE(share);
    RecordedRun recorded = record(*before);
    recorded.share = share;
    const TraceFile file(recorded);
    const auto opened = stage_trace(file.path());
    ASSERT_TRUE(opened) << opened.error().message;
    expect_same_times((*opened)->spans, before->spans);
    expect_same_contents(**opened, *before);
    EXPECT_TRUE((*opened)->is_logical);
    EXPECT_THAT((*opened)->notes, testing::ElementsAre(HasSubstr("joined as they talk")));
  }
}

TEST(StagedTrace, OfAnAlgorithmUnknownHereIsShown) {
  RecordedRun recorded = measured(4);
  recorded.row.algorithm = "allreduce_a100_ncv4";
  recorded.share.clear();
  const TraceFile file(recorded);
  const auto opened = stage_trace(file.path());
  ASSERT_TRUE(opened) << opened.error().message;
  EXPECT_EQ((*opened)->plan.algorithm, nullptr);
  EXPECT_EQ((*opened)->row.algorithm, "allreduce_a100_ncv4");
}

TEST(StagedTrace, LendsNothingToRunsOfItsName) {
  // A file may say anything of "ring": here, a broken one that calls itself right.
  RecordedRun recorded =
      record(*stage_run(scenario_of("ring?ranks=4&bytes=1M&mistake=wrong_neighbour")).value());
  recorded.share = "ring?ranks=4&bytes=1M";
  const TraceFile file(recorded);
  const stage::Run lent = *stage_trace(file.path());
  EXPECT_FALSE(lent->violations.empty());
  const stage::Run run = *stage_run(lent->scenario, lent);
  EXPECT_TRUE(run->violations.empty());
  EXPECT_NE(run->schedule, lent->schedule);
}

TEST(StagedTrace, WhatCannotBeShownIsRefusedInASentence) {
  const auto refusal = [](const RecordedRun& run) {
    const TraceFile file(run);
    const auto opened = stage_trace(file.path());
    return opened ? std::string("none") : opened.error().message;
  };
  RecordedRun recorded = measured(4);
  recorded.share = "ring?ranks=many";
  EXPECT_THAT(refusal(recorded), HasSubstr(".json: /share: ranks: expected a whole number"));
  const TraceFile no_json("ring");
  EXPECT_THAT(stage_trace(no_json.path()).error().message, HasSubstr("is not JSON"));
  EXPECT_THAT(stage_trace("/no/such/file").error().message, HasSubstr("/no/such/file"));
  const auto plan = *make_plan(**find_algorithm(CollectiveKind::broadcast, "flat"),
                               {.kind = CollectiveKind::broadcast, .ranks = most_ranks + 1}, {});
  RecordedRun large;
  large.schedule = std::make_shared<const Schedule>(*build_schedule(plan));
  large.spans.resize(large.schedule->transfers().size());
  large.is_measured = true;
  large.row = {.collective = CollectiveKind::broadcast,
               .algorithm = "flat",
               .ranks = most_ranks + 1,
               .size = 4_B,
               .count = 1,
               .type = ElementType::float32};
  EXPECT_THAT(refusal(large), HasSubstr("257 ranks, more than the 256"));
}

}  // namespace
}  // namespace ringside::stage
