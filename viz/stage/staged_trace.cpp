// Runs from trace files, on the machine they ran on or on what their messages say of it.

#include <algorithm>
#include <map>

#include "core/file.hpp"
#include "core/formats/schedule_json.hpp"
#include "core/formats/trace_json.hpp"
#include "core/suggest.hpp"
#include "viz/stage/rank_kind.hpp"
#include "viz/stage/staging.hpp"

namespace ringside::stage {
namespace {

using scenario::Scenario;
using scenario::set_field;

/// What would be asked for to see such a run again.
Result<Scenario> scenario_of(const RecordedRun& run, const std::string& path) {
  if (!run.share.empty()) {
    auto share = scenario::parse_share_string(run.share);
    if (!share) return bad_request(path + ": /share: " + share.error().message);
    return share->scenario;
  }
  const Row& row = run.row;
  Scenario asked;
  asked.collective.collective = name(row.collective);
  asked.collective.algorithm = row.algorithm;
  asked.collective.type = name(*row.type);
  if (row.redop) asked.collective.redop = name(*row.redop);
  if (row.root) asked.collective.root = row.root->value;
  asked.collective.in_place = row.in_place;
  asked.collective.bytes = std::to_string(row.size->count);
  asked.system.ranks = row.ranks;
  // All that a machine does not decide.
  Options& options = asked.collective.options;
  options.chunks = row.options.chunks;
  options.channels = row.options.channels;
  options.ranks_per_node = row.options.ranks_per_node;
  return asked;
}

Result<void> check_watchable(const RecordedRun& run, const std::string& path) {
  if (run.row.ranks <= most_ranks) return {};
  return bad_request(path + ": a run of " + counted(run.row.ranks, "rank") + ", more than the " +
                     std::to_string(most_ranks) + " that can be watched");
}

bool is_same(const RecordedRun& recorded, const StagedRun& run) {
  return std::ranges::equal(recorded.spans, run.spans) &&
         run.payload.count == *recorded.row.count && run.payload.type == *recorded.row.type &&
         schedule_to_json(*recorded.schedule) == schedule_to_json(*run.schedule);
}

/// The same run, simulated anew for its machine; null, and why not, if it comes out otherwise.
Run again(const RecordedRun& recorded, const Scenario& asked, std::string& why_not) {
  if (recorded.share.empty() || asked.system.system == "-") {
    why_not = "the file does not say which";
    return nullptr;
  }
  const auto run = stage_run(asked);
  if (!run)
    why_not = run.error().message;
  else if (!is_same(recorded, **run))
    why_not = "simulated again, the run comes out otherwise";
  else
    return *run;
  return nullptr;
}

Bandwidth rate(Bytes size, Duration time) {
  constexpr double most = 7e16;  // 70 PB/s: nothing measured comes near
  const double seconds = std::max(time.seconds(), 1e-12);
  return {
      static_cast<std::uint64_t>(std::clamp(static_cast<double>(size.count) / seconds, 1.0, most))};
}

/// Each rank joined to those it sends to, by a wire as fast as its fastest message.
void join_who_talk(StagedRun& run) {
  const bool are_gpus = rank_kind(run.row, run.is_measured) == RankKind::gpu;
  auto topology = std::make_shared<sim::Topology>();
  topology->name = "as recorded";
  for (std::uint32_t r = 0; r < run.schedule->participants(); ++r) {
    const bool is_agent = r >= run.ranks();
    sim::Device device{.name = is_agent ? "sw" + std::to_string(r - run.ranks())
                                        : (are_gpus ? "gpu" : "rank") + std::to_string(r),
                       .kind = is_agent ? sim::DeviceKind::nvswitch : sim::DeviceKind::gpu};
    topology->ranks.push_back(topology->add(std::move(device)));
  }
  std::map<std::pair<Rank, Rank>, Bandwidth> fastest;
  for (TransferId id{0}; id.value < run.spans.size(); ++id.value) {
    const Transfer& t = (*run.schedule)[id];
    if (t.is_local()) continue;
    const Span& span = run.spans[id.value];
    Bandwidth& known = fastest[{t.src().rank, t.dst().rank}];
    known = std::max(known, rate(run.size(id), span.read - span.begin));
  }
  std::map<std::pair<Rank, Rank>, LinkId> wires;
  for (const auto& [pair, bandwidth] : fastest)
    wires[pair] = topology->add(sim::Link{.from = topology->ranks[pair.first.value],
                                          .to = topology->ranks[pair.second.value],
                                          .bandwidth = bandwidth,
                                          .latency = {}});
  run.topology = topology;
  run.route_begin.assign(1, 0);
  for (const Transfer& t : run.schedule->transfers()) {
    if (!t.is_local()) run.route_links.push_back(wires[{t.src().rank, t.dst().rank}]);
    run.route_begin.push_back(static_cast<std::uint32_t>(run.route_links.size()));
  }
}

/// On no machine: what the file alone says.
Result<void> stand_alone(StagedRun& run, const RecordedRun& recorded) {
  run.row = recorded.row;
  run.is_measured = recorded.is_measured;
  run.plan.spec = recorded.schedule->spec();
  run.plan.options = recorded.row.options;
  if (const auto known = find_algorithm(recorded.row.collective, recorded.row.algorithm))
    run.plan.algorithm = *known;
  run.payload = {*recorded.row.count, *recorded.row.type};
  run.spans = recorded.spans;
  run.is_logical = true;
  RS_TRY(detail::tell(run, recorded.schedule));
  detail::weigh(run);
  join_who_talk(run);
  return {};
}

}  // namespace

Result<Run> stage_trace(const std::string& path) {
  RS_ASSIGN(const std::string text, read_file(path));
  RS_ASSIGN(const RecordedRun recorded, trace_from_json(text, path));
  RS_ASSIGN(const Scenario asked, scenario_of(recorded, path));
  RS_TRY(check_watchable(recorded, path));
  std::string unknown = "a file of measured times does not say how it is wired";
  const Run same = recorded.is_measured ? nullptr : again(recorded, asked, unknown);
  auto run = same ? std::make_shared<StagedRun>(*same) : std::make_shared<StagedRun>();
  run->scenario = asked;
  if (!same) {
    RS_TRY(stand_alone(*run, recorded));
    run->notes.push_back("ranks are joined as they talk, not as the machine is built: " + unknown);
  }
  run->row = recorded.row;
  run->is_measured = recorded.is_measured;
  run->trace = path;
  // The one of `same` looks at spans of its own.
  run->timeline = std::make_shared<const Timeline>(*run->schedule, *run->story, run->spans);
  return Run(std::move(run));
}

}  // namespace ringside::stage
