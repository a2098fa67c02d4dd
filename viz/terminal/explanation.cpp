#include "viz/terminal/explanation.hpp"

#include <fmt/format.h>

#include "sim/explain.hpp"

namespace ringside::terminal {
namespace {

constexpr std::size_t most_terms = 24;  // a screen; the rest is counted

}  // namespace

Result<void> explain(scenario::Contest::Run& run, const scenario::Machine& machine) {
  RS_ASSIGN(const auto why,
            sim::explain(*run.simulator, run.payload, machine.model, machine.disturbance));
  for (std::size_t k = 0; k < sim::term_kind_count; ++k) {
    const auto kind = static_cast<sim::TermKind>(k);
    if (const auto total = why.total(kind); total.picoseconds > 0)
      run.row.time_shares.push_back({name(kind), total});
  }
  for (const sim::Term& term : why.terms)
    run.row.critical_path.push_back(to_string(term, *run.schedule, *run.topology));
  return {};
}

std::string draw_explanation(const Row& row) {
  std::string text = fmt::format("#\n# {} {}, {}: where the time goes\n", row.algorithm,
                                 name(row.collective), to_string(*row.size));
  for (const Row::Share& share : row.time_shares)
    text += fmt::format("#   {:>14.6f} us  {:5.1f} %  {}\n", share.time.microseconds(),
                        100 * share.time.seconds() / row.time->seconds(), share.kind);
  text += fmt::format("#   {:>14.6f} us  in all, along this path:\n", row.time->microseconds());
  const auto& path = row.critical_path;
  for (std::size_t i = 0; i < path.size(); ++i) {
    if (path.size() > most_terms && i == most_terms / 2) {
      const auto skipped = path.size() - most_terms;
      text += fmt::format("#     ... {} more (--json has them all) ...\n", skipped);
      i += skipped;
    }
    text += "#     " + path[i] + "\n";
  }
  return text;
}

}  // namespace ringside::terminal
