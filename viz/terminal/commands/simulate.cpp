// `ringside simulate`: what each algorithm would do on a machine, as an nccl-tests-like table.

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>

#include "core/suggest.hpp"
#include "viz/scenario/collective_options.hpp"
#include "viz/scenario/contest.hpp"
#include "viz/scenario/system_options.hpp"
#include "viz/terminal/command.hpp"
#include "viz/terminal/explanation.hpp"
#include "viz/terminal/output.hpp"

namespace ringside::terminal {
namespace {

struct SimulateOptions {
  scenario::CollectiveOptions collective;
  scenario::SystemOptions system;
  std::string protocol = "none";
  bool explain = false;
  OutputOptions output;
};

Result<void> check_protocol(const std::string& protocol) {
  if (protocol == "none") return {};
  return bad_request("--protocol " + in_quotes(protocol) +
                     " is not known: this version simulates links as they are, --protocol none");
}

Result<int> simulate(const SimulateOptions& options) {
  RS_TRY(check_protocol(options.protocol));
  RS_ASSIGN(auto request, read(options.collective));
  RS_ASSIGN(auto sizes, scenario::read_sizes(options.collective));
  RS_ASSIGN(const scenario::Machine machine, read(options.system));
  RS_ASSIGN(scenario::Contest contest, scenario::Contest::enter(request, machine));
  request.spec.ranks = static_cast<std::uint32_t>(machine.topology().ranks.size());
  scenario::keep_distinct(sizes, request.spec, request.type);

  Report report{.command = "simulate", .assumed = machine.topology().assumed};
  std::string explanations;
  const auto take = [&](scenario::Contest::Run& run) -> Result<void> {
    if (options.explain) {
      RS_ASSIGN(const std::string why, explain(run, machine));
      explanations += why;
    }
    report.rows.push_back(run.row);
    return {};
  };
  Progress progress(sizes.size());
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    progress.done(i, to_string(sizes[i]));
    RS_TRY(contest.run(sizes[i], take));
  }
  if (report.rows.empty()) return bad_request(contest.notes().back());
  if (!machine.is_textbook)
    report.notes.push_back(
        "times are what the links allow: no launch, protocol or host-copy cost is in them");
  for (const auto& note : contest.notes()) report.notes.push_back(note);
  for (const auto& note : scenario::judge(report.rows)) report.notes.push_back(note);
  if (options.output.for_people())
    RS_TRY(write(options.output, to_table(report) + explanations));
  else
    RS_TRY(write(options.output, report));
  return 0;
}

}  // namespace

void add_simulate(CLI::App& app, Job& chosen) {
  auto* command = app.add_subcommand("simulate", "What each algorithm would do on a machine");
  command->footer(
      "Examples: ringside simulate --system dgx-h100 --nodes 4 --net ndr --algorithm all\n"
      "          ringside simulate --system ring --ranks 256 --algorithm ring -b 1M -e 1G -f 4\n"
      "          nvidia-smi topo -m | ringside simulate --system - --algorithm best");
  const auto options = std::make_shared<SimulateOptions>();
  options->collective.algorithm = "best";
  options->collective.add_to(*command);
  options->collective.add_sizes_to(*command);
  options->system.add_machine_to(*command, false);
  options->system.add_run_to(*command);
  command->add_option("--protocol", options->protocol, "none: links as they are")
      ->capture_default_str();
  command->add_flag("--explain", options->explain, "Say where the time of each row goes");
  options->output.add_to(*command);
  command->callback([options, &chosen] { chosen = [options] { return simulate(*options); }; });
}

}  // namespace ringside::terminal
