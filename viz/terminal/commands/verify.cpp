// `ringside verify`: proves every algorithm for every collective it serves.

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <charconv>
#include <memory>

#include "core/suggest.hpp"
#include "core/variants.hpp"
#include "core/verifier.hpp"
#include "viz/terminal/command.hpp"
#include "viz/terminal/output.hpp"

namespace ringside::terminal {
namespace {

struct VerifyOptions {
  std::string ranks = "1-16";
  std::string collective = "all", algorithm = "all";
  OutputOptions output;
};

struct Range {
  std::uint32_t first, last;
};

Result<Range> parse_range(const std::string& text) {
  Range range{};
  const char* const end = text.data() + text.size();
  auto [at, error] = std::from_chars(text.data(), end, range.first);
  range.last = range.first;
  if (error == std::errc{} && at != end && *at == '-') {
    const auto second = std::from_chars(at + 1, end, range.last);
    at = second.ptr;
    error = second.ec;
  }
  if (error != std::errc{} || at != end || range.first == 0 || range.last < range.first)
    return bad_request(
        "\"" + text.substr(0, 64) +
        "\" is not a range of ranks: expected one number or FIRST-LAST, such as 1-16");
  if (range.last > 1024)
    return bad_request("ranks up to " + std::to_string(range.last) +
                       " cannot be proven exactly; the largest is 1024");
  return range;
}

Result<std::vector<const Algorithm*>> choose(const VerifyOptions& options) {
  std::vector<const Algorithm*> chosen;
  std::vector<std::string_view> names;
  if (options.collective != "all") {
    RS_ASSIGN(const CollectiveKind kind, parse_collective(options.collective));
    if (options.algorithm != "all") RS_TRY(find_algorithm(kind, options.algorithm));
  }
  for (const Algorithm& algorithm : all_algorithms()) {
    names.push_back(algorithm.name);
    if (options.collective != "all" && name(algorithm.collective) != options.collective) continue;
    if (options.algorithm != "all" && algorithm.name != options.algorithm) continue;
    chosen.push_back(&algorithm);
  }
  if (chosen.empty()) return bad_request(unknown("algorithm", options.algorithm, names));
  return chosen;
}

Row prove(const Plan& plan) {
  Row row{.collective = plan.spec.kind,
          .algorithm = std::string(plan.algorithm->name),
          .options = plan.options,
          .backend = "proof",
          .ranks = plan.spec.ranks,
          .in_place = plan.spec.in_place};
  if (has_root(plan.spec.kind)) row.root = plan.spec.root;
  const auto schedule = build_schedule(plan);
  if (!schedule)
    row.violation = schedule.error().message;
  else if (const auto violations = verify(*schedule, 1); !violations.empty())
    row.violation = to_string(violations.front(), *schedule);
  row.pass = row.violation.empty();
  return row;
}

/// One line an algorithm: how many schedules were proven, or the first that was not.
struct Line {
  std::size_t proven = 0, failed = 0;
  std::vector<std::uint32_t> unserved;  ///< numbers of ranks it has no answer for
  const Row* first_failure = nullptr;
};

std::string describe(const Algorithm& algorithm, const Line& line) {
  std::string text =
      fmt::format("{}  {:<15} {:<22} {:>6} schedules", line.failed ? "FAIL" : "ok  ",
                  name(algorithm.collective), algorithm.name, line.proven + line.failed);
  if (!line.unserved.empty())
    text += fmt::format(
        "  (not for {}{} ranks)",
        fmt::join(line.unserved.begin(),
                  line.unserved.begin() + std::min<std::ptrdiff_t>(4, std::ssize(line.unserved)),
                  ", "),
        line.unserved.size() > 4 ? ", ..." : "");
  if (line.first_failure)
    text +=
        fmt::format("\n      {} ranks{}: {}", line.first_failure->ranks,
                    line.first_failure->in_place ? " in place" : "", line.first_failure->violation);
  return text + "\n";
}

Result<int> run_verify(const VerifyOptions& options) {
  RS_ASSIGN(const Range range, parse_range(options.ranks));
  RS_ASSIGN(const auto chosen, choose(options));
  Report report{.command = "verify"};
  std::string lines;
  std::size_t failed = 0;
  Progress progress(chosen.size());
  for (std::size_t i = 0; i < chosen.size(); ++i) {
    const Algorithm& algorithm = *chosen[i];
    progress.done(i, fmt::format("{} {}", name(algorithm.collective), algorithm.name));
    Line line;
    std::optional<Row> failure;
    for (auto n = range.first; n <= range.last; ++n) {
      bool served = false;
      for (const auto& spec : specs_that_matter(algorithm.collective, n))
        for (const Plan& plan : plans_that_matter(algorithm, spec)) {
          served = true;
          report.rows.push_back(prove(plan));
          const bool pass = *report.rows.back().pass;
          ++(pass ? line.proven : line.failed);
          if (!pass && !failure) failure = report.rows.back();
        }
      if (!served) line.unserved.push_back(n);
    }
    if (failure) line.first_failure = &*failure;
    failed += line.failed;
    lines += describe(algorithm, line);
    if (line.proven + line.failed == 0)
      report.notes.push_back(fmt::format("{} {} serves no such number of ranks",
                                         name(algorithm.collective), algorithm.name));
  }
  if (options.output.for_people())
    RS_TRY(write(options.output,
                 lines + fmt::format("{} of {} schedules proven\n", report.rows.size() - failed,
                                     report.rows.size())));
  else
    RS_TRY(write(options.output, report));
  return failed ? 1 : 0;
}

}  // namespace

void add_verify(CLI::App& app, Job& chosen) {
  auto* command =
      app.add_subcommand("verify", "Prove every algorithm right, for every collective it serves");
  command->footer("Example: ringside verify --ranks 1-33 --json");
  const auto options = std::make_shared<VerifyOptions>();
  command->add_option("--ranks", options->ranks, "One number, or FIRST-LAST")
      ->capture_default_str();
  command->add_option("--collective", options->collective, "One collective, or all")
      ->capture_default_str();
  command->add_option("--algorithm", options->algorithm, "One algorithm, or all")
      ->capture_default_str();
  options->output.add_to(*command);
  command->callback([options, &chosen] { chosen = [options] { return run_verify(*options); }; });
}

}  // namespace ringside::terminal
