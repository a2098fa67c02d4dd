// `ringside run`: collectives on real data, measured and checked, as nccl-tests shows them.

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <memory>

#include "core/suggest.hpp"
#include "viz/scenario/contest.hpp"
#include "viz/scenario/flags.hpp"
#include "viz/scenario/scenario.hpp"
#include "viz/terminal/backends.hpp"
#include "viz/terminal/command.hpp"
#include "viz/terminal/measuring.hpp"
#include "viz/terminal/output.hpp"
#include "viz/terminal/prediction.hpp"

namespace ringside::terminal {
namespace {

constexpr std::uint64_t most_iterations = 1'000'000;

struct RunFlags {
  std::string backend = "host";
  std::uint32_t ranks = 0;  ///< as many as the backend has, or 4
  scenario::CollectiveOptions collective;
  std::string step_bytes;  ///< empty: sizes grow by a factor
  bool out_of_place = false;
  Manner manner;
  std::string timeout = "60s";
  bool spread = false, native = false;
  std::string predict, trace, min_busbw;
  OutputOptions output;
};

/// From -b to -e, each -i more than the one before.
Result<std::vector<Bytes>> stepped_sizes(const RunFlags& flags) {
  RS_ASSIGN(const Bytes first, scenario::of_flag("-b", parse_bytes(flags.collective.min_bytes)));
  RS_ASSIGN(const Bytes last, scenario::of_flag("-e", parse_bytes(flags.collective.max_bytes)));
  RS_ASSIGN(const Bytes step, scenario::of_flag("-i", parse_bytes(flags.step_bytes)));
  if (step.count == 0) return bad_request("-i: sizes that grow by 0 B never reach -e");
  if (last < first)
    return bad_request("sizes from " + to_string(first) + " to " + to_string(last) +
                       " are none: -b must not exceed -e");
  if ((last - first).count / step.count >= 10'000)
    return bad_request("-i " + flags.step_bytes +
                       " gives more than 10,000 sizes; take a larger step");
  std::vector<Bytes> sizes;
  for (Bytes size = first; size <= last; size += step) sizes.push_back(size);
  return sizes;
}

/// GB/s, as a plain number or with a unit.
Result<double> parse_busbw(const std::string& text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error == std::errc() && end == text.data() + text.size() && value >= 0) return value;
  RS_ASSIGN(const Bandwidth bandwidth, scenario::of_flag("--min-busbw", parse_bandwidth(text)));
  return bandwidth.gigabytes_per_second();
}

/// The names after a flag that takes `all`.
template <typename Name>
std::vector<std::string> expanded(const std::string& given, std::size_t count, Name name) {
  if (given != "all") return {given};
  std::vector<std::string> names;
  for (std::size_t i = 0; i < count; ++i) names.emplace_back(name(i));
  return names;
}

/// One table or report in the making: lines of a table appear as they come.
class Sheet {
 public:
  explicit Sheet(const OutputOptions& output) : output_(output) {}

  Result<void> say(const std::string& text) {
    if (!output_.for_people()) return {};
    if (output_.out.empty()) return write(output_, text);
    text_ += text;
    return {};
  }
  Result<void> end(const Report& report) {
    if (!output_.for_people()) return write(output_, report);
    return output_.out.empty() ? Result<void>{} : write(output_, text_);
  }

 private:
  const OutputOptions& output_;
  std::string text_;
};

/// All that one command line measures.
class Session {
 public:
  Session(const RunFlags& flags, Backend& backend)
      : flags_(flags),
        backend_(backend),
        sheet_(flags.output),
        table_{flags.spread, !flags.predict.empty()} {}

  Result<int> go() {
    if (!flags_.predict.empty()) {
      RS_ASSIGN(auto prediction, Prediction::on(flags_.predict, flags_.ranks));
      prediction_.emplace(std::move(prediction));
    }
    RS_TRY(check_executor(backend_, flags_.manner.run.executor));
    RS_TRY(each_amount([&](const Amount& amount) { return check_rooms(amount); }));
    RS_TRY(check_prediction());
    if (!flags_.trace.empty()) {  // first: not every executor keeps one
      RS_ASSIGN(trace_, record(backend_, contenders_.back().any(), last_, flags_.manner));
    }
    RS_TRY(sheet_.say(opening()));
    RS_TRY(each_amount([&](const Amount& amount) { return measure_all(amount); }));
    if (trace_) RS_TRY(write_trace());
    return conclude();
  }

