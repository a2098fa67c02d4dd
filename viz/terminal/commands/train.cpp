// `ringside train`: a small network trained by several workers at once, each step's gradients
// all-reduced by the engine; and whether that equals one worker who does it all.

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <charconv>
#include <cmath>
#include <memory>

#include "core/file.hpp"
#include "core/suggest.hpp"
#include "lessons/training/phase_events.hpp"
#include "lessons/training/trainer.hpp"
#include "viz/scenario/flags.hpp"
#include "viz/terminal/backends.hpp"
#include "viz/terminal/command.hpp"
#include "viz/terminal/figure_flags.hpp"
#include "viz/terminal/output.hpp"
#include "viz/terminal/prediction.hpp"
#include "viz/terminal/processes.hpp"
#include "viz/terminal/training_output.hpp"

namespace ringside::terminal {
namespace {

using training::Model;
using training::Task;
using training::TrainingOptions;
using training::Way;

/// The command line, as text until read.
struct TrainFlags {
  std::string task, model, optimizer, shards, system, trace, timeout = "60s", backend = "host";
  BackendOptions backend_options;
  double learning_rate = 0;  ///< 0: what suits model and optimizer
  std::uint32_t batch = 0;   ///< 0: what suits the model
  bool no_sync = false, sum = false, average_losses = false, no_broadcast = false;
  TrainingOptions options{.workers = 0};
  std::string command;  ///< as it was given
  OutputOptions output;
};

/// `3,1`: samples of each worker.
Result<std::vector<std::uint32_t>> parse_shards(const std::string& text) {
  constexpr std::uint32_t most = 4096;
  std::vector<std::uint32_t> shards;
  const char* at = text.data();
  const char* const end = at + text.size();
  for (bool more = true; more;) {
    std::uint32_t samples = 0;
    const auto [rest, error] = std::from_chars(at, end, samples);
    if (error != std::errc() || samples > most || (rest != end && *rest != ','))
      return bad_request("--shards: " + in_quotes(text) +
                         " is not a list of samples of each worker, up to 4096, such as 3,1");
    shards.push_back(samples);
    more = rest != end;
    at = rest + (more ? 1 : 0);
  }
  return shards;
}

Result<void> read_shards(const TrainFlags& flags, TrainingOptions& options) {
  if (flags.shards.empty()) {
    if (flags.batch > 0) options.shards = training::even_shards(flags.batch, options.workers);
    return {};
  }
  RS_ASSIGN(options.shards, parse_shards(flags.shards));
  if (options.shards.size() != options.workers)
    return bad_request(fmt::format("--shards {} is for {}, not {}: add --workers {}", flags.shards,
                                   counted(options.shards.size(), "worker"), options.workers,
                                   options.shards.size()));
  if (options.batch() == 0) return bad_request("--shards: nobody has a sample to learn from");
  return {};
}

Result<TrainingOptions> read(const TrainFlags& flags, std::uint32_t workers) {
  if (std::isnan(flags.learning_rate)) return bad_request("--lr: nan is no number to learn by");
  TrainingOptions options = flags.options;
  options.workers = workers;
  const bool is_transformer = flags.model == "transformer";
  RS_ASSIGN(options.task, training::parse_task(!flags.task.empty() ? flags.task
                                               : is_transformer    ? "reverse"
                                                                   : "spirals"));
  RS_ASSIGN(options.model, training::parse_model(!flags.model.empty()            ? flags.model
                                                 : options.task == Task::reverse ? "transformer"
                                                                                 : "mlp"));
  RS_ASSIGN(options.optimizer, training::parse_optimizer(!flags.optimizer.empty() ? flags.optimizer
                                                         : options.model == Model::mlp ? "sgd"
                                                                                       : "adam"));
  RS_TRY(training::make_network(options.model, options.task));
  RS_TRY(read_shards(flags, options));
  options.learning_rate = static_cast<float>(flags.learning_rate);
  training::complete(options);
  options.way = flags.no_sync          ? Way::no_sync
                : flags.sum            ? Way::sum
                : flags.average_losses ? Way::average_losses
                                       : Way::weighted;
  options.broadcast = !flags.no_broadcast;
  options.run.trace = !flags.trace.empty();
  RS_ASSIGN(options.run.timeout, parse_timeout(flags.timeout));
  return options;
}

/// What the all-reduce of one step takes on the system that was named.
Result<Duration> simulated(const std::string& system, const TrainingOptions& options) {
  const auto workers = options.workers;
  RS_ASSIGN(auto prediction, scenario::of_flag("--system", Prediction::on(system, workers)));
  RS_ASSIGN(const auto network, training::make_network(options.model, options.task));
  RS_ASSIGN(const auto* algorithm, find_algorithm(CollectiveKind::all_reduce, options.algorithm));
  RS_ASSIGN(const Plan plan, make_plan(*algorithm, {.ranks = workers}, {}));
  RS_ASSIGN(Schedule schedule, build_proven(plan));
  const Entrant entrant{plan, std::make_shared<const Schedule>(std::move(schedule))};
  RS_ASSIGN(const Predicted predicted, prediction.run(entrant, {.count = network.weights()}));
  return predicted.time;
}

/// Whether what was not asked for went wrong.
bool is_right(const training::TrainingRun& run) {
  const bool may_differ = run.asked.way == Way::no_sync || !run.asked.broadcast;
  if (may_differ) return true;
  if (!run.replicas_identical()) return false;
  return run.asked.way != Way::weighted || run.equals_one_worker();
}

Result<void> write_trace(const TrainFlags& flags, const training::TrainingRun& run) {
  if (!is_first_process()) return {};
  RS_ASSIGN(FileDraft draft, FileDraft::open(flags.trace));
  RS_TRY(write_phase_events(run, {RINGSIDE_VERSION, flags.command},
                            [&](std::string_view text) { return draft.write(text); }));
  return draft.finish();
}

Result<int> train(const TrainFlags& flags) {
  if (flags.backend == "sim")
    return bad_request(
        "sim moves no gradients: --backend host trains, and --system dgx-h100 adds the time that "
        "each all-reduce takes there");
  RS_ASSIGN(const auto backend, make_backend(flags.backend, flags.backend_options));
  RS_ASSIGN(const auto workers, choose_ranks(*backend, flags.options.workers, 4));
  RS_ASSIGN(const TrainingOptions options, read(flags, workers));
  RS_TRY(check_writable("--out", flags.output.out));
  RS_TRY(check_writable("--trace", flags.trace));
  std::optional<Duration> all_reduce;
  if (!flags.system.empty()) {
    RS_ASSIGN(all_reduce, simulated(flags.system, options));
  }
  training::TrainingRun run;
  {
    Progress progress(options.steps);
    RS_ASSIGN(run, training::train(options, *backend,
                                   [&](std::uint32_t done) { progress.done(done, "steps"); }));
  }
  const TrainingShown shown{
      .run = run, .backend = run.executor, .system = flags.system, .simulated = all_reduce};
  if (!flags.trace.empty()) RS_TRY(write_trace(flags, run));
  if (is_first_process())
    RS_TRY(write(flags.output, flags.output.json  ? training_json(shown)
                               : flags.output.csv ? training_csv(run)
                                                  : training_text(shown)));
  return is_right(run) ? 0 : 1;
}

void add_what(CLI::App& command, TrainFlags& flags) {
  const auto count = [](std::uint64_t most) { return scenario::whole_number(1, most); };
  command.add_option("--workers", flags.options.workers, "Replicas that train together; default 4")
      ->check(count(64));
  command.add_option("--task", flags.task, "spirals or reverse; default: what the model can");
  command.add_option("--model", flags.model, "mlp or transformer; default: what the task wants");
  command.add_option("--optimizer", flags.optimizer, "sgd or adam; default: sgd for mlp");
  command.add_option("--lr", flags.learning_rate, "Learning rate; default: one that suits")
      ->check(CLI::Range(1e-9, 1e3));
  auto* batch =
      command.add_option("--batch", flags.batch, "Samples a step, of all; default 64 or 32")
          ->check(count(4096));
  command.add_option("--shards", flags.shards, "Samples a step by worker instead: 3,1")
      ->check(scenario::not_empty())
      ->excludes(batch);
  command.add_option("--steps", flags.options.steps, "Default: what it takes to learn the task")
      ->check(count(100'000));
  command.add_option("--seed", flags.options.seed, "Of weights and samples")->capture_default_str();
}

void add_how(CLI::App& command, TrainFlags& flags) {
  auto* no_sync = command.add_flag("--no-sync", flags.no_sync, "Wrong: leave the all-reduce out");
  auto* sum = command.add_flag("--sum", flags.sum, "Wrong: add the workers' means, no average");
  command
      .add_flag("--average-losses", flags.average_losses,
                "Wrong: average means, however many samples each stands for")
      ->excludes(no_sync)
      ->excludes(sum);
  sum->excludes(no_sync);
  command.add_flag("--no-broadcast", flags.no_broadcast, "Wrong: everyone starts from their own");
  command.add_option("--algorithm", flags.options.algorithm, "Of the all-reduce")
      ->capture_default_str();
  command.add_option("--backend", flags.backend, "Where it runs; 'ringside list backends'")
      ->check(scenario::not_empty())
      ->capture_default_str();
  flags.backend_options.add_to(command);
  command.add_option("--timeout", flags.timeout, "No wait lasts longer")->capture_default_str();
  command
      .add_option("--system", flags.system,
                  "Also simulate the all-reduce of a step on this preset, shape or file")
      ->check(scenario::not_empty());
  command.add_option("--trace", flags.trace, "Write every phase to this file, for Perfetto")
      ->check(scenario::not_empty());
  flags.output.add_to(command);
}

}  // namespace

void add_train(CLI::App& app, Job& chosen) {
  auto* command =
      app.add_subcommand("train", "Train a small network data-parallel, through the engine");
  command->footer(
      "Examples: ringside train --workers 4\n"
      "          ringside train --workers 4 --no-sync --steps 100\n"
      "          ringside train --workers 2 --shards 3,1 --average-losses --steps 50\n"
      "          ringside train --model transformer --system dgx-h100");
  const auto flags = std::make_shared<TrainFlags>();
  add_what(*command, *flags);
  add_how(*command, *flags);
  command->callback([flags, command, &chosen] {
    flags->command = command_line(*command);
    chosen = [flags] { return train(*flags); };
  });
}

}  // namespace ringside::terminal
