// `ringside run`: collectives on real data, measured and checked, as nccl-tests shows them.

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <map>
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
#include "viz/terminal/processes.hpp"
#include "viz/terminal/run_flags.hpp"
#include "viz/terminal/yardstick.hpp"

namespace ringside::terminal {
namespace {

/// The names after a flag that takes `all`.
template <typename Name>
std::vector<std::string> expanded(const std::string& given, std::size_t count, Name name) {
  if (given != "all") return {given};
  std::vector<std::string> names;
  for (std::size_t i = 0; i < count; ++i) names.emplace_back(name(i));
  return names;
}

/// All that one command line measures.
class Session {
 public:
  /// `other`: whose own collective is measured too; null: nobody's.
  Session(const RunFlags& flags, Backend& backend, Backend* other)
      : flags_(flags),
        backend_(backend),
        other_(other),
        sheet_(flags.output),
        table_{flags.spread, !flags.predict.empty()} {}

  Result<int> go() {
    if (!flags_.predict.empty()) {
      RS_ASSIGN(auto prediction,
                scenario::of_flag("--predict", Prediction::on(flags_.predict, flags_.ranks)));
      prediction_.emplace(std::move(prediction));
    }
    RS_TRY(check_executor(backend_, flags_.manner.run.executor));
    note(backend_.setting(flags_.ranks).notes);
    RS_TRY(check_rooms());
    RS_TRY(check_prediction());
    if (!flags_.trace.empty()) {  // first: not every executor keeps one
      RS_ASSIGN(trace_, record(backend_, contenders_->back().any(), last_, flags_.manner));
    }
    RS_ASSIGN(const auto hosts, hosts_of(backend_));
    host_ = hosts.list();
    RS_TRY(each_amount([&](const Amount& amount) { return measure_all(amount); }));
    if (trace_) RS_TRY(write_trace());
    return conclude();
  }

