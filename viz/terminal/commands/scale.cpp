// `ringside scale`: what a training step takes as GPUs are added, and where that stops to pay.

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>

#include "core/file.hpp"
#include "core/suggest.hpp"
#include "sim/workload/step_events.hpp"
#include "viz/scenario/flags.hpp"
#include "viz/scenario/grown.hpp"
#include "viz/scenario/system_options.hpp"
#include "viz/terminal/command.hpp"
#include "viz/terminal/figure_flags.hpp"
#include "viz/terminal/output.hpp"
#include "viz/terminal/scaling_view.hpp"
#include "viz/terminal/step_view.hpp"

namespace ringside::terminal {
namespace {

struct ScaleOptions {
  scenario::SystemOptions system;
  std::string model, gpu, gpus = "1-4096";
  std::string mode = "weak", zero = "auto", recompute = "auto", schedule = "1f1b";
  std::string type = "bfloat16", bucket = "25MiB", optimizer = "adam", algorithm = "best";
  std::uint32_t tensor = 1, pipeline = 1, expert = 1, interleave = 1, micro_batch = 1;
  std::uint64_t global_batch = 0;
  bool sequence_parallel = false, plots = false, draws_step = false, searches = false;
  std::string trace, command;
  OutputOptions output;
};

template <typename T>
struct Choice {
  std::string_view name;
  T value;
};

template <typename T, std::size_t n>
Result<T> choose(const std::string& flag, const std::string& text, const Choice<T> (&choices)[n]) {
  std::string names;
  for (const auto& choice : choices) {
    if (choice.name == text) return choice.value;
    names += fmt::format("{}{}", names.empty() ? "" : ", ", choice.name);
  }
  return bad_request(fmt::format("{} is one of {}, not {}", flag, names, in_quotes(text)));
}

Result<sim::Parallelism> read_parallelism(const ScaleOptions& options) {
  using sim::Optimizer, sim::PipelineSchedule, sim::Recompute;
  sim::Parallelism p{.tensor = options.tensor,
                     .pipeline = options.pipeline,
                     .expert = options.expert,
                     .sequence_parallel = options.sequence_parallel,
                     .interleave = options.interleave,
                     .micro_batch_samples = options.micro_batch};
  RS_ASSIGN(p.type, scenario::of_flag("--type", parse_element_type(options.type)));
  RS_ASSIGN(p.bucket, scenario::of_flag("--bucket", parse_bytes(options.bucket)));
  RS_ASSIGN(p.zero, choose<std::uint32_t>("--zero", options.zero,
                                          {{"auto", 0}, {"0", 0}, {"1", 1}, {"2", 2}, {"3", 3}}));
  RS_ASSIGN(p.recompute, choose<Recompute>("--recompute", options.recompute,
                                           {{"auto", Recompute::none},
                                            {"none", Recompute::none},
                                            {"selective", Recompute::selective},
                                            {"full", Recompute::full}}));
  RS_ASSIGN(p.pipeline_schedule,
            choose<PipelineSchedule>(
                "--schedule", options.schedule,
                {{"gpipe", PipelineSchedule::gpipe}, {"1f1b", PipelineSchedule::one_f_one_b}}));
  if (p.interleave > 1) {
    if (p.pipeline_schedule == PipelineSchedule::gpipe)
      return bad_request("--interleave is for --schedule 1f1b: GPipe gives each GPU one stretch");
    p.pipeline_schedule = PipelineSchedule::interleaved;
  }
  RS_ASSIGN(p.optimizer, choose<Optimizer>("--optimizer", options.optimizer,
                                           {{"adam", Optimizer::adam}, {"sgd", Optimizer::sgd}}));
  return p;
}

/// The machine that is asked for, at any number of GPUs.
struct Where {
  scenario::Grown grown;
  std::string name;
};

Result<Where> read_where(const ScaleOptions& options) {
  RS_ASSIGN(auto grown, scenario::grow(options.system));
  return Where{std::move(grown), options.system.system};
}

Result<sim::Gpu> read_gpu(const ScaleOptions& options, const Where& where) {
  if (!options.gpu.empty()) return scenario::of_flag("--gpu", sim::find_gpu(options.gpu));
  return sim::gpu_of_system(where.grown.node.topology().name);
}

ScalingHead head_of(const sim::Model& model, const sim::Gpu& gpu, const Where& where) {
  ScalingHead head{.model = model.name, .gpu = gpu.name, .system = where.name};
  head.assumed = where.grown.node.topology().assumed;
  head.notes.push_back(fmt::format(
      "computing at {:.0f} % of {}'s peak, communication as the links allow; docs/scaling.md "
      "holds this against published runs",
      100 * gpu.achieved, gpu.name));
  return head;
}

template <typename R>
Result<int> write_result(const ScaleOptions& options, const ScalingHead& head, const R& result,
                         const std::string& picture) {
  RS_TRY(write(options.output, options.output.json  ? to_json(head, result)
                               : options.output.csv ? to_csv(head, result)
                                                    : to_table(head, result) + picture));
  return 0;
}

sim::OnProgress on_progress(std::optional<Progress>& progress) {
  return [&progress](std::size_t done, std::size_t of, const std::string& next) {
    if (!progress) progress.emplace(of);
    progress->done(done, next);
  };
}

Result<int> search(const ScaleOptions& options, const Where& where, sim::SearchRequest request) {
  RS_ASSIGN(const auto counts, scenario::of_flag("--gpus", sim::parse_gpu_counts(options.gpus)));
  if (counts.size() != 1) return bad_request("--search is for one number of GPUs: write --gpus 64");
  request.gpus = counts.front();
  request.most_tensor = where.grown.per_node;
  request.global_batch = options.global_batch;
  std::optional<Progress> progress;
  request.on_progress = on_progress(progress);
  RS_ASSIGN(const auto result, sim::search(request));
  progress.reset();
  return write_result(options, head_of(request.model, request.gpu, where), result, "");
}

/// The step on the most GPUs that one runs on: as lanes, and as a file for Perfetto.
Result<std::string> show_step(const ScaleOptions& options, const ScalingHead& head,
                              const sim::Model& model, const sim::ScalingCurve& curve) {
  const auto last = std::find_if(curve.points.rbegin(), curve.points.rend(),
                                 [](const sim::ScalingPoint& point) { return point.runs(); });
  RS_ASSERT(last != curve.points.rend(), "a curve has a step");
  if (!options.trace.empty())
    RS_TRY(write_file(options.trace, sim::step_events(last->step, {.model = model,
                                                                   .parallelism = last->parallelism,
                                                                   .machine = head.system,
                                                                   .version = RINGSIDE_VERSION,
                                                                   .command = options.command})));
  if (!options.draws_step) return "";
  return fmt::format("\nA step on {}:\n{}", counted(last->gpus, "GPU"), draw_step(last->step));
}

Result<int> scale(const ScaleOptions& options) {
  RS_TRY(check_writable("--out", options.output.out));
  RS_TRY(check_writable("--trace", options.trace));
  RS_ASSIGN(const auto model, scenario::of_flag("--model", sim::find_model(options.model)));
  RS_ASSIGN(const auto parallelism, read_parallelism(options));
  RS_ASSIGN(const Where where, read_where(options));
  RS_ASSIGN(const auto gpu, read_gpu(options, where));
  if (options.searches && (options.draws_step || !options.trace.empty()))
    return bad_request("--search compares splits: --step and --trace show one; give them the best");
  if (options.searches)
    return search(options, where,
                  {.model = model,
                   .gpu = gpu,
                   .machine = where.grown.of,
                   .parallelism = parallelism,
                   .algorithm = options.algorithm});
  sim::ScalingRequest request{.model = model, .gpu = gpu, .machine = where.grown.of};
  RS_ASSIGN(request.gpus, scenario::of_flag("--gpus", sim::parse_gpu_counts(options.gpus)));
  RS_ASSIGN(request.mode,
            choose<sim::Scaling>("--mode", options.mode,
                                 {{"strong", sim::Scaling::strong}, {"weak", sim::Scaling::weak}}));
  request.parallelism = parallelism;
  request.choose_zero = options.zero == "auto";
  request.choose_recompute = options.recompute == "auto";
  request.global_batch = options.global_batch;
  request.algorithm = options.algorithm;
  std::optional<Progress> progress;
  request.on_progress = on_progress(progress);
  RS_ASSIGN(const auto curve, sim::scale(request));
  progress.reset();
  auto head = head_of(model, gpu, where);
  head.mode = options.mode;
  head.notes.insert(head.notes.begin(), curve.notes.begin(), curve.notes.end());
  RS_ASSIGN(const auto step, show_step(options, head, model, curve));
  return write_result(options, head, curve, (options.plots ? plot(curve) : "") + step);
}

void add_split(CLI::App& command, ScaleOptions& options) {
  const std::string group = "Parallelism";
  const auto degree = [&](const char* flag, std::uint32_t& value, const char* what) {
    command.add_option(flag, value, what)
        ->check(scenario::whole_number(1, 1U << 16))
        ->group(group)
        ->capture_default_str();
  };
  const auto word = [&](const char* flag, std::string& value, const char* what) {
    command.add_option(flag, value, what)->group(group)->capture_default_str();
  };
  degree("--tensor", options.tensor, "GPUs that share every layer, inside a node");
  degree("--pipeline", options.pipeline, "Stages of layers");
  degree("--expert", options.expert, "GPUs that share the experts, out of the replicas");
  degree("--interleave", options.interleave, "Stretches of layers a stage holds");
  degree("--micro-batch", options.micro_batch, "Samples that pass at once");
  word("--zero", options.zero, "ZeRO stage 0 to 3, or auto: the least that fits");
  word("--recompute", options.recompute, "Activations: none, selective, full, or auto");
  word("--schedule", options.schedule, "Of a pipeline: 1f1b or gpipe");
  command
      .add_flag("--sequence-parallel", options.sequence_parallel,
                "Split what tensor parallelism leaves whole along the sequence")
      ->group(group);
  word("--bucket", options.bucket, "Gradients that travel together");
  word("--type", options.type, "What is trained in: bfloat16, half, float");
  word("--optimizer", options.optimizer, "adam or sgd");
}

}  // namespace

void add_scale(CLI::App& app, Job& chosen) {
  auto* command = app.add_subcommand("scale", "What a training step takes as GPUs are added");
  command->footer(
      "Examples: ringside scale --system dgx-h100 --model llama2-7b --gpus 8-256 --plot\n"
      "          ringside scale --system dgx1-v100 --model resnet50 --type half --gpus 1-64\n"
      "          ringside scale --system dgx-a100 --model llama2-70b --gpus 64 --search");
  const auto options = std::make_shared<ScaleOptions>();
  options->system.system = "dgx-h100";
  command->add_option("--system", options->system.system, "A preset, a shape, a file, or -")
      ->capture_default_str();
  command->add_option("--net", options->system.net, "Joins nodes whose NICs speak nothing");
  command->add_option("--set", options->system.set,
                      "KIND.bandwidth=... or KIND.latency=..., such as ib.bandwidth=12GB/s");
  command->add_option("--model", options->model, "A model (ringside list models) or a file")
      ->required();
  command->add_option("--gpu", options->gpu, "A GPU or a file (default: the system's)");
  command->add_option("--gpus", options->gpus, "How many: 1-4096 (doubled), 8,16,24 or 64")
      ->capture_default_str();
  command->add_option("--mode", options->mode, "weak: each replica has as many samples; strong")
      ->capture_default_str();
  command
      ->add_option("--global-batch", options->global_batch,
                   "Samples a step; weak: on the first count (default: a micro-batch each)")
      ->check(scenario::whole_number(0, std::uint64_t{1} << 32));
  command->add_option("--algorithm", options->algorithm, "Of collectives: best, or a name")
      ->capture_default_str();
  add_split(*command, *options);
  command->add_flag("--plot", options->plots, "Draw the speed-up");
  command->add_flag("--step", options->draws_step, "Draw what the GPUs do on the last count");
  command->add_option("--trace", options->trace, "Write that to a file for Perfetto");
  command->add_flag("--search", options->searches, "Find the fastest split of one count");
  options->output.add_to(*command);
  command->callback([options, command, &chosen] {
    options->command = command_line(*command);
    chosen = [options] { return scale(*options); };
  });
}

}  // namespace ringside::terminal