 private:
  /// Type by type, op by op, size by size.
  template <typename Visit>
  Result<void> each_amount(Visit visit) {
    const auto types = expanded(flags_.collective.type, element_type_count,
                                [](std::size_t i) { return name(static_cast<ElementType>(i)); });
    const auto ops = expanded(flags_.collective.redop, reduce_op_count,
                              [](std::size_t i) { return name(static_cast<ReduceOp>(i)); });
    for (const auto& type : types)
      for (const auto& op : ops) {
        RS_TRY(read_request(type, op));
        RS_ASSIGN(auto sizes, flags_.step_bytes.empty() ? read_sizes(flags_.collective)
                                                        : stepped_sizes(flags_));
        scenario::keep_distinct(sizes, request_.spec, request_.type);
        for (const Bytes size : sizes) {
          const bool barrier = request_.spec.kind == CollectiveKind::barrier;
          const auto count = barrier ? 0 : count_for(request_.spec, size, request_.type);
          RS_TRY(visit(Amount{count, request_.type, request_.redop}));
        }
        if (!reduces(request_.spec.kind)) break;  // ops change nothing
      }
    return {};
  }

  /// What types and ops have in common is entered once.
  Result<void> read_request(const std::string& type, const std::string& op) {
    auto options = flags_.collective;
    options.type = type;
    options.redop = op;
    RS_ASSIGN(request_, scenario::read(options));
    request_.spec.ranks = flags_.ranks;
    request_.spec.in_place = false;
    if (!contenders_.empty()) return {};
    const Asked asked{!options.in_place || flags_.out_of_place,
                      options.in_place || !flags_.out_of_place};
    RS_ASSIGN(contenders_, enter(request_, asked, backend_, report_.notes));
    return {};
  }

  /// Before anything is allocated or printed.
  Result<void> check_rooms(const Amount& amount) {
    for (const Contender& contender : contenders_)
      for (const auto& entrant : {contender.out_of_place, contender.in_place})
        if (entrant) RS_TRY(check_room(backend_, work_of(*entrant, amount)));
    last_ = amount;
    return {};
  }

  /// Of several algorithms, those that the system cannot run go without a prediction.
  Result<void> check_prediction() {
    if (!prediction_) return {};
    for (const Contender& contender : contenders_) {
      const auto time = prediction_->time(contender.any(), last_);
      if (!time && contenders_.size() == 1) return tl::unexpected<Error>(time.error());
      if (!time)
        report_.notes.push_back(fmt::format(
            "{} not simulated: {}", contender.any().plan.algorithm->name, time.error().message));
    }
    return {};
  }

  std::string opening() const {
    const auto& sizes = flags_.collective;
    const auto step =
        flags_.step_bytes.empty() ? sizes.step_factor + "(factor)" : flags_.step_bytes + "(bytes)";
    std::string text = fmt::format(
        "# Collective test starting: {}\n"
        "# nRanks {} minBytes {} maxBytes {} step: {} warmup iters: {} iters: {} validation: {} "
        "unalign: {}\n"
        "# time: the median of the iterations, on backend {}\n",
        name(request_.spec.kind), flags_.ranks, sizes.min_bytes, sizes.max_bytes, step,
        flags_.manner.warmup, flags_.manner.iterations, flags_.manner.checks,
        flags_.manner.misaligned, backend_.name());
    if (prediction_)
      text += fmt::format("# simulated: the same schedules on {}, links as they are\n",
                          prediction_->system());
    return text + "#\n" + table_.header();
  }

  Result<void> measure_all(const Amount& amount) {
    for (const Contender& contender : contenders_) {
      Placements placements;
      RS_ASSIGN(placements.out_of_place, measure_one(contender.out_of_place, amount));
      RS_ASSIGN(placements.in_place, measure_one(contender.in_place, amount));
      RS_TRY(show(placements));
    }
    return flags_.native ? measure_native(amount) : Result<void>{};
  }