 private:
  /// Type by type, op by op, root by root, size by size.
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
                                                        : flags_.stepped_sizes());
        scenario::keep_distinct(sizes, request_.spec, request_.type);
        for (const Rank root : roots()) {
          RS_TRY(line_up(root));
          for (const Bytes size : sizes) {
            const bool barrier = request_.spec.kind == CollectiveKind::barrier;
            const auto count = barrier ? 0 : count_for(request_.spec, size, request_.type);
            RS_TRY(visit(Amount{count, request_.type, request_.redop}));
          }
        }
        if (!reduces(request_.spec.kind)) break;  // ops change nothing
      }
    return {};
  }

  Result<void> read_request(const std::string& type, const std::string& op) {
    auto options = flags_.collective;
    options.type = type;
    options.redop = op;
    RS_ASSIGN(request_, scenario::read(options));
    request_.spec.ranks = flags_.ranks;
    request_.spec.in_place = false;
    return {};
  }

  std::vector<Rank> roots() const {
    if (!flags_.has_all_roots() || !has_root(request_.spec.kind)) return {request_.spec.root};
    std::vector<Rank> all;
    for (std::uint32_t r = 0; r < flags_.ranks; ++r) all.push_back({r});
    return all;
  }

  /// What types and ops have in common is entered once a root.
  Result<void> line_up(Rank root) {
    request_.spec.root = root;
    const auto [at, is_new] = line_ups_.try_emplace(root.value);
    contenders_ = &at->second;
    if (!is_new) return {};
    const bool in_place = flags_.collective.in_place;
    std::vector<std::string> notes;
    RS_ASSIGN(at->second,
              enter(request_, {!in_place || flags_.out_of_place, in_place || !flags_.out_of_place},
                    backend_, notes));
    note(notes);
    return {};
  }

  /// Before anything is allocated or printed.
  Result<void> check_rooms() {
    if (!flags_.largest_is_open) return check_rooms(1);
    const std::string usual = flags_.collective.max_bytes;
    RS_ASSIGN(const Bytes wanted, parse_bytes(usual));
    RS_ASSIGN(const Bytes least, scenario::of_flag("-b", parse_bytes(flags_.collective.min_bytes)));
    // Other processes may be on this machine, too.
    const std::uint64_t processes =
        flags_.ranks / std::max<std::size_t>(1, owned_ranks(backend_, flags_.ranks).size());
    const auto mine = largest_that_fits(std::max(wanted, least), least, [&](Bytes largest) {
      flags_.collective.max_bytes = std::to_string(largest.count);
      return check_rooms(processes);
    });
    RS_ASSIGN(const auto all, backend_.share(std::to_string(mine ? mine->count : 0)));
    if (!mine) return tl::unexpected<Error>(mine.error());
    Bytes largest = *mine;
    for (const auto& one : all) largest = std::min(largest, Bytes{std::stoull(one)});
    flags_.collective.max_bytes = largest == wanted ? usual : std::to_string(largest.count);
    if (largest < wanted)
      note(
          {fmt::format("sizes end at {}, not {}: this machine's memory does not suffice; "
                       "-e 1G says what is lacking",
                       to_string(largest), to_string(wanted))});
    return check_rooms(1);
  }

  /// As if every vector were so many times as long.
  Result<void> check_rooms(std::uint64_t times) {
    return each_amount([&](const Amount& amount) -> Result<void> {
      for (const Contender& contender : *contenders_)
        for (const auto& entrant : {contender.out_of_place, contender.in_place})
          if (entrant) RS_TRY(check_amount(backend_, *entrant, amount, times));
      last_ = amount;
      return {};
    });
  }

  /// Of several algorithms, those that the system cannot run go without a prediction.
  Result<void> check_prediction() {
    if (!prediction_) return {};
    for (const Contender& contender : *contenders_) {
      const auto time = prediction_->run(contender.any(), last_);
      if (!time && contenders_->size() == 1) return tl::unexpected<Error>(time.error());
      if (!time)
        report_.notes.push_back(
            fmt::format("{} not simulated: {}", name(contender.any().plan), time.error().message));
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
    const auto devices = backend_.setting(flags_.ranks).devices;
    if (!devices.empty()) text += "#\n# Using devices\n";
    for (const auto& device : devices) text += "#  " + device + "\n";
    return text + "#\n" + table_.header();
  }

  Result<void> measure_all(const Amount& amount) {
    for (const Contender& contender : *contenders_) {
      Placements placements;
      RS_ASSIGN(placements.out_of_place, measure_one(contender.out_of_place, amount));
      RS_ASSIGN(placements.in_place, measure_one(contender.in_place, amount));
      RS_TRY(show(placements));
    }
    if (flags_.native) RS_TRY(measure_native(backend_, amount));
    return other_ != nullptr ? measure_native(*other_, amount) : Result<void>{};
  }

  /// A library's own collective, which runs none of our schedules.
  Result<void> measure_native(Backend& backend, const Amount& amount) {
    Manner manner = flags_.manner;
    manner.run.executor = "native";
    Placements placements;
    const auto place = [&](const auto& entrant, std::optional<Row>& to) -> Result<void> {
      if (!entrant) return {};
      RS_ASSIGN(to, measured(backend, *entrant, amount, manner));
      to->algorithm = "native";
      to->options = {};
      return {};
    };
    const Contender& any = contenders_->front();
    auto done = place(any.out_of_place, placements.out_of_place);
    if (done) done = place(any.in_place, placements.in_place);
    if (done) return show(placements);
    if (done.error().kind != ErrorKind::machine) return done;
    note({"native N/A: " + done.error().message});
    return {};
  }

  Result<Row> measured(Backend& backend, const Entrant& entrant, const Amount& amount,
                       const Manner& manner) {
    RS_ASSIGN(auto found, measure(backend, entrant, amount, manner));
    note(found.notes);
    found.row.host = host_;
    found.row.conditions = flags_.conditions();
    return std::move(found.row);
  }

  /// Whatever is refused is so before the first line.
  Result<void> show(const Placements& placements) {
    if (report_.rows.empty()) RS_TRY(sheet_.say(opening()));
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
    RS_ASSIGN(Row row, measured(backend_, *entrant, amount, flags_.manner));
    if (prediction_)
      if (const auto predicted = prediction_->run(*entrant, amount)) predict(row, *predicted);
    return row;
  }

  /// The busiest link has the same bytes to carry, in the time that was measured.
  void predict(Row& row, const Predicted& predicted) {
    row.predicted = predicted.time;
    if (predicted.busiest_link.empty() || !row.time || row.time->picoseconds == 0) return;
    row.busiest_link = predicted.busiest_link;
    row.busiest_link_ties = predicted.ties;
    row.busiest_link_share = predicted.share * predicted.time.seconds() / row.time->seconds();
    if (row.busiest_link_share > 1)
      note({"a link share above 100 % is of a run that was faster than the links of " +
            prediction_->system() + " allow: those of this machine are others"});
  }

  /// Each sentence once.
  void note(const std::vector<std::string>& sentences) {
    for (const auto& sentence : sentences)
      if (std::ranges::find(report_.notes, sentence) == report_.notes.end())
        report_.notes.push_back(sentence);
  }

  Result<void> write_trace() {
    auto& [run, clock_error] = *trace_;
    scenario::Scenario again{flags_.collective, {}, ""};
    again.collective.algorithm = run.row.algorithm;
    again.collective.type = name(last_.type);
    again.collective.redop = name(last_.redop);
    again.collective.bytes = std::to_string(run.row.size->count);
    again.collective.in_place = run.row.in_place;
    if (run.row.root) again.collective.root = run.row.root->value;
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
    if (run.row.algorithm == "none")
      note({"it has one span a rank: what moved inside is not known, and drawn through a hub"});
    if (clock_error > Duration{})
      report_.notes.push_back("its ranks' clocks agree within " + to_string(clock_error));
    note_overhead(run.row);
    return {};
  }

  /// What it costs to keep a trace, where the same executor ran without one.
  void note_overhead(const Row& traced) {
    const auto is_same = [&](const Row& row) {
      return row.algorithm == traced.algorithm && row.backend == traced.backend &&
             row.size == traced.size && row.type == traced.type && row.redop == traced.redop &&
             row.in_place == traced.in_place && row.time > Duration{};
    };
    const auto plain = std::ranges::find_if(report_.rows, is_same);
    if (plain == report_.rows.end()) return;
    report_.notes.push_back(fmt::format(
        "the traced run took {}, those without a trace {}: {:+.0f} %", to_string(*traced.time),
        to_string(*plain->time), 100 * (traced.time->seconds() / plain->time->seconds() - 1)));
  }

  Result<int> conclude() {
    note(comparisons(report_.rows));
    std::optional<double> least;
    if (!flags_.min_busbw.empty()) {
      RS_ASSIGN(least, parse_busbw(flags_.min_busbw));
    }
    const Gate gate = terminal::gate(report_.rows, least);
    if (!gate.sentence.empty()) note({gate.sentence});
    const Verdict verdict = ringside::verdict(report_.rows);
    std::string end = footer(verdict);
    for (const auto& sentence : report_.notes) end += "# " + sentence + "\n";
    end += fmt::format("#\n# Collective test concluded: {}\n", name(request_.spec.kind));
    RS_TRY(sheet_.say(end));
    RS_TRY(sheet_.end(report_));
    return gate.is_open && verdict.wrong == 0 ? 0 : 1;
  }

  RunFlags flags_;
  Backend& backend_;
  Backend* other_;
  Sheet sheet_;
  PlacementTable table_;
  scenario::CollectiveRequest request_{};
  std::map<std::uint32_t, std::vector<Contender>> line_ups_;  ///< by root
  const std::vector<Contender>* contenders_ = nullptr;        ///< those of the present root
  std::optional<Prediction> prediction_;
  Report report_{.command = "run"};
  std::string host_;
  Amount last_{};  ///< the largest, of the last type and op
  std::optional<Recording> trace_;
};

