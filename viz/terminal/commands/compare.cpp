// `ringside compare`: what was measured beside what was measured before, or beside what the
// simulator says.

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <memory>
#include <nlohmann/json.hpp>

#include "core/file.hpp"
#include "core/formats/measured_log.hpp"
#include "core/suggest.hpp"
#include "viz/scenario/contest.hpp"
#include "viz/scenario/flags.hpp"
#include "viz/terminal/command.hpp"
#include "viz/terminal/output.hpp"

namespace ringside::terminal {
namespace {

using Json = nlohmann::ordered_json;
constexpr Bytes largest_file = 64_MiB;

struct CompareOptions {
  std::vector<std::string> files;
  std::string fail_over;  ///< empty: nothing fails
  scenario::SystemOptions system;
  std::string algorithm = "best";  ///< where a log names none
  OutputOptions output;
};

/// A row, and the time it is compared with: measured before, or predicted.
struct Pair {
  Row row;
  Duration other;
  double change() const { return row.time->seconds() / other.seconds() - 1; }
};

Result<MeasuredLog> read(const std::string& file) {
  RS_ASSIGN(const std::string text, read_file(file, largest_file));
  return read_measured(text, file == "-" ? "standard input" : file);
}

/// The same thing, whoever ran it.
bool are_alike(const Row& a, const Row& b) {
  return a.collective == b.collective && a.algorithm == b.algorithm && a.ranks == b.ranks &&
         a.size == b.size && a.type == b.type && a.redop == b.redop && a.root == b.root &&
         a.in_place == b.in_place;
}

/// Row by row of `now`, each row of `before` used once; what has no partner is noted.
std::vector<Pair> matched(std::vector<Row> before, const std::vector<Row>& now,
                          std::vector<std::string>& notes) {
  std::vector<Pair> pairs;
  std::size_t alone = 0;
  for (const Row& row : now) {
    const auto partner = std::find_if(before.begin(), before.end(),
                                      [&](const Row& other) { return are_alike(row, other); });
    if (partner == before.end()) {
      ++alone;
      continue;
    }
    pairs.push_back({row, *partner->time});
    before.erase(partner);
  }
  if (alone + before.size() > 0)
    notes.push_back(fmt::format("rows without a partner: {} of the first file, {} of the second",
                                before.size(), alone));
  return pairs;
}

/// The same rows as the simulator would have them.
Result<std::vector<Pair>> predicted(const CompareOptions& options, const std::vector<Row>& rows) {
  std::vector<Pair> pairs;
  for (const Row& row : rows) {
    auto system = options.system;
    if (system.ranks == 0) system.ranks = row.ranks;
    RS_ASSIGN(const scenario::Machine machine, scenario::read(system));
    scenario::CollectiveRequest request{};
    request.spec = {.kind = row.collective,
                    .root = row.root.value_or(Rank{0}),
                    .in_place = row.in_place && may_be_in_place(row.collective)};
    request.algorithm = row.algorithm.empty() ? options.algorithm : row.algorithm;
    request.type = row.type.value_or(ElementType::float32);
    request.redop = row.redop.value_or(ReduceOp::sum);
    RS_ASSIGN(auto contest, scenario::Contest::enter(request, machine));
    Pair pair{row, {}};
    RS_TRY(contest.run(*row.size, [&](scenario::Contest::Run& run) -> Result<void> {
      pair.other = run.simulation.time;
      if (pair.row.algorithm.empty()) pair.row.algorithm = run.row.algorithm;
      return {};
    }));
    if (pair.other.picoseconds > 0) pairs.push_back(pair);
  }
  return pairs;
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[(values.size() - 1) / 2];
}

struct Comparing {
  std::vector<Pair> pairs;
  std::vector<std::string> notes;
  std::optional<double> tolerance;
  bool against_simulation = false;
};

/// How far the prediction is off, or how much slower it is now.
double off(const Comparing& all, const Pair& pair) {
  return all.against_simulation ? pair.other.seconds() / pair.row.time->seconds() - 1
                                : pair.change();
}

bool is_failure(const Comparing& all, const Pair& pair) {
  if (!all.tolerance) return false;
  const double by = off(all, pair);
  return (all.against_simulation ? std::abs(by) : by) > *all.tolerance;
}

std::string as_text(const Comparing& all) {
  const bool simulated = all.against_simulation;
  std::string text = fmt::format(
      "#       size      type   redop  placement     {:>12}  {:>12}  {:>8}  algorithm\n"
      "#        (B)                                          (us)          (us)       "
      "(%)\n",
      simulated ? "measured" : "before", simulated ? "predicted" : "now",
      simulated ? "error" : "change");
  for (const Pair& pair : all.pairs) {
    const auto& [row, other] = pair;
    const auto first = simulated ? *row.time : other, second = simulated ? other : *row.time;
    text += fmt::format(
        "{:>12}  {:>8}  {:>6}  {:<12}  {:>12}  {:>12}  {:>+8.1f}  {}{}\n", row.size->count,
        row.type ? name(*row.type) : "", row.redop ? name(*row.redop) : "none",
        row.in_place ? "in place" : "out of place", narrowed(first.microseconds(), 12),
        narrowed(second.microseconds(), 12), off(all, pair) * 100, row.algorithm,
        is_failure(all, pair) ? "  FAILED" : "");
  }
  for (const auto& note : all.notes) text += "# " + note + "\n";
  return text;
}

std::string as_json(const Comparing& all) {
  Json json{{"ringside", 1}, {"command", "compare"}, {"results", Json::array()}};
  for (const Pair& pair : all.pairs) {
    const Row& row = pair.row;
    Json one{{"collective", name(row.collective)}, {"algorithm", row.algorithm}};
    if (row.ranks > 0) one["ranks"] = row.ranks;
    one["bytes"] = row.size->count;
    if (row.type) one["type"] = name(*row.type);
    if (row.redop) one["redop"] = name(*row.redop);
    if (row.root) one["root"] = row.root->value;
    one["in_place"] = row.in_place;
    one["time_us"] = row.time->microseconds();
    one[all.against_simulation ? "predicted_us" : "before_us"] = pair.other.microseconds();
    one[all.against_simulation ? "error" : "change"] = off(all, pair);
    if (all.tolerance) one["pass"] = !is_failure(all, pair);
    json["results"].push_back(one);
  }
  if (!all.notes.empty()) json["notes"] = all.notes;
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

/// The sentence that sums up, and how many rows failed.
std::size_t conclude(Comparing& all) {
  std::vector<double> offs;
  for (const Pair& pair : all.pairs)
    offs.push_back(all.against_simulation ? std::abs(off(all, pair)) : off(all, pair));
  all.notes.push_back(fmt::format("{} rows, median {} {:.1f} %", all.pairs.size(),
                                  all.against_simulation ? "of the errors' sizes" : "change",
                                  median(offs) * 100));
  const auto failed = static_cast<std::size_t>(std::count_if(
      all.pairs.begin(), all.pairs.end(), [&](const Pair& pair) { return is_failure(all, pair); }));
  if (all.tolerance)
    all.notes.push_back(
        fmt::format("{} of {} rows {} by more than {:g} %", failed, all.pairs.size(),
                    all.against_simulation ? "are off" : "are slower", *all.tolerance * 100));
  return failed;
}

Result<int> compare(const CompareOptions& options) {
  Comparing all;
  if (!options.fail_over.empty()) {
    RS_ASSIGN(all.tolerance, scenario::of_flag("--fail-over", parse_share(options.fail_over)));
  }
  all.against_simulation = options.files.size() == 1;
  if (options.files.size() > 2)
    return bad_request("compare takes two results, or one and --system; got " +
                       std::to_string(options.files.size()));
  if (all.against_simulation == options.system.system.empty())
    return bad_request(all.against_simulation
                           ? "compare needs something to compare " + options.files[0] +
                                 " with: a second result, or --system"
                           : "--system is for one result: two are compared with each other");
  RS_ASSIGN(auto first, read(options.files[0]));
  for (const auto& note : first.notes) all.notes.push_back(options.files[0] + ": " + note);
  if (all.against_simulation) {
    RS_ASSIGN(all.pairs, predicted(options, first.rows));
    all.notes.push_back("predictions are what the links of " + options.system.system +
                        " allow: no launch, protocol or host-copy cost is in them");
  } else {
    RS_ASSIGN(const auto second, read(options.files[1]));
    for (const auto& note : second.notes) all.notes.push_back(options.files[1] + ": " + note);
    all.pairs = matched(std::move(first.rows), second.rows, all.notes);
  }
  if (all.pairs.empty())
    return bad_request("nothing can be compared: " +
                       (all.notes.empty() ? std::string("no row has a time") : all.notes.front()));
  const auto failed = conclude(all);
  RS_TRY(write(options.output, options.output.json ? as_json(all) : as_text(all)));
  return failed > 0 ? 1 : 0;
}

}  // namespace

void add_compare(CLI::App& app, Job& chosen) {
  auto* command = app.add_subcommand(
      "compare", "Measured times beside earlier ones, or beside what the simulator says");
  command->footer(
      "Files are what run --json writes, or tables of nccl-tests.\n"
      "Examples: ringside run --json -e 64K --out a.json && ringside compare a.json a.json "
      "--fail-over 5%\n"
      "          ringside run -b 1K -e 64K --out log && ringside compare log --system mesh");
  const auto options = std::make_shared<CompareOptions>();
  options->system.system = "";
  command->add_option("files", options->files, "One result, or two: before and now")
      ->required()
      ->check(scenario::not_empty());
  command->add_option("--fail-over", options->fail_over,
                      "Exit 1 if a row is slower, or a prediction off, by more than this, such as "
                      "5%");
  command
      ->add_option("--algorithm", options->algorithm, "What a log that names none is compared with")
      ->capture_default_str();
  options->system.add_machine_to(*command, false);
  options->output.add_to(*command, false);
  command->callback([options, &chosen] { chosen = [options] { return compare(*options); }; });
}

}  // namespace ringside::terminal
