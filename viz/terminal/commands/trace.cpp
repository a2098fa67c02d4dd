// `ringside trace`: a run as a file for Perfetto, simulated, measured or saved before.

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>
#include <optional>
#include <vector>

#include "core/file.hpp"
#include "core/formats/schedule_json.hpp"
#include "core/formats/trace_events.hpp"
#include "core/formats/trace_json.hpp"
#include "sim/link_stretches.hpp"
#include "viz/figure/tracks.hpp"
#include "viz/scenario/collective_options.hpp"
#include "viz/scenario/contest.hpp"
#include "viz/scenario/flags.hpp"
#include "viz/scenario/scenario.hpp"
#include "viz/scenario/system_options.hpp"
#include "viz/terminal/backends.hpp"
#include "viz/terminal/command.hpp"
#include "viz/terminal/figure_flags.hpp"
#include "viz/terminal/measuring.hpp"
#include "viz/terminal/output.hpp"
#include "viz/terminal/processes.hpp"

namespace ringside::terminal {
namespace {

struct TraceOptions {
  scenario::Scenario asked;
  std::string backend = "sim";
  BackendOptions backend_options;
  std::string executor, timeout = "60s";
  std::string saved;  ///< file; empty: the run is made now
  std::string out;    ///< file; empty: standard output
  std::string svg;    ///< file for a picture of it instead; empty: none
  std::string theme = "dark";
  std::string command;
  /// The flags that were given, as one says them: those of what is simulated, and all that say what
  /// is run.
  std::string system_flags, run_flags;
};

/// A run, and all that is known of where it ran.
struct Scene {
  RecordedRun run;
  UsedWires used;
  std::vector<std::string> places;
};

Result<Scene> scene_of(scenario::Contest::Run& run, const scenario::Machine& machine) {
  const sim::Topology& topology = *run.topology;
  Scene scene;
  RS_ASSIGN(scene.used.stretches,
            sim::link_stretches(*run.simulator, run.payload, machine.model, machine.disturbance));
  scene.used.wires.resize(topology.links.size());
  std::optional<LinkId> before;
  for (const LinkStretch& stretch : scene.used.stretches) {
    if (before != stretch.link)
      scene.used.wires[stretch.link.value] = {topology.link_name(stretch.link),
                                              topology[stretch.link].bandwidth};
    before = stretch.link;
  }
  for (std::uint32_t r = 0; r < run.schedule->participants(); ++r)
    scene.places.push_back(topology[topology.ranks[r]].name);
  scene.run = {.row = run.row,
               .schedule = run.schedule,
               .spans = std::move(run.simulation.spans),
               .is_measured = false,
               .share = ""};
  return scene;
}

Result<Scene> simulated(const scenario::Scenario& asked, scenario::Contest::Tuning tuning,
                        const sim::Patience& patience = {}) {
  RS_ASSIGN(auto request, read(asked.collective));
  if (scenario::leaves_open(request.algorithm))
    return bad_request("a trace is of one algorithm: name it, such as --algorithm ring");
  RS_ASSIGN(const Bytes size, scenario::of_flag("--bytes", parse_bytes(asked.collective.bytes)));
  RS_ASSIGN(const scenario::Machine machine, read(asked.system));
  if (tuning == scenario::Contest::Tuning::off) RS_TRY(keep_few_chunks(request, machine));
  RS_ASSIGN(auto contest, scenario::Contest::enter(request, machine, tuning));
  RS_ASSIGN(auto run, contest.run_one(*contest.entrants().front(), size, patience));
  return scene_of(run, machine);
}

/// What was measured says which ranks talk, not over which wires.
Scene as_ranks_talk(RecordedRun run) {
  Scene scene{.run = std::move(run), .used = {}, .places = {}};
  scene.used = wires_between_ranks(scene.run);
  for (const auto device : scene.run.row.devices)
    scene.places.push_back("GPU " + std::to_string(device));
  if (scene.run.row.algorithm == "none" && !scene.places.empty())
    scene.places.emplace_back("what moves inside the library's call is not known");
  return scene;
}

Result<Scene> measured(const TraceOptions& options) {
  if (!options.system_flags.empty())
    return bad_request(options.system_flags + " says what is simulated; --backend " +
                       options.backend + " runs on this machine");
  RS_ASSIGN(auto request, read(options.asked.collective));
  if (scenario::leaves_open(request.algorithm))
    return bad_request("a trace is of one algorithm: name it, such as --algorithm ring");
  RS_ASSIGN(const Bytes size,
            scenario::of_flag("--bytes", parse_bytes(options.asked.collective.bytes)));
  RS_ASSIGN(const auto backend, make_backend(options.backend, options.backend_options));
  Manner manner;
  manner.run.executor = options.executor;
  RS_ASSIGN(manner.run.timeout, scenario::of_flag("--timeout", parse_duration(options.timeout)));
  RS_TRY(check_executor(*backend, manner.run.executor));
  const auto wanted = static_cast<std::uint32_t>(options.asked.system.ranks);
  RS_ASSIGN(request.spec.ranks, choose_ranks(*backend, wanted, 4));
  const bool in_place = request.spec.in_place;
  std::vector<std::string> notes;
  RS_ASSIGN(const auto contenders, enter(request, {!in_place, in_place}, *backend, notes));
  const Entrant& entrant = contenders.front().any();
  const auto payload = scenario::payload_for(entrant.plan.spec, size, request.type);
  const Amount amount{payload.count, payload.type, request.redop};
  RS_TRY(check_amount(*backend, entrant, amount, 1));
  RS_ASSIGN(auto recording, record(*backend, entrant, amount, manner));
  const std::string& by = recording.run.row.backend;
  if (!options.executor.empty() && !by.ends_with("/" + options.executor))
    return bad_request("executor " + options.executor + " keeps no trace; " + by + " does");
  return as_ranks_talk(std::move(recording.run));
}

/// The machine that a saved simulation ran on, if it comes out the same there.
std::optional<Scene> again(const RecordedRun& saved) {
  const auto share = scenario::parse_share_string(saved.share);
  if (saved.is_measured || !share || share->scenario.system.system == "-") return std::nullopt;
  const auto ranks = share->scenario.system.ranks;
  if (!share->scenario.mistake.empty() || (ranks > 0 && ranks != saved.row.ranks))
    return std::nullopt;
  constexpr std::uint64_t ten_seconds = 500'000'000;
  auto scene = simulated(share->scenario, scenario::Contest::Tuning::off, sim::up_to(ten_seconds));
  if (!scene || scene->run.row.count != saved.row.count || scene->run.row.type != saved.row.type ||
      !std::ranges::equal(scene->run.spans, saved.spans) ||
      schedule_to_json(*scene->run.schedule) != schedule_to_json(*saved.schedule))
    return std::nullopt;
  return *std::move(scene);
}

Result<Scene> saved(const TraceOptions& options) {
  if (!options.run_flags.empty())
    return bad_request("--trace shows the run that was saved: leave " + options.run_flags +
                       " away");
  RS_ASSIGN(const auto text, read_file(options.saved));
  const std::string called = options.saved == "-" ? "standard input" : options.saved;
  RS_ASSIGN(auto run, trace_from_json(text, called));
  if (auto scene = again(run)) return *std::move(scene);
  return as_ranks_talk(std::move(run));
}

Result<void> picture(const TraceEvents& events, const TraceOptions& options) {
  figure::TracksOptions look{.theme = nullptr, .command = options.command};
  RS_ASSIGN(look.theme, figure::find_theme(options.theme));
  std::string text;
  RS_TRY(write_trace_events(events, [&](std::string_view piece) -> Result<void> {
    text += piece;
    return {};
  }));
  RS_ASSIGN(const std::string svg, figure::draw_tracks(text, look));
  return options.svg == "-" ? write(OutputOptions{}, svg) : write_file(options.svg, svg);
}

Result<int> trace(TraceOptions options) {
  RS_ASSIGN(const auto of_file, scenario::follow_file(options.asked.collective));
  if (options.asked.system.ranks == 0) options.asked.system.ranks = of_file;
  RS_ASSIGN(const Scene scene, !options.saved.empty() ? saved(options)
                               : options.backend == "sim"
                                   ? simulated(options.asked, scenario::Contest::Tuning::on)
                                   : measured(options));
  if (!is_first_process()) return 0;
  const TraceEvents events{.run = scene.run,
                           .used = scene.used,
                           .places = scene.places,
                           .version = RINGSIDE_VERSION,
                           .command = options.command};
  if (!options.svg.empty()) {
    RS_TRY(picture(events, options));
    return 0;
  }
  if (options.out.empty()) {
    RS_TRY(write_trace_events(
        events, [](std::string_view text) { return write(OutputOptions{}, std::string(text)); }));
    return 0;
  }
  RS_ASSIGN(FileDraft draft, FileDraft::open(options.out));
  RS_TRY(write_trace_events(events, [&](std::string_view text) { return draft.write(text); }));
  RS_TRY(draft.finish());
  return 0;
}

using Flags = std::vector<const CLI::Option*>;

/// Those given, as one says them: `--system, --nodes`.
std::string given(const Flags& flags) {
  std::string text;
  for (const CLI::Option* option : flags)
    if (option->count() > 0) text += (text.empty() ? "" : ", ") + option->get_name();
  return text;
}

}  // namespace

void add_trace(CLI::App& app, Job& chosen) {
  auto* command = app.add_subcommand("trace", "A run as a file for Perfetto or Chrome's tracing");
  command->footer(
      "Ranks are processes, channels threads, links counters; arrows join sends and receives.\n"
      "https://ui.perfetto.dev opens the file (docs/traces.md says what is in it).\n"
      "Examples: ringside trace --system dgx-a100 --algorithm ring --bytes 64M --out t.json\n"
      "          ringside trace --backend host --ranks 4 --bytes 1M --out host.json");
  const auto options = std::make_shared<TraceOptions>();
  options->asked.collective.add_to(*command);
  options->asked.collective.add_size_to(*command, "1M");
  const auto flags = [command] { return std::as_const(*command).get_options(); };
  const std::size_t first_of_system = flags().size();
  options->asked.system.add_machine_to(*command, false);
  options->asked.system.add_run_to(*command);
  Flags of_system = flags();
  of_system.erase(of_system.begin(), of_system.begin() + static_cast<int>(first_of_system));
  std::erase_if(of_system, [](const CLI::Option* option) {
    return option->get_name() == "--ranks" || option->get_name() == "--dims";
  });
  command->add_option("--backend", options->backend, "sim, or where it really runs: host, mpi, ...")
      ->check(scenario::not_empty())
      ->capture_default_str();
  options->backend_options.add_to(*command);
  command->add_option("--executor", options->executor,
                      "One of the backend's ways that keep traces");
  command->add_option("--timeout", options->timeout, "No wait lasts longer")->capture_default_str();
  Flags of_run = flags();
  std::erase_if(of_run, [](const CLI::Option* option) { return option->get_name() == "--help"; });
  command
      ->add_option("--trace", options->saved,
                   "A run saved by step --trace or run --trace instead; - for standard input")
      ->check(scenario::not_empty());
  command->add_option("--out", options->out, "Write to this file instead of standard output")
      ->check(scenario::not_empty());
  auto* svg = command
                  ->add_option("--svg", options->svg,
                               "Draw the trace into this file (SVG), as Perfetto lays it out")
                  ->check(scenario::not_empty())
                  ->excludes("--out");
  command->add_option("--theme", options->theme, "dark or light")
      ->needs(svg)
      ->capture_default_str();
  command->callback([options, command, of_system, of_run, &chosen] {
    options->command = command_line(*command);
    options->system_flags = given(of_system);
    options->run_flags = given(of_run);
    chosen = [options] { return trace(*options); };
  });
}

}  // namespace ringside::terminal