Result<int> run(RunFlags flags) {
  if (scenario::leaves_open(flags.collective.algorithm) && flags.collective.algorithm != "all")
    return bad_request("run measures: name an algorithm, or take --algorithm all");
  if (!flags.min_busbw.empty()) RS_TRY(parse_busbw(flags.min_busbw));
  RS_TRY(flags.read());
  RS_TRY(flags.backend_options.check_for(flags.backend, flags.manner.run.executor));
  RS_ASSIGN(const auto backend, make_backend(flags.backend, flags.backend_options));
  RS_ASSIGN(flags.ranks, choose_ranks(*backend, flags.ranks, 4));
  RS_TRY(check_writable("--out", flags.output.out));
  RS_TRY(check_writable("--trace", flags.trace));
  RS_TRY(flags.choose_yardstick(*backend));
  std::unique_ptr<Backend> other;
  if (!flags.compare.empty()) {
    RS_ASSIGN(other, make_backend(flags.compare, {.timeout = flags.manner.run.timeout}));
    RS_TRY(check_has_own_collective(*other, "--compare"));
    RS_TRY(choose_ranks(*other, flags.ranks, flags.ranks));
  }
  RS_TRY(flags.check_executor(*backend));
  return Session(flags, *backend, other.get()).go();
}

}  // namespace

void add_run(CLI::App& app, Job& chosen) {
  auto* command =
      app.add_subcommand("run", "Run collectives on real data: time, bandwidth, right or wrong");
  command->footer(
      "Flags and table are those of nccl-tests; -d, -o and -r also take all.\n"
      "Examples: ringside run --backend host --ranks 4 -b 1K -e 1M -f 4\n"
      "          ringside run --ranks 8 --algorithm all -b 64K -e 64K -n 5 --predict mesh\n"
      "          ringside run --ranks 4 -b 1M -e 1M --trace t.json\n"
      "          ringside run --schedule algorithm.xml -b 1K -e 1M\n"
      "          mpirun -n 4 ringside run --backend mpi --native -b 1K -e 1M -f 32");
  const auto flags = std::make_shared<RunFlags>();
  flags->add_to(*command);
  command->callback([flags, command, &chosen] {
    flags->algorithm_is_open =
        command->count("--algorithm") == 0 && command->count("--schedule") == 0;
    flags->largest_is_open = command->count("--maxbytes") == 0;
    flags->collective.least_is_open = command->count("--minbytes") == 0;
    if (flags->algorithm_is_open)
      flags->collective.algorithm = usual_algorithm(flags->collective.collective);
    chosen = [flags] { return run(*flags); };
  });
}

}  // namespace ringside::terminal
