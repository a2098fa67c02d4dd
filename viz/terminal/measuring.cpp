#include "viz/terminal/measuring.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "core/formats/schedule_file.hpp"
#include "core/seen_from_outside.hpp"

namespace ringside::terminal {
namespace {

constexpr double mulsum_scalar = 2;  // exact in every type

Result<Entrant> enter(const Algorithm& algorithm, const CollectiveSpec& spec,
                      const Options& options, const Backend& backend) {
  RS_ASSIGN(const Plan plan, make_plan(algorithm, spec, options));
  if (plan.options.agents > 0 && !backend.capabilities().agents)
    return bad_request(fmt::format("backend {} has no switch that computes", backend.name()));
  RS_ASSIGN(Schedule schedule, build_proven(plan));
  return Entrant{plan, std::make_shared<const Schedule>(std::move(schedule))};
}

/// Both placements that were asked for, if the algorithm can; an error if neither.
Result<Contender> enter(const Algorithm& algorithm, const scenario::CollectiveRequest& request,
                        Asked asked, const Backend& backend) {
  Contender contender;
  std::optional<Error> refusal;
  const auto place = [&](bool in_place, std::optional<Entrant>& to) {
    CollectiveSpec spec = request.spec;
    spec.in_place = in_place;
    auto entrant = enter(algorithm, spec, request.options, backend);
    if (entrant)
      to = *std::move(entrant);
    else if (!refusal)
      refusal = entrant.error();
  };
  if (asked.out_of_place) place(false, contender.out_of_place);
  if (asked.in_place && (may_be_in_place(request.spec.kind) || !asked.out_of_place))
    place(true, contender.in_place);
  if (!contender.out_of_place && !contender.in_place) return tl::unexpected<Error>(*refusal);
  return contender;
}

Row row_of(const Entrant& entrant, const Amount& amount, const Measurement& measurement,
           const Backend& backend) {
  const CollectiveSpec& spec = entrant.plan.spec;
  Row row{
      .collective = spec.kind,
      .algorithm = name(entrant.plan),
      .options = entrant.plan.options,
      .backend = measurement.executor.empty() ? std::string(backend.name()) : measurement.executor,
      .ranks = spec.ranks,
      .devices = backend.setting(entrant.schedule->participants()).gpus,
      .size = size_of(spec, amount.count, amount.type),
      .count = amount.count,
      .type = amount.type,
      .in_place = spec.in_place};
  row.devices.resize(std::min<std::size_t>(row.devices.size(), spec.ranks));  // no agents
  if (is_unscheduled(backend, row.backend)) {
    row.algorithm = "none";
    row.options = {};
  }
  if (reduces(spec.kind)) row.redop = amount.redop;
  if (has_root(spec.kind)) row.root = spec.root;
  if (!measurement.iterations.empty()) {
    row.statistics = statistics_of(measurement.iterations);
    row.time = row.statistics->median;
  }
  return row;
}

}  // namespace

bool is_unscheduled(const Backend& backend, std::string_view executor) {
  const auto slash = executor.find('/');
  if (slash != std::string_view::npos) executor.remove_prefix(slash + 1);
  return std::ranges::count(backend.capabilities().unscheduled, executor) > 0;
}

Work work_of(const Entrant& entrant, const Amount& amount) {
  return {entrant.schedule.get(), amount.count, amount.type, amount.redop, mulsum_scalar};
}

Result<void> check_amount(const Backend& backend, const Entrant& entrant, const Amount& amount,
                          std::uint64_t times) {
  if (const auto& file = entrant.plan.options.stored)
    RS_TRY(check_divides(*file, amount.count, amount.type));
  Amount all = amount;
  all.count *= times;
  return check_room(backend, work_of(entrant, all));
}

Result<std::vector<Contender>> enter(const scenario::CollectiveRequest& request, Asked asked,
                                     const Backend& backend, std::vector<std::string>& notes) {
  std::vector<Contender> contenders;
  if (request.algorithm != "all") {
    RS_ASSIGN(const Algorithm* algorithm, scenario::algorithm_of(request));
    RS_ASSIGN(auto contender, enter(*algorithm, request, asked, backend));
    contenders.push_back(std::move(contender));
    return contenders;
  }
  std::map<std::string, std::vector<std::string_view>> left_out;  // by reason
  for (const Algorithm& algorithm : all_algorithms()) {
    if (algorithm.collective != request.spec.kind) continue;
    auto contender = enter(algorithm, request, asked, backend);
    if (contender)
      contenders.push_back(*std::move(contender));
    else
      left_out[contender.error().message].push_back(algorithm.name);
  }
  for (const auto& [reason, names] : left_out)
    notes.push_back(fmt::format("{} not run: {}", fmt::join(names, ", "), reason));
  if (contenders.empty())
    return bad_request(fmt::format("no {} algorithm can run here: {}", name(request.spec.kind),
                                   fmt::join(notes, "; ")));
  return contenders;
}

Result<Measured> measure(Backend& backend, const Entrant& entrant, const Amount& amount,
                         const Manner& manner) {
  const Work work = work_of(entrant, amount);
  Trial trial{.check = manner.checks > 0,
              .misaligned = manner.misaligned,
              .warmup = manner.warmup,
              .iterations = manner.iterations,
              .run = manner.run};
  RS_ASSIGN(const Outcome timed, execute(backend, work, trial));
  Row row = row_of(entrant, amount, timed.measurement, backend);
  auto all = timed.comparison;
  trial.iterations = trial.warmup = 0;
  for (int check = 1; check < manner.checks; ++check) {
    trial.data = static_cast<DataKind>(static_cast<std::size_t>(check) % data_kind_count);
    ++trial.seed;
    RS_ASSIGN(const Outcome again, execute(backend, work, trial));
    all += again.comparison;
  }
  if (manner.checks > 0) row.wrong = all.wrong;
  row.violation = all.first;
  return Measured{std::move(row), timed.measurement.notes};
}

Result<Recording> record(Backend& backend, const Entrant& entrant, const Amount& amount,
                         const Manner& manner) {
  Trial trial{.check = false,
              .misaligned = manner.misaligned,
              .warmup = 1,
              .iterations = 1,
              .run = manner.run};
  trial.run.trace = true;
  auto traced = execute(backend, work_of(entrant, amount), trial);
  if (!traced && traced.error().kind == ErrorKind::request) {  // that executor keeps none
    trial.run.executor = "";                                   // whichever does
    traced = execute(backend, work_of(entrant, amount), trial);
  }
  RS_ASSIGN(Outcome outcome, std::move(traced));
  Row row = row_of(entrant, amount, outcome.measurement, backend);
  row.protocol = "none";
  row.statistics.reset();
  row.time = Duration{0};
  auto& trace = outcome.measurement.trace;
  for (const Span& span : trace) row.time = std::max(*row.time, span.commit);
  auto schedule = entrant.schedule;
  if (is_unscheduled(backend, row.backend)) {
    RS_ASSIGN(Schedule seen, seen_from_outside(entrant.plan.spec));
    trace = spans_from_outside(seen, trace);
    schedule = std::make_shared<const Schedule>(std::move(seen));
  }
  return Recording{{.row = row,
                    .schedule = std::move(schedule),
                    .spans = std::move(trace),
                    .is_measured = true,
                    .share = ""},
                   outcome.measurement.clock_error};
}

}  // namespace ringside::terminal