  /// The library's own collective, which runs none of our schedules.
  Result<void> measure_native(const Amount& amount) {
    Manner manner = flags_.manner;
    manner.run.executor = "native";
    Placements placements;
    const auto place = [&](const auto& entrant, std::optional<Row>& to) -> Result<void> {
      if (!entrant) return {};
      RS_ASSIGN(to, measure(backend_, *entrant, amount, manner));
      to->algorithm = "native";
      to->options = {};
      return {};
    };
    const Contender& any = contenders_.front();
    auto done = place(any.out_of_place, placements.out_of_place);
    if (done) done = place(any.in_place, placements.in_place);
    if (done) return show(placements);
    if (done.error().kind != ErrorKind::machine) return done;
    return sheet_.say("# native N/A: " + done.error().message + "\n");
  }

  Result<void> show(const Placements& placements) {
    RS_TRY(sheet_.say(table_.line(placements)));
    for (const auto* row : {&placements.out_of_place, &placements.in_place}) {
      if (!*row) continue;
      if (!(*row)->violation.empty())
        RS_TRY(sheet_.say(fmt::format("# wrong, {}: {}\n",
                                      (*row)->in_place ? "in place" : "out of place",
                                      (*row)->violation)));
      report_.rows.push_back(**row);
    }
    return {};
  }

  Result<std::optional<Row>> measure_one(const std::optional<Entrant>& entrant,
                                         const Amount& amount) {
    if (!entrant) return std::nullopt;
    RS_ASSIGN(Row row, measure(backend_, *entrant, amount, flags_.manner));
    if (prediction_)
      if (const auto predicted = prediction_->time(*entrant, amount)) row.predicted = *predicted;
    return row;
  }

  Result<void> write_trace() {
    auto& [run, clock_error] = *trace_;
    scenario::Scenario again{flags_.collective, {}, ""};
    again.collective.algorithm = run.row.algorithm;
    again.collective.type = name(last_.type);
    again.collective.redop = name(last_.redop);
    again.collective.bytes = std::to_string(run.row.size->count);
    again.collective.in_place = run.row.in_place;
    again.system.system = prediction_ ? prediction_->system() : "mesh";
    again.system.ranks = flags_.ranks;
    run.share = scenario::to_share_string({again, {}});
    RS_ASSIGN(const auto text, trace_to_json(run));
    OutputOptions file;
    file.out = flags_.trace;
    RS_TRY(write(file, text));
    report_.notes.push_back(fmt::format(
        "trace of {}, {}, {}, on {}, in {}", run.row.algorithm, to_string(*run.row.size),
        run.row.in_place ? "in place" : "out of place", run.row.backend, flags_.trace));
    if (clock_error > Duration{})
      report_.notes.push_back("its ranks' clocks agree within " + to_string(clock_error));
    return {};
  }

  Result<int> conclude() {
    const Verdict verdict = ringside::verdict(report_.rows);
    bool failed = verdict.wrong > 0;
    if (!flags_.min_busbw.empty()) {
      RS_ASSIGN(const double least, parse_busbw(flags_.min_busbw));
      const bool is_slow = verdict.average_busbw.value_or(0) < least;
      failed |= is_slow;
      report_.notes.push_back(
          fmt::format("average bus bandwidth {:.3g} GB/s, at least {:g} asked for: {}",
                      verdict.average_busbw.value_or(0), least, is_slow ? "FAILED" : "OK"));
    }
    std::string end = footer(verdict);
    for (const auto& sentence : report_.notes) end += "# " + sentence + "\n";
    end += fmt::format("#\n# Collective test concluded: {}\n", name(request_.spec.kind));
    RS_TRY(sheet_.say(end));
    RS_TRY(sheet_.end(report_));
    return failed ? 1 : 0;
  }

