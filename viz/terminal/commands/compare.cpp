// `ringside compare`: what was measured beside what was measured before, or beside what the
// simulator says.

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <map>
#include <memory>
#include <set>

#include "core/algorithm.hpp"
#include "core/file.hpp"
#include "core/formats/measured_log.hpp"
#include "core/suggest.hpp"
#include "sim/tuner.hpp"
#include "viz/scenario/contest.hpp"
#include "viz/scenario/flags.hpp"
#include "viz/scenario/log_platform.hpp"
#include "viz/scenario/recordings.hpp"
#include "viz/terminal/command.hpp"
#include "viz/terminal/comparison.hpp"
#include "viz/terminal/file_times.hpp"
#include "viz/terminal/fitted_system.hpp"
#include "viz/terminal/output.hpp"

namespace ringside::terminal {
namespace {

struct CompareOptions {
  std::vector<std::string> files;
  std::string fail_over;  ///< empty: nothing fails
  scenario::SystemOptions system;
  std::string collective;          ///< empty: as the log says
  std::string algorithm = "auto";  ///< where a log names none
  std::string protocol;
  std::string schedule;  ///< a file that the rows ran; empty: none
  bool fits = false;
  OutputOptions output;
};

Result<MeasuredLog> read(const CompareOptions& options, const std::string& file,
                         std::vector<std::string>& notes) {
  RS_ASSIGN(const std::string text, scenario::read_log_text(file));
  LogOptions known{.ranks = static_cast<std::uint32_t>(options.system.ranks)};
  if (!options.collective.empty()) {
    RS_ASSIGN(known.collective, parse_collective(options.collective));
  }
  const std::string called = file == "-" ? "standard input" : file;
  RS_ASSIGN(auto log, read_measured(text, called, known));
  for (const auto& note : log.notes) notes.push_back(fmt::format("{}: {}", called, note));
  return log;
}

/// The same thing, whoever ran it.
bool are_alike(const Row& a, const Row& b) {
  return a.collective == b.collective && a.algorithm == b.algorithm && a.ranks == b.ranks &&
         a.size == b.size && a.type == b.type && a.redop == b.redop && a.root == b.root &&
         a.in_place == b.in_place;
}

/// Row by row of `now`, each row of `before` used once: one of the same executor, if there is one.
void match(std::vector<Row> before, const std::vector<Row>& now, Comparison& all) {
  std::vector<std::optional<Pair>> pairs(now.size());
  for (const bool same_executor : {true, false})
    for (std::size_t i = 0; i < now.size(); ++i) {
      if (pairs[i]) continue;
      const auto partner = std::ranges::find_if(before, [&](const Row& other) {
        return are_alike(now[i], other) && (!same_executor || now[i].backend == other.backend);
      });
      if (partner == before.end()) continue;
      pairs[i] = {.row = now[i], .other = *partner->time};
      if (partner->backend != now[i].backend)
        pairs[i]->other_backend = partner->backend.empty() ? "not said" : partner->backend;
      before.erase(partner);
    }
  for (auto& pair : pairs)
    if (pair) all.pairs.push_back(*std::move(pair));
  all.missing = before.size();
  const auto alone = now.size() - all.pairs.size();
  if (alone + all.missing > 0)
    all.notes.push_back(fmt::format(
        "rows without a partner: {} of the first file, {} of the second", all.missing, alone));
}

/// Rows whose algorithm is one of ours, by the links alone: what the run said it ran. An error
/// where the machine cannot run it.
Result<Duration> on_links(const Row& row, const scenario::Machine& machine,
                          std::string& algorithm) {
  if (row.is_yardstick() || algorithm == "none")
    return bad_request("it follows no schedule that could be simulated");
  scenario::CollectiveRequest request{};
  request.spec = {.kind = row.collective,
                  .root = row.root.value_or(Rank{0}),
                  .in_place = row.in_place && may_be_in_place(row.collective)};
  request.algorithm = algorithm;
  request.type = row.type.value_or(ElementType::float32);
  request.redop = row.redop.value_or(ReduceOp::sum);
  RS_ASSIGN(auto contest, scenario::Contest::enter(request, machine));
  Duration time{};
  RS_TRY(contest.run(*row.size, [&](scenario::Contest::Run& run) -> Result<void> {
    time = run.simulation.time;
    algorithm = run.row.algorithm;
    return {};
  }));
  return time;
}

Result<void> predict_on_links(const CompareOptions& options, const MeasuredLog& log,
                              Comparison& all) {
  if (options.system.system.empty())
    return bad_request("compare needs something to compare " + options.files[0] +
                       " with: a second result, or --system, whose links its algorithms are "
                       "simulated on, or --schedule, the file that it ran");
  const auto stand_out = outliers(log.rows);
  std::set<std::string> left_out;
  for (std::size_t i = 0; i < log.rows.size(); ++i) {
    Row row = log.rows[i];
    if (row.algorithm.empty()) row.algorithm = options.algorithm;
    auto system = options.system;
    if (system.ranks == 0) system.ranks = row.ranks;
    RS_ASSIGN(const scenario::Machine machine, scenario::read(system));
    const auto time = on_links(row, machine, row.algorithm);
    row.protocol = "none";
    if (!time)
      left_out.insert(row.algorithm + " without a prediction: " + time.error().message);
    else if (time->picoseconds > 0)
      all.pairs.push_back({row, *time, stand_out[i]});
  }
  if (all.pairs.empty() && !left_out.empty()) return bad_request(*left_out.begin());
  for (const auto& one : left_out) all.notes.push_back(one);
  all.notes.push_back("predictions are what the links of " + options.system.system +
                      " allow: no launch, protocol or host-copy cost is in them");
  return {};
}

/// As NCCL would run it, on the machine of the flags or of the log.
Result<void> predict_as_nccl(const CompareOptions& options, const MeasuredLog& log,
                             Comparison& all) {
  RS_ASSIGN(const scenario::TakenFor taken, scenario::platform_for(log, options.system));
  all.limits.learn(taken.platform);
  all.assumed.push_back(taken.sentence);
  for (const auto& one : taken.platform.assumed) all.assumed.push_back(one);
  RS_ASSIGN(const auto tuner, sim::Tuner::make(taken.platform));
  std::optional<sim::Protocol> protocol;
  if (!options.protocol.empty()) {
    RS_ASSIGN(protocol, sim::parse_protocol(options.protocol));
  }
  const auto stand_out = outliers(log.rows);
  std::map<std::string, std::size_t> left_out;
  for (std::size_t i = 0; i < log.rows.size(); ++i) {
    Row row = log.rows[i];
    if (ran_by_name(row)) {
      ++left_out[row.algorithm];
      continue;
    }
    RS_ASSIGN(
        const auto estimate,
        tuner.choose({.collective = row.collective, .size = *row.size, .in_place = row.in_place},
                     protocol));
    row.algorithm = name(estimate.method);
    row.protocol = name(estimate.protocol);
    all.pairs.push_back({row, estimate.time, stand_out[i]});
  }
  for (const auto& [algorithm, rows] : left_out)
    all.notes.push_back(fmt::format(
        "left out: {} of {}, which the library was given and did not choose; --schedule "
        "FILE holds them against that",
        counted(rows, "row"), algorithm));
  return {};
}

/// As the thread blocks of an MSCCL program run it, or by the links alone: the rows that name an
/// algorithm, if some do.
Result<void> predict_as_file(const CompareOptions& options, const MeasuredLog& log,
                             Comparison& all) {
  auto system = options.system;
  if (system.system.empty()) {
    RS_ASSIGN(const scenario::TakenFor taken, scenario::platform_for(log, system));
    if (taken.preset.empty())
      return bad_request("no system of ours is like what the log is of: say one with --system");
    system.system = taken.preset;
    all.assumed.push_back(taken.sentence);
  }
  RS_ASSIGN(auto timer, FileTimes::of(options.schedule, std::move(system), options.protocol));
  const bool some_name_it = std::ranges::any_of(log.rows, ran_by_name);
  const auto stand_out = outliers(log.rows);
  for (std::size_t i = 0; i < log.rows.size(); ++i) {
    Row row = log.rows[i];
    if (some_name_it && !ran_by_name(row)) continue;
    if (const auto time = timer.at(row)) all.pairs.push_back({row, *time, stand_out[i]});
  }
  for (const auto& note : timer.notes()) all.notes.push_back(note);
  return {};
}

Result<void> predict(const CompareOptions& options, const MeasuredLog& log, Comparison& all) {
  all.against_prediction = true;
  if (!options.schedule.empty()) return predict_as_file(options, log, all);
  const bool all_ours = std::ranges::all_of(log.rows, ran_by_name);
  if (options.algorithm == "auto" && !all_ours) return predict_as_nccl(options, log, all);
  if (!options.protocol.empty())
    return bad_request("--protocol is NCCL's, and goes with --algorithm auto alone");
  return predict_on_links(options, log, all);
}

/// The line through the log, beside it, and as a machine in `--out`.
Result<void> fit_line(const CompareOptions& options, const MeasuredLog& log, Comparison& all) {
  all.against_prediction = true;
  RS_ASSIGN(all.fitted, scenario::fit(log.rows));
  all.limits.learn(*all.fitted);
  for (auto& sentence : in_words(*all.fitted)) all.assumed.push_back(std::move(sentence));
  const auto stand_out = outliers(log.rows);
  for (std::size_t i = 0; i < log.rows.size(); ++i) {
    Row row = log.rows[i];
    if (!is_of(*all.fitted, row)) continue;
    row.algorithm = "line";
    row.protocol.clear();
    all.pairs.push_back({row, all.fitted->time(*row.size), stand_out[i]});
  }
  if (all.pairs.size() < log.rows.size())
    all.notes.push_back(fmt::format(
        "fitted to {} on {} ranks alone, which the log begins with{}", name(all.fitted->collective),
        all.fitted->ranks, all.fitted->by_name ? "" : ", and not to algorithms that were given"));
  if (options.output.out.empty()) return {};
  const auto kind = all.fitted->collective;
  all.notes.push_back(
      fmt::format("written to {0}: ringside simulate --system {0} --collective {1}{2} "
                  "runs on it",
                  shell_word(options.output.out), name(kind),
                  find_algorithm(kind, "ring") ? " --algorithm ring" : ""));
  return write_file(options.output.out, as_system(*all.fitted, options.files.front()));
}

/// What `--fit` and `--schedule` do not go with.
Result<void> check(const CompareOptions& options) {
  if (options.files.size() > 2)
    return bad_request("compare takes one result, or two: before and now; got " +
                       std::to_string(options.files.size()));
  if (options.files.size() == 2 && !options.system.system.empty())
    return bad_request("--system is for one result: two are compared with each other");
  if (!options.schedule.empty() && (options.fits || options.files.size() == 2))
    return bad_request("--schedule predicts one result: neither --fit nor a second goes with it");
  if (!options.fits) return {};
  if (options.files.size() == 2) return bad_request("--fit is for one result");
  if (!options.system.system.empty())
    return bad_request("--fit makes a machine out of the log: --system has no part in it");
  return {};
}

Result<int> compare(const CompareOptions& options) {
  Comparison all;
  if (!options.fail_over.empty()) {
    RS_ASSIGN(all.tolerance, scenario::of_flag("--fail-over", parse_share(options.fail_over)));
  }
  RS_TRY(check(options));
  RS_ASSIGN(auto first, read(options, options.files[0], all.notes));
  if (options.fits) {
    RS_TRY(fit_line(options, first, all));
  } else if (options.files.size() == 1) {
    if (const auto line = scenario::fit(first.rows)) all.limits.learn(*line);
    RS_TRY(predict(options, first, all));
  } else {
    RS_ASSIGN(const auto second, read(options, options.files[1], all.notes));
    match(std::move(first.rows), second.rows, all);
  }
  if (all.pairs.empty())
    return bad_request("nothing can be compared: " +
                       (all.notes.empty() ? std::string("no row has a time") : all.notes.back()));
  sum_up(all);
  OutputOptions output = options.output;
  if (options.fits) output.out.clear();  // the machine is there
  RS_TRY(write(output, output.json ? as_json(all) : as_text(all)));
  return all.has_failed() ? 1 : 0;
}

}  // namespace

void add_compare(CLI::App& app, Job& chosen) {
  auto* command = app.add_subcommand(
      "compare", "Measured times beside earlier ones, or beside what the simulator says");
  command->footer(
      "Files are output of nccl-tests, as it is or with -J, or what run --json writes.\n"
      "Examples: all_reduce_perf -b 8 -e 1G -f 2 -g 8 | ringside compare -\n"
      "          ringside compare all_reduce.log --system dgx-h100 --nodes 2 --net ndr\n"
      "          ringside compare all_reduce.log --fit --out fitted.toml\n"
      "          ringside run --json -e 64K --out a.json && ringside compare a.json a.json "
      "--fail-over 5%");
  const auto options = std::make_shared<CompareOptions>();
  options->system.system = "";
  command->add_option("files", options->files, "One result, or two: before and now")
      ->required()
      ->check(scenario::not_empty());
  command->add_option(
      "--fail-over", options->fail_over,
      "Exit 1 if a row is slower, or off, by more than this (5%), wrong or missing");
  command->add_option("--collective", options->collective, "What a log ran that does not say it");
  command
      ->add_option("--algorithm", options->algorithm,
                   "Where the log names none: what NCCL would choose, or one of ours")
      ->capture_default_str();
  command->add_option("--protocol", options->protocol,
                      "LL, LL128 or Simple instead of what NCCL would choose");
  command->add_option("--schedule", options->schedule,
                      "The schedule file (MSCCL XML, ours) that the log's rows ran");
  command->add_flag("--fit", options->fits,
                    "Lay a line through the log, and write it to --out as a machine");
  options->system.add_machine_to(*command, false);
  options->output.add_to(*command, false);
  command->callback([options, &chosen] { chosen = [options] { return compare(*options); }; });
}

}  // namespace ringside::terminal
