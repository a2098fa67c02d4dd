// `ringside simulate`: what each algorithm would do on a machine, as an nccl-tests-like table.

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>
#include <optional>

#include "core/formats/schedule_file.hpp"
#include "core/suggest.hpp"
#include "viz/scenario/collective_options.hpp"
#include "viz/scenario/contest.hpp"
#include "viz/scenario/sweep.hpp"
#include "viz/scenario/system_options.hpp"
#include "viz/terminal/block_times.hpp"
#include "viz/terminal/command.hpp"
#include "viz/terminal/explanation.hpp"
#include "viz/terminal/interruption.hpp"
#include "viz/terminal/nccl_rows.hpp"
#include "viz/terminal/output.hpp"

namespace ringside::terminal {
namespace {

struct SimulateOptions {
  scenario::CollectiveOptions collective;
  scenario::SystemOptions system;
  std::string protocol = "none";
  bool protocol_given = false;
  std::string fold = "auto";
  bool explain = false;
  unsigned threads = 0;
  OutputOptions output;
};

/// Whether NCCL's own times are asked for: `auto` is NCCL's choice, and protocols are NCCL's.
Result<bool> is_of_nccl(const SimulateOptions& options) {
  const bool is_auto = options.collective.algorithm == "auto";
  if (options.protocol != "none") return true;
  if (is_auto && options.protocol_given)
    return bad_request(
        "--algorithm auto is what NCCL would choose, and NCCL moves nothing without a protocol: "
        "leave --protocol none out, or take --algorithm best, the fastest by the links alone");
  return is_auto;
}

Result<NcclChoice> read_choice(const SimulateOptions& options) {
  NcclChoice choice{.algorithm = options.collective.algorithm, .protocol = {}};
  if (options.protocol == "auto" || options.protocol == "none") return choice;
  RS_ASSIGN(choice.protocol, sim::parse_protocol(options.protocol));
  return choice;
}

/// What NCCL would show, where `simulate` is asked for that.
Result<int> predict(const SimulateOptions& options, const scenario::CollectiveRequest& request,
                    std::vector<Bytes> sizes) {
  RS_ASSIGN(const scenario::Machine machine, read(options.system));
  RS_ASSIGN(const NcclChoice choice, read_choice(options));
  RS_ASSIGN(const NcclRows nccl, NcclRows::make(request, machine, choice));
  CollectiveSpec spec = request.spec;
  spec.ranks = nccl.platform().ranks();
  scenario::keep_distinct(sizes, spec, request.type);
  Report report{.command = "simulate", .assumed = machine.topology().assumed};
  for (const auto& assumed : nccl.platform().assumed) report.assumed.push_back(assumed);
  std::string explanations;
  for (const Bytes size : sizes) {
    RS_ASSIGN(const auto rows, nccl.at(size));
    for (const Row& row : rows) {
      if (options.explain) explanations += shares_for_people(row);
      report.rows.push_back(row);
      if (!options.explain) report.rows.back().time_shares.clear();
    }
  }
  report.notes.push_back(
      "times are what NCCL would show, launch and protocol in them; docs/fidelity.md says how "
      "near that comes to published runs");
  if (choice.algorithm == "all") {
    for (const auto& note : scenario::judge(report.rows)) report.notes.push_back(note);
  } else {
    report.notes.push_back(picks(report.rows));
  }
  if (options.output.for_people())
    RS_TRY(write(options.output, to_table(report) + explanations));
  else
    RS_TRY(write(options.output, report));
  return 0;
}

/// Of an MSCCL program on a machine: what its thread blocks take, unless `none` was asked for.
Result<std::optional<BlockTimes>> block_times(const SimulateOptions& options,
                                              const scenario::CollectiveRequest& request,
                                              const scenario::Machine& machine) {
  const auto& file = request.options.stored;
  const bool is_program = file && file->msccl, given = options.protocol_given;
  if (!is_program && given && options.protocol != "none")
    return bad_request("--protocol " + options.protocol + " times thread blocks, of which " +
                       file->file + " has none: it is for MSCCL XML");
  if (!is_program || (given ? options.protocol == "none" : machine.is_textbook))
    return std::nullopt;
  if (options.explain) return bad_request("--explain says what links do: add --protocol none");
  const bool is_own = !given || options.protocol == "auto";
  RS_ASSIGN(auto times, BlockTimes::on(machine, *file, is_own ? "" : options.protocol));
  return times;
}

using scenario::Sweep;

/// All sizes and algorithms on all cores; Ctrl-C ends it with what is finished.
Result<Sweep::Outcome> sweep(const SimulateOptions& options, scenario::Contest& contest,
                             std::span<const Bytes> sizes, const Sweep::Keep& keep) {
  constexpr unsigned most_threads = 1024;
  if (options.threads > most_threads)
    return bad_request(
        fmt::format("--threads takes 1 to {}, not {}", most_threads, options.threads));
  const Interruption interruption;
  std::optional<Progress> progress;
  Sweep::Conduct conduct{.threads = options.threads};
  conduct.is_stopped = [&] { return interruption.is_asked_for(); };
  conduct.progress = [&](std::size_t done, std::size_t of, Bytes size) {
    if (!progress) progress.emplace(of);
    progress->done(done, to_string(size));
  };
  RS_ASSIGN(auto outcome, Sweep::run(contest, sizes, keep, conduct));
  if (outcome.kept.empty() && outcome.done < outcome.of)
    return gone_wrong("interrupted before any result was finished");
  return outcome;
}

/// Writes what was finished, and says if that is not all.
Result<int> write_swept(const OutputOptions& output, Report& report, const Sweep::Outcome& swept) {
  const bool is_cut_short = swept.done < swept.of;
  const auto so_far =
      fmt::format("interrupted: {} of {} results were finished", swept.done, swept.of);
  if (is_cut_short) report.notes.push_back(so_far);
  if (output.for_people()) {
    std::string text = to_table(report);
    for (const auto& kept : swept.kept) text += kept.explanation;
    RS_TRY(write(output, text));
  } else {
    RS_TRY(write(output, report));
  }
  if (is_cut_short) return gone_wrong(so_far + ", and are written");
  return 0;
}

/// What was folded and what was not, and at which sizes where that differs.
std::vector<std::string> notes_on_folding(std::span<const Sweep::Kept> kept) {
  struct Group {
    std::vector<std::string> algorithms;
    Bytes first, last;
    std::size_t rows = 0;
  };
  std::vector<std::pair<std::string, Group>> groups;  // by note, in order of appearance
  for (const auto& [row, explanation, note] : kept) {
    if (note.empty()) continue;
    auto at = std::find_if(groups.begin(), groups.end(),
                           [&](const auto& known) { return known.first == note; });
    if (at == groups.end()) at = groups.insert(at, {note, {{}, *row.size, *row.size}});
    Group& group = at->second;
    group.last = *row.size;
    ++group.rows;
    if (std::find(group.algorithms.begin(), group.algorithms.end(), row.algorithm) ==
        group.algorithms.end())
      group.algorithms.push_back(row.algorithm);
  }
  std::vector<std::string> notes;
  for (const auto& [note, group] : groups) {
    const auto who = fmt::format("{}", fmt::join(group.algorithms, ", "));
    if (group.rows == kept.size())
      notes.push_back(note);
    else if (group.first == group.last)
      notes.push_back(fmt::format("{} at {}: {}", who, to_string(group.first), note));
    else
      notes.push_back(fmt::format("{} from {} to {}: {}", who, to_string(group.first),
                                  to_string(group.last), note));
  }
  return notes;
}

Result<int> simulate(SimulateOptions options) {
  RS_TRY(check_writable("--out", options.output.out));
  RS_ASSIGN(const auto ranks, scenario::follow_file(options.collective));
  if (options.system.ranks == 0) options.system.ranks = ranks;
  RS_ASSIGN(auto request, read(options.collective));
  RS_ASSIGN(auto sizes, scenario::read_sizes(options.collective));
  RS_ASSIGN(const auto fold, sim::parse_fold(options.fold));
  RS_ASSIGN(const bool of_nccl, is_of_nccl(options));
  if (fold == sim::Fold::on && of_nccl)
    return bad_request("--fold on folds what is simulated; what NCCL would show is not");
  if (of_nccl && !request.options.stored) return predict(options, request, sizes);
  RS_ASSIGN(const scenario::Machine machine, read(options.system));
  RS_ASSIGN(auto blocks, block_times(options, request, machine));
  using scenario::Contest;
  const auto shown = options.explain || blocks ? Contest::Shown::transfers : Contest::Shown::times;
  if (fold == sim::Fold::on && shown == Contest::Shown::transfers)
    return bad_request("--fold on shows no transfers: leave it out, or what looks at them");
  RS_ASSIGN(
      Contest contest,
      Contest::enter(request, machine, {.shown = shown, .fold = fold, .threads = options.threads}));
  if (blocks) options.threads = 1;  // it notes what it sees, in order
  request.spec.ranks = static_cast<std::uint32_t>(machine.topology().ranks.size());
  scenario::keep_distinct(sizes, request.spec, request.type);

  const auto keep = [&](Contest::Run& run) -> Result<std::optional<Sweep::Kept>> {
    if (blocks && !blocks->retime(run)) return std::nullopt;
    if (!options.explain) return Sweep::Kept{run.row, "", run.note};
    RS_ASSIGN(const std::string why, explain(run, machine));
    return Sweep::Kept{run.row, why};
  };
  RS_ASSIGN(Sweep::Outcome swept, sweep(options, contest, sizes, keep));
  Report report{.command = "simulate", .assumed = machine.topology().assumed};
  for (const auto& kept : swept.kept) report.rows.push_back(kept.row);
  if (blocks) report.notes = blocks->notes();
  for (const auto& note : notes_on_folding(swept.kept)) report.notes.push_back(note);
  std::vector<std::string> left_out = contest.notes();
  left_out.insert(left_out.end(), swept.notes.begin(), swept.notes.end());
  if (report.rows.empty())
    return bad_request(report.notes.empty() ? left_out.back() : report.notes.back());
  if (!machine.is_textbook && !blocks)
    report.notes.push_back(
        "times are what the links allow: no launch, protocol or host-copy cost is in them");
  for (const auto& note : left_out) report.notes.push_back(note);
  for (const auto& note : scenario::judge(report.rows)) report.notes.push_back(note);
  return write_swept(options.output, report, swept);
}

}  // namespace

void add_simulate(CLI::App& app, Job& chosen) {
  auto* command = app.add_subcommand("simulate", "What each algorithm would do on a machine");
  command->footer(
      "Examples: ringside simulate --system dgx-h100 --nodes 4 --net ndr --algorithm all\n"
      "          ringside simulate --system ring --ranks 256 --algorithm ring -b 1M -e 1G -f 4\n"
      "          ringside simulate --system mi300x --schedule algorithm.xml -b 1K -e 1M\n"
      "          nvidia-smi topo -m | ringside simulate --system - --algorithm best\n"
      "          ringside simulate --system dgx-h100 --nodes 2 --algorithm auto");
  const auto options = std::make_shared<SimulateOptions>();
  options->collective.algorithm = "best";
  options->collective.add_to(*command);
  options->collective.add_sizes_to(*command);
  options->system.add_machine_to(*command, false);
  options->system.add_run_to(*command);
  command
      ->add_option("--protocol", options->protocol,
                   "none: links as they are. auto, Simple, LL, LL128: what NCCL would show")
      ->capture_default_str();
  command
      ->add_option("--fold", options->fold,
                   "auto: one node stands for all where all do alike; off; on: or not at all")
      ->capture_default_str();
  command->add_flag("--explain", options->explain, "Say where the time of each row goes");
  command->add_option("--threads", options->threads,
                      "Simulate on so many threads (default: one a core)");
  options->output.add_to(*command);
  command->callback([options, &chosen, command] {
    options->collective.least_is_open = command->count("--minbytes") == 0;
    options->protocol_given = command->count("--protocol") > 0;
    chosen = [options] { return simulate(*options); };
  });
}

}  // namespace ringside::terminal