  const RunFlags& flags_;
  Backend& backend_;
  Sheet sheet_;
  PlacementTable table_;
  scenario::CollectiveRequest request_{};
  std::vector<Contender> contenders_;
  std::optional<Prediction> prediction_;
  Report report_{.command = "run"};
  Amount last_{};  ///< the largest, of the last type and op
  std::optional<Recording> trace_;
};

/// Ring where there is one, else the first that the collective has.
std::string usual_algorithm(const std::string& collective) {
  const auto kind = parse_collective(collective);
  std::string first = "ring";
  for (const Algorithm& algorithm : all_algorithms()) {
    if (!kind || algorithm.collective != *kind) continue;
    if (algorithm.name == "ring") return "ring";
    if (first == "ring") first = algorithm.name;
  }
  return first;
}

Result<int> run(RunFlags flags) {
  if (scenario::leaves_open(flags.collective.algorithm) && flags.collective.algorithm != "all")
    return bad_request("run measures: name an algorithm, or take --algorithm all");
  if (!flags.min_busbw.empty()) RS_TRY(parse_busbw(flags.min_busbw));
  RS_ASSIGN(flags.manner.run.timeout,
            scenario::of_flag("--timeout", parse_duration(flags.timeout)));
  RS_ASSIGN(const auto backend, make_backend(flags.backend));
  RS_ASSIGN(flags.ranks, choose_ranks(*backend, flags.ranks, 4));
  if (flags.native) RS_TRY(check_executor(*backend, "native"));
  return Session(flags, *backend).go();
}

void add_measurement_flags(CLI::App& command, RunFlags& flags) {
  command.add_option("-i,--stepbytes", flags.step_bytes, "Each size is this much more instead");
  command.add_option("-n,--iters", flags.manner.iterations, "Timed iterations of each row")
      ->check(scenario::whole_number(1, most_iterations))
      ->capture_default_str();
  command.add_option("-w,--warmup", flags.manner.warmup, "Iterations before them")
      ->check(scenario::whole_number(0, most_iterations))
      ->capture_default_str();
  command
      .add_option("-c,--check", flags.manner.checks,
                  "Compare all this often: exact, real, special data in turn; 0: never")
      ->check(scenario::whole_number(0, 1000))
      ->capture_default_str();
  command
      .add_option("-u,--unalign", flags.manner.misaligned, "Start buffers this many elements off")
      ->check(scenario::whole_number(0, 4096))
      ->capture_default_str();
  command.add_flag("-I,--spread", flags.spread, "Show min, max, p99 and variation of iterations");
  command.add_option("--executor", flags.manner.run.executor,
                     "host: direct, sliced, ranks; mpi: messages, window, native");
  command.add_flag("--native", flags.native,
                   "Measure the library's own collective too: with mpi, MPI_Allreduce, ...");
  command.add_option("--timeout", flags.timeout, "No wait lasts longer")->capture_default_str();
}

}  // namespace

void add_run(CLI::App& app, Job& chosen) {
  auto* command =
      app.add_subcommand("run", "Run collectives on real data: time, bandwidth, right or wrong");
  command->footer(
      "Flags and table are those of nccl-tests; -d and -o also take all.\n"
      "Examples: ringside run --backend host --ranks 4 -b 1K -e 1M -f 4\n"
      "          ringside run --ranks 8 --algorithm all -b 64K -e 64K -n 5 --predict mesh\n"
      "          ringside run --ranks 4 -b 1M -e 1M --trace t.json\n"
      "          mpirun -n 4 ringside run --backend mpi --native -b 1K -e 1M -f 32");
  const auto flags = std::make_shared<RunFlags>();
  flags->collective.max_bytes = "64M";
  command
      ->add_option("--backend", flags->backend,
                   "Where it runs; 'ringside list backends' lists them")
      ->check(scenario::not_empty())
      ->capture_default_str();
  command->add_option("--ranks", flags->ranks, "Participants")
      ->check(scenario::whole_number(1, 1024))
      ->default_str("4");
  flags->collective.add_to(*command);
  command->add_flag("--out-of-place", flags->out_of_place,
                    "Input and output are two buffers; default: both ways");
  flags->collective.add_sizes_to(*command);
  add_measurement_flags(*command, *flags);
  command
      ->add_option("--predict", flags->predict,
                   "Lay beside each row what the simulator says of this system")
      ->check(scenario::not_empty());
  command
      ->add_option("--trace", flags->trace, "Record one more run of the last row, for view --trace")
      ->check(scenario::not_empty());
  command
      ->add_option("--min-busbw", flags->min_busbw,
                   "Fail if the average bus bandwidth is below this many GB/s")
      ->check(scenario::not_empty());
  flags->output.add_to(*command);
  command->callback([flags, command, &chosen] {
    if (command->count("--algorithm") == 0)
      flags->collective.algorithm = usual_algorithm(flags->collective.collective);
    chosen = [flags] { return run(*flags); };
  });
}

}  // namespace ringside::terminal
