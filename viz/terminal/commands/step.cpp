// `ringside step`: a run transfer by transfer, forwards and backwards.

#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "core/formats/trace_json.hpp"
#include "core/replay.hpp"
#include "core/suggest.hpp"
#include "core/verifier.hpp"
#include "viz/scenario/collective_options.hpp"
#include "viz/scenario/contest.hpp"
#include "viz/scenario/flags.hpp"
#include "viz/scenario/scenario.hpp"
#include "viz/scenario/system_options.hpp"
#include "viz/terminal/command.hpp"
#include "viz/terminal/figure_flags.hpp"
#include "viz/terminal/keyboard.hpp"
#include "viz/terminal/output.hpp"
#include "viz/terminal/state_view.hpp"

namespace ringside::terminal {
namespace {

using Json = nlohmann::ordered_json;
constexpr std::uint64_t most_cells = 1u
                                     << 22;  // replay keeps every slot's contributors at every step

constexpr std::size_t most_ranks = 256;  // before a schedule is even built

tl::unexpected<Error> too_many(std::size_t ranks, const std::string& chunks) {
  return bad_request(
      fmt::format("{} ranks{} are too many to walk through by hand; take --ranks 32 or fewer, or "
                  "fewer --chunks",
                  ranks, chunks));
}

struct StepOptions {
  scenario::CollectiveOptions collective;
  scenario::SystemOptions system;
  bool all = false;
  OutputOptions output;
  FigureFlags figure;
  std::string trace;            ///< file, `-` for standard output; empty: no trace wanted
  std::string command;          ///< the words it was asked with
  bool ranks_are_open = false;  ///< nobody said how many
};

/// One run and a position in it.
class Walk {
 public:
  explicit Walk(const scenario::Contest::Run& run) : run_(run), replay_(*run.schedule) {}

  std::uint32_t position() const { return replay_.position(); }
  std::uint32_t length() const { return replay_.length(); }
  void to(std::uint32_t position) { replay_.seek(std::min(position, length())); }
  void by(int transfers) {
    to(transfers < 0 && position() == 0 ? 0 : position() + static_cast<std::uint32_t>(transfers));
  }
  /// To the end of the step that is under way, or the beginning of the one before.
  void by_step(bool forwards) {
    const auto& schedule = *run_.schedule;
    if (forwards) {
      if (position() < length()) to(schedule.step_end(schedule.step({position()})).value);
    } else if (position() > 0) {
      to(schedule.step_begin(schedule.step({position() - 1})).value);
    }
  }

  std::string heading() const {
    return fmt::format("{} {} on {} of {}: {}, {:.2f} us\n", run_.row.algorithm,
                       name(run_.row.collective), counted(run_.row.ranks, "rank"),
                       run_.topology->name, to_string(*run_.row.size),
                       run_.row.time->microseconds());
  }
  /// The transfer just done and the state it left; before the first, the start.
  std::string frame(const Style& style) {
    const auto& schedule = *run_.schedule;
    if (position() == 0) return "start\n" + draw_state(schedule, replay_, {0}, {0}, style);
    const TransferId last{position() - 1};
    const auto step = schedule.step(last);
    std::string text = fmt::format("{}, transfer {} of {}, done at {:.2f} us\n",
                                   describe_step(step, schedule.steps()), position(), length(),
                                   run_.simulation.spans[last.value].commit.microseconds());
    const auto here = position();
    replay_.seek(schedule.step_begin(step).value);
    text += "  " + describe(schedule, last, replay_) + "\n";
    replay_.seek(here);
    return text + draw_state(schedule, replay_, schedule.step_begin(step), {here}, style);
  }
  /// A whole step: all its transfers, then the state.
  std::string step_frame(Step step, const Style& style) {
    const auto& schedule = *run_.schedule;
    const auto first = schedule.step_begin(step), last = schedule.step_end(step);
    Duration done{0};
    std::string lines;
    replay_.seek(first.value);
    for (auto id = first; id < last; ++id.value) {
      done = std::max(done, run_.simulation.spans[id.value].commit);
      lines += "  " + describe(schedule, id, replay_) + "\n";
    }
    replay_.seek(last.value);
    return fmt::format("\n{}, done at {:.2f} us\n", describe_step(step, schedule.steps()),
                       done.microseconds()) +
           lines + draw_state(schedule, replay_, first, last, style);
  }
  Json state() const;

