#include "viz/terminal/explanation.hpp"

#include <fmt/format.h>

#include "sim/explain.hpp"

namespace ringside::terminal {
namespace {

constexpr std::size_t most_terms = 24;  // a screen; the rest is counted

std::string totals(const sim::Explanation& why) {
  std::string text;
  for (std::size_t k = 0; k < sim::term_kind_count; ++k) {
    const auto kind = static_cast<sim::TermKind>(k);
    const auto total = why.total(kind);
    if (total.picoseconds == 0) continue;
    text += fmt::format(
        "#   {:>14.6f} us  {:5.1f} %  {}\n", total.microseconds(),
        100.0 * static_cast<double>(total.picoseconds) / static_cast<double>(why.time.picoseconds),
        name(kind));
  }
  return text + fmt::format("#   {:>14.6f} us  in all, on a path of {} transfers\n",
                            why.time.microseconds(), why.path.size());
}

}  // namespace

Result<std::string> explain(const Contest::Run& run, const Machine& machine) {
  RS_ASSIGN(const auto why,
            sim::explain(*run.simulator, run.payload, machine.model, machine.disturbance));
  std::string text = fmt::format("#\n# {} {}, {}: the critical path\n", run.row.algorithm,
                                 name(run.row.collective), to_string(*run.row.size));
  text += totals(why);
  for (std::size_t i = 0; i < why.terms.size(); ++i) {
    if (why.terms.size() > most_terms && i == most_terms / 2) {
      const auto skipped = why.terms.size() - most_terms;
      text += fmt::format("#     ... {} more ...\n", skipped);
      i += skipped;
    }
    text += "#     " + to_string(why.terms[i], *run.schedule, *run.topology) + "\n";
  }
  return text;
}

}  // namespace ringside::terminal
