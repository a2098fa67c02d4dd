#include "viz/terminal/verification.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "core/engine.hpp"
#include "core/report.hpp"
#include "core/story_proof.hpp"
#include "core/suggest.hpp"
#include "core/variants.hpp"
#include "core/verifier.hpp"
#include "viz/terminal/trials.hpp"

namespace ringside::terminal {
namespace {

constexpr std::uint32_t most_exact = 1024;  // ranks

std::string first_fault(const Plan& plan) {
  const auto schedule = build_schedule(plan);
  if (!schedule) return schedule.error().message;
  const auto violations = verify(*schedule, 1);
  return violations.empty() ? "" : to_string(violations.front(), *schedule);
}

/// What one algorithm came to.
struct Line {
  Tried tried;
  std::vector<std::uint32_t> unserved;  ///< numbers of ranks it has no answer for
  std::vector<Row> rows;
  std::optional<unsigned> error_bits;  ///< the least of StoryProof, where a proof was of that kind
};

/// Of the story, where a schedule would be too large to follow exactly.
std::string first_fault_told(const Plan& plan, Line& line) {
  const auto proof = audit(story_of(plan), 1, 1);
  if (!proof) return proof.error().message;
  line.error_bits = std::min(line.error_bits.value_or(proof->error_bits), proof->error_bits);
  return proof->faults.empty() ? "" : to_string(proof->faults.front());
}

void prove_one(const Plan& plan, Line& line) {
  const bool is_exact = plan.spec.ranks <= most_exact;
  Row row{.collective = plan.spec.kind,
          .algorithm = std::string(plan.algorithm->name),
          .options = plan.options,
          .backend = is_exact ? "proof" : "proof/random",
          .ranks = plan.spec.ranks,
          .in_place = plan.spec.in_place};
  if (has_root(plan.spec.kind)) row.root = plan.spec.root;
  row.violation = is_exact ? first_fault(plan) : first_fault_told(plan, line);
  row.pass = row.violation.empty();
  line.rows.push_back(std::move(row));
}

/// The default plan of each placement, of many ranks: others take as long again.
std::vector<Plan> plans_at_scale(const Algorithm& algorithm, std::uint32_t ranks) {
  std::vector<Plan> plans;
  for (const bool in_place : {false, true}) {
    const CollectiveSpec spec{.kind = algorithm.collective, .ranks = ranks, .in_place = in_place};
    if (auto plan = make_plan(algorithm, spec, {})) plans.push_back(*std::move(plan));
  }
  if (algorithm.collective == CollectiveKind::barrier) plans.clear();  // see audit()
  return plans;
}

void prove_all(const Algorithm& algorithm, std::uint32_t ranks, Line& line) {
  if (ranks > most_exact) {
    for (const Plan& plan : plans_at_scale(algorithm, ranks)) prove_one(plan, line);
  } else {
    for (const auto& spec : specs_that_matter(algorithm.collective, ranks))
      for (const Plan& plan : plans_that_matter(algorithm, spec)) prove_one(plan, line);
  }
}

Line verify_one(const Algorithm& algorithm, const Verification& what, Backend* backend) {
  Line line;
  for (auto n = what.first_ranks; n <= what.last_ranks && !line.tried.has_stopped; ++n) {
    const auto before = line.rows.size();
    if (backend != nullptr) {
      auto rows = try_out(*backend, algorithm, n, what.trying, line.tried);
      std::move(rows.begin(), rows.end(), std::back_inserter(line.rows));
    } else {
      prove_all(algorithm, n, line);
    }
    if (line.rows.size() == before) line.unserved.push_back(n);
  }
  if (backend == nullptr) line.tried.runs = line.rows.size();
  return line;
}

bool is_wrong(const Row& row) {
  return !*row.pass;
}

std::size_t wrong_in(const std::vector<Row>& rows) {
  return static_cast<std::size_t>(std::count_if(rows.begin(), rows.end(), is_wrong));
}

/// `5 ranks, root 3, in place, half min`.
std::string describe(const Row& row) {
  std::string text = counted(row.ranks, "rank");
  if (row.root) text += fmt::format(", root {}", row.root->value);
  if (row.in_place) text += ", in place";
  if (row.type) text += fmt::format(", {}", name(*row.type));
  if (row.redop) text += fmt::format(" {}", name(*row.redop));
  return text;
}

std::string describe(const Algorithm& algorithm, const Line& line, bool has_run) {
  const auto& rows = line.rows;
  std::string text = fmt::format("{}  {:<15} {:<22} {:>6} {}", wrong_in(rows) ? "FAIL" : "ok  ",
                                 name(algorithm.collective), algorithm.name, line.tried.runs,
                                 plural(line.tried.runs, has_run ? "run" : "schedule"));
  if (has_run) text += fmt::format(" {:>9} elements", line.tried.elements);
  if (!line.unserved.empty())
    text += fmt::format(
        "  (not for {}{} ranks)",
        fmt::join(line.unserved.begin(),
                  line.unserved.begin() + std::min<std::ptrdiff_t>(4, std::ssize(line.unserved)),
                  ", "),
        line.unserved.size() > 4 ? ", ..." : "");
  if (const auto first = std::find_if(rows.begin(), rows.end(), is_wrong); first != rows.end())
    text += fmt::format("\n      {}: {}", describe(*first), first->violation);
  return text + "\n";
}

std::string conclusion(const Report& report, const Tried& tried, const Backend* backend) {
  const auto rows = report.rows.size(), right = rows - wrong_in(report.rows);
  if (backend == nullptr) return fmt::format("{} of {} proven\n", right, counted(rows, "schedule"));
  std::string text = fmt::format(
      "{} on {}, {} compared; {} of {} placements, types and ops {}right{}\n",
      counted(tried.runs, "run"), backend->name(), counted(tried.elements, "element"), right, rows,
      right == rows ? "all " : "", tried.has_stopped ? "; the last run did not end" : "");
  if (tried.refused > 0)
    text +=
        fmt::format("{} of the runs were refused: the executor does not do them\n", tried.refused);
  return text;
}

}  // namespace

Result<int> verify_all(const Verification& what, Backend* backend, const OutputOptions& output) {
  Report report{.command = "verify"};
  std::string lines;
  Tried tried;
  std::optional<unsigned> error_bits;
  Progress progress(what.algorithms.size());
  for (std::size_t i = 0; i < what.algorithms.size() && !tried.has_stopped; ++i) {
    const Algorithm& algorithm = *what.algorithms[i];
    progress.done(i, fmt::format("{} {}", name(algorithm.collective), algorithm.name));
    Line line = verify_one(algorithm, what, backend);
    lines += describe(algorithm, line, backend != nullptr);
    tried.runs += line.tried.runs;
    tried.elements += line.tried.elements;
    tried.refused += line.tried.refused;
    tried.has_stopped = line.tried.has_stopped;
    if (line.error_bits) error_bits = std::min(error_bits.value_or(127), *line.error_bits);
    if (line.rows.empty())
      report.notes.push_back(fmt::format("{} {} serves no such number of ranks",
                                         name(algorithm.collective), algorithm.name));
    std::move(line.rows.begin(), line.rows.end(), std::back_inserter(report.rows));
  }
  if (error_bits)
    report.notes.push_back(fmt::format(
        "beyond {} ranks each story is proven by random numbers: a wrong one would have passed "
        "with a probability below 2^-{}, and that executors keep its order is not looked at",
        most_exact, *error_bits));
  if (tried.has_stopped)
    report.notes.push_back("the last run did not end, so nothing was tried after it");
  const bool failed = wrong_in(report.rows) > 0;
  if (output.for_people())
    RS_TRY(write(output, lines + conclusion(report, tried, backend) +
                             (error_bits ? report.notes.back() + "\n" : "")));
  else
    RS_TRY(write(output, report));
  return failed ? 1 : 0;
}

}  // namespace ringside::terminal
