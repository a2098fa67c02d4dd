#include "viz/terminal/explanation.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/suggest.hpp"
#include "sim/explain.hpp"
#include "viz/terminal/fold.hpp"

namespace ringside::terminal {
namespace {

constexpr std::size_t most_stretches = 24;  // a screen; the others are counted

/// One transfer's part of the critical path.
struct Leg {
  TransferId transfer;
  std::vector<sim::Term> terms;
  Duration time{};
};

std::vector<Leg> legs_of(const sim::Explanation& why) {
  std::vector<Leg> legs;
  for (const sim::Term& term : why.terms) {
    if (legs.empty() || legs.back().transfer != term.transfer) legs.push_back({term.transfer, {}});
    legs.back().terms.push_back(term);
    legs.back().time += term.time;
  }
  return legs;
}

/// The same times for the same reasons, whoever they fell on.
bool are_alike(const Leg& a, const Leg& b) {
  return std::equal(a.terms.begin(), a.terms.end(), b.terms.begin(), b.terms.end(),
                    [](const sim::Term& x, const sim::Term& y) {
                      return x.kind == y.kind && x.time == y.time && x.others == y.others;
                    });
}

class Drawing {
 public:
  Drawing(const scenario::Contest::Run& run, std::vector<Leg> legs)
      : run_(run), legs_(std::move(legs)) {}

  std::string path() const {
    const auto folds = fold(
        legs_.size(), [&](std::size_t a, std::size_t b) { return are_alike(legs_[a], legs_[b]); });
    std::string text;
    for (std::size_t i = 0; i < folds.size(); ++i) {
      if (folds.size() > most_stretches && i == most_stretches / 2) {
        const auto next = folds.size() - most_stretches / 2;
        const auto begin = folds[i].begin, end = folds[next].begin;
        text += line(time(begin, end), fmt::format("... {} more (--json has them all) ...",
                                                   counted(end - begin, "transfer")));
        i = next;
      }
      text += stretch(folds[i]);
    }
    return text;
  }

 private:
  Duration time(std::size_t begin, std::size_t end) const {
    Duration sum{};
    for (std::size_t i = begin; i < end; ++i) sum += legs_[i].time;
    return sum;
  }

  static std::string line(Duration time, const std::string& what) {
    return fmt::format("#   {:>14.6f} us  {}\n", time.microseconds(), what);
  }

  /// `step 3, rank 3 -> 4`.
  std::string place(const Leg& leg) const {
    const Transfer& t = (*run_.schedule)[leg.transfer];
    return fmt::format("step {}, rank {} -> {}", run_.schedule->step(leg.transfer).value,
                       t.src().rank.value, t.dst().rank.value);
  }

  std::string reasons(const Leg& leg) const {
    std::string text;
    for (const sim::Term& term : leg.terms)
      text += fmt::format("{}{} {}", text.empty() ? "" : " + ", in_microseconds(term.time),
                          reason(term, *run_.schedule, *run_.topology));
    return text;
  }

  std::string stretch(const Fold& fold) const {
    if (fold.times == 1)
      return line(legs_[fold.begin].time,
                  place(legs_[fold.begin]) + ": " + reasons(legs_[fold.begin]));
    const auto once = time(fold.begin, fold.begin + fold.period);
    std::string text = line(
        time(fold.begin, fold.end()),
        fmt::format("{} times {}{}, the last in {}; the first:", fold.times, in_microseconds(once),
                    fold.period == 1 ? "" : fmt::format(" in {} transfers", fold.period),
                    place(legs_[fold.end() - 1])));
    for (auto i = fold.begin; i < fold.begin + fold.period; ++i)
      text += fmt::format("#     {:>16}  {}: {}\n", "", place(legs_[i]), reasons(legs_[i]));
    return text;
  }

  const scenario::Contest::Run& run_;
  std::vector<Leg> legs_;
};

}  // namespace

Result<std::string> explain(scenario::Contest::Run& run, const scenario::Machine& machine) {
  RS_ASSIGN(const auto why,
            sim::explain(*run.simulator, run.payload, machine.model, machine.disturbance));
  Row& row = run.row;
  std::string text = fmt::format("#\n# {} {}, {}: where the time goes\n", row.algorithm,
                                 name(row.collective), to_string(*row.size));
  for (std::size_t k = 0; k < sim::term_kind_count; ++k) {
    const auto kind = static_cast<sim::TermKind>(k);
    const auto total = why.total(kind);
    if (total.picoseconds <= 0) continue;
    row.time_shares.push_back({name(kind), total});
    text += fmt::format("#   {:>14.6f} us  {:5.1f} %  {}\n", total.microseconds(),
                        100 * total.seconds() / why.time.seconds(), name(kind));
  }
  for (const sim::Term& term : why.terms)
    row.critical_path.push_back(to_string(term, *run.schedule, *run.topology));
  text += fmt::format("#   {:>14.6f} us  in all, along this path:\n", why.time.microseconds());
  return text + Drawing(run, legs_of(why)).path();
}

}  // namespace ringside::terminal