 private:
  const scenario::Contest::Run& run_;
  Replay replay_;
};

Json Walk::state() const {
  const auto& schedule = *run_.schedule;
  Json slots = Json::array();
  const auto add = [&](const Slot& slot, const char* buffer) {
    const auto& content = replay_.at(slot);
    if (!content) return;
    slots.push_back({{"rank", slot.rank.value},
                     {"buffer", buffer},
                     {"chunk", slot.chunk.value},
                     {"value", content->value},
                     {"contributions", content->contributions}});
  };
  for (std::uint32_t r = 0; r < schedule.participants(); ++r) {
    for (std::uint32_t c = 0; c < schedule.chunks(); ++c) add(input(r, c), "input");
    for (std::uint32_t c = 0; c < schedule.chunks(); ++c) add(output(r, c), "output");
    for (std::uint32_t c = 0; c < schedule.scratch_chunks(); ++c) add(scratch(r, c), "scratch");
  }
  return slots;
}

Json json_of(const Schedule& schedule, TransferId id, const Span& span) {
  static constexpr const char* buffers[] = {"input", "output", "scratch"};
  const auto slot = [](const Slot& s) {
    return Json{{"rank", s.rank.value},
                {"buffer", buffers[static_cast<int>(s.buffer)]},
                {"chunk", s.chunk.value}};
  };
  const Transfer& t = schedule[id];
  return Json{{"transfer", id.value},
              {"action", t.action() == Action::copy ? "copy" : "reduce"},
              {"from", slot(t.src())},
              {"to", slot(t.dst())},
              {"chunks", t.chunks()},
              {"begin_us", span.begin.microseconds()},
              {"commit_us", span.commit.microseconds()}};
}

std::string as_json(const scenario::Contest::Run& run) {
  const auto& schedule = *run.schedule;
  Json json{{"ringside", 1}, {"command", "step"}};
  // All that a result row says of the run, here of the whole object: results[] are its steps.
  const auto report = Json::parse(to_json(Report{.command = "step", .rows = {run.row}}));
  for (const auto& [field, value] : report["results"][0].items()) json[field] = value;
  json["results"] = Json::array();
  Walk walk(run);
  json["start"] = walk.state();
  for (Step s{0}; s.value < schedule.steps(); ++s.value) {
    Json transfers = Json::array();
    for (auto id = schedule.step_begin(s); id < schedule.step_end(s); ++id.value)
      transfers.push_back(json_of(schedule, id, run.simulation.spans[id.value]));
    walk.to(schedule.step_end(s).value);
    json["results"].push_back(
        {{"step", s.value}, {"transfers", transfers}, {"state", walk.state()}});
  }
  return json.dump(2) + "\n";
}

std::string as_text(const scenario::Contest::Run& run, const Style& style) {
  Walk walk(run);
  std::string text = walk.heading() + "\n" + walk.frame(style);
  for (Step s{0}; s.value < run.schedule->steps(); ++s.value) text += walk.step_frame(s, style);
  const auto violations = verify(*run.schedule, 1);
  return text + (violations.empty()
                     ? "\nproven: every output holds what it must, whatever the timing\n"
                     : "\n" + to_string(violations.front(), *run.schedule) + "\n");
}

void interact(const scenario::Contest::Run& run) {
  const auto style = Style::for_stdout();
  Walk walk(run);
  Keyboard keyboard;
  for (Key key = Key::other; key != Key::quit; key = keyboard.next()) {
    switch (key) {
      case Key::right:
      case Key::space:
        walk.by(1);
        break;
      case Key::left:
        walk.by(-1);
        break;
      case Key::down:
      case Key::page_down:
        walk.by_step(true);
        break;
      case Key::up:
      case Key::page_up:
        walk.by_step(false);
        break;
      case Key::home:
        walk.to(0);
        break;
      case Key::end:
        walk.to(walk.length());
        break;
      default:
        break;
    }
    const auto text = "\033[H\033[2J" + walk.heading() + "\n" + walk.frame(style) +
                      "\nright, left: one transfer   down, up: one step   Home, End   q: quit\n";
    std::fwrite(text.data(), 1, text.size(), stdout);
    std::fflush(stdout);
  }
}

/// The run as a file that `view --trace` opens.
Result<void> write_trace(const StepOptions& options, const scenario::Contest::Run& run) {
  const scenario::Scenario asked{options.collective, options.system, ""};
  RS_ASSIGN(const auto text, trace_to_json({.row = run.row,
                                            .schedule = run.schedule,
                                            .spans = run.simulation.spans,
                                            .is_measured = false,
                                            .share = scenario::to_share_string({asked, {}})}));
  OutputOptions output;
  if (options.trace != "-") output.out = options.trace;
  return write(output, text);
}

Result<int> step(StepOptions options) {
  RS_ASSIGN(const auto of_file, scenario::follow_file(options.collective));
  if (of_file > 0 && options.ranks_are_open) options.system.ranks = of_file;
  RS_ASSIGN(auto request, read(options.collective));
  if (scenario::leaves_open(request.algorithm))
    return bad_request("step shows one algorithm: name it, such as --algorithm ring");
  RS_ASSIGN(const Bytes size, scenario::of_flag("-b", parse_bytes(options.collective.bytes)));
  RS_ASSIGN(const scenario::Machine machine, read(options.system));
  if (const auto ranks = machine.topology().ranks.size(); ranks > most_ranks)
    return too_many(ranks, "");
  RS_TRY(scenario::keep_few_chunks(request, machine));
  RS_ASSIGN(scenario::Contest contest,
            scenario::Contest::enter(request, machine, scenario::Contest::Tuning::off));
  std::optional<scenario::Contest::Run> only;
  RS_TRY(contest.run(size, [&](scenario::Contest::Run& run) -> Result<void> {
    only = std::move(run);
    return {};
  }));
  const scenario::Contest::Run& run = *only;
  const auto& schedule = *run.schedule;
  if (!options.trace.empty()) RS_TRY(write_trace(options, run));
  if (!options.figure.svg.empty()) {
    const figure::PicturedRun pictured{run.row, run.plan, schedule, *run.topology, run.simulation};
    RS_TRY(write_figure(options.figure, pictured, options.command));
  }
  if (!options.trace.empty() || !options.figure.svg.empty()) return 0;
  const auto cells = std::uint64_t{schedule.participants()} * schedule.spec().ranks *
                     (2 * schedule.chunks() + schedule.scratch_chunks()) * (schedule.steps() + 1);
  if (cells > most_cells * 16)
    return too_many(schedule.spec().ranks, fmt::format(" and {} chunks", schedule.chunks()));
  if (options.output.json)
    RS_TRY(write(options.output, as_json(run)));
  else if (options.all || !options.output.out.empty() || !is_terminal(STDIN_FILENO) ||
           !is_terminal(STDOUT_FILENO))
    RS_TRY(write(options.output, as_text(run, Style::for_stdout())));
  else
    interact(run);
  return 0;
}

}  // namespace

void add_step(CLI::App& app, Job& chosen) {
  auto* command = app.add_subcommand("step", "A run transfer by transfer, forwards and backwards");
  command->footer(
      "Keys: right and left one transfer, down and up one step, Home, End, q.\n"
      "Example: ringside step --algorithm halving_doubling --ranks 8 --all");
  const auto options = std::make_shared<StepOptions>();
  options->system.ranks = 4;
  options->collective.add_to(*command);
  options->collective.add_size_to(*command, "1M");
  options->system.add_machine_to(*command, false);
  options->system.add_run_to(*command);
  command->add_flag("--all", options->all, "Print every step instead of waiting for keys");
  options->output.add_to(*command, false);
  command
      ->add_option("--trace", options->trace,
                   "Write the run into this file (JSON) instead, for view --trace")
      ->check(scenario::not_empty());
  options->figure.add_to(*command);
  command->callback([options, command, &chosen] {
    options->command = command_line(*command);
    options->ranks_are_open = command->count("--ranks") == 0;
    chosen = [options] { return step(*options); };
  });
}

}  // namespace ringside::terminal
