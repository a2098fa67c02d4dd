#include "tests/fidelity/fit.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "sim/tuner/model.hpp"

namespace ringside::fidelity {
namespace {

constexpr double bound = 1.2;        // an error as large as this one is not made worse by more
constexpr double peak_counts = 0.3;  // as much as this part of a log's rows
constexpr double leash = 0.6;        // what is published may well be off by this much
constexpr double tightness = 3;      // rows that a figure twice that far off must improve by

/// Whether the same time is predicted for both: only what copies cares for the placement.
bool alike(const sim::Query& a, const sim::Query& b) {
  const bool copies =
      a.collective == CollectiveKind::all_gather || a.collective == CollectiveKind::all_to_all;
  return a.size == b.size && (!copies || a.in_place == b.in_place);
}

bool by_rate(const Sample& a, const Sample& b) {
  return a.busbw < b.busbw;
}

struct Free {
  std::string where;
  sim::FigureUnit unit;
  sim::Figure* figure;
  bool loose = false;            ///< machines differ widely: a network's software, a host's memory
  std::vector<bool> concerns{};  ///< by log: whether it hangs on the figure at all
};

std::string table_of(const Free& one) {
  return one.where.substr(0, one.where.find('.'));
}

struct Step {
  std::size_t figure;
  double by;
};

class Fit {
 public:
  Fit(sim::Figures& figures, std::span<const Log* const> logs) : figures_(figures), logs_(logs) {
    sim::visit_all(figures, [&](const std::string& where, sim::FigureUnit unit, sim::Figure& f) {
      f.value = f.published;
      if (f.is_fitted) free_.push_back({where, unit, &f});
    });
    for (Free& one : free_)
      one.loose = table_of(one) == "host" || (one.unit == sim::FigureUnit::microseconds &&
                                              figures.network(table_of(one)) != nullptr);
    for (Free& one : free_)
      for (const Log* log : logs) one.concerns.push_back(concerns(one, *log));
    costs_.resize(logs.size());
    for (std::size_t i = 0; i < logs.size(); ++i) costs_[i] = cost(*logs[i]);
  }
  void run() {
    int level = 0;
    double step = 0.4;
    while (step > 0.004) {
      for (int round = 0; round < 4; ++round)
        if (!sweep(step)) break;
      if (++level % 4 == 3) sweep_pairs(step);
      step *= 0.6;
    }
  }

 private:
  static double most(sim::FigureUnit unit) { return unit == sim::FigureUnit::share ? 1.05 : 1e6; }
  double cost(const Log& log) const {
    double sum = 0, predicted = 0;
    const sim::Query* last = nullptr;
    for (const Sample& sample : log.samples) {
      if (last == nullptr || !alike(*last, sample.query))
        predicted = predict(figures_, log, sample);
      last = &sample.query;
      const double error = std::abs(std::log(predicted / sample.microseconds));
      const double weight = sample.query.size.count >= (1u << 20) ? 1.4 : 1;
      sum += weight * std::min(error, bound + 0.1 * error);
    }
    const auto best = std::max_element(log.samples.begin(), log.samples.end(), by_rate);
    const double peak = std::abs(std::log(predict(figures_, log, *best) / best->microseconds));
    sum += peak_counts * static_cast<double>(log.samples.size()) * std::min(peak, bound);
    return sum / std::pow(static_cast<double>(log.samples.size()), 0.35);
  }
  static bool concerns(const Free& one, const Log& log) {
    const auto table = table_of(one);
    return table == "common" || table == log.platform.generation || table == log.platform.network ||
           table == name(log.platform.wire);
  }
  double prior(const Free& one) const {
    const sim::Figure& figure = *one.figure;
    const double far = std::log(figure.value / figure.published) / (one.loose ? 2 : 1) / leash;
    return tightness * far * far;
  }
  /// Tries some figures a step off each, and keeps that if it helps.
  bool move(std::span<const Step> steps) {
    double then = 0, now = 0;
    std::vector<double> before;
    for (const Step& step : steps) {
      sim::Figure& figure = *free_[step.figure].figure;
      now += prior(free_[step.figure]);
      before.push_back(figure.value);
      figure.value = std::min(figure.value * std::exp(step.by), most(free_[step.figure].unit));
      then += prior(free_[step.figure]);
    }
    std::vector<double> costs = costs_;
    for (std::size_t i = 0; i < logs_.size(); ++i) {
      const bool concerned = std::any_of(steps.begin(), steps.end(), [&](const Step& step) {
        return free_[step.figure].concerns[i];
      });
      if (concerned) costs[i] = cost(*logs_[i]);
      now += costs_[i], then += costs[i];
    }
    if (then < now - 1e-6) {
      costs_ = std::move(costs);
      return true;
    }
    for (std::size_t i = 0; i < steps.size(); ++i) free_[steps[i].figure].figure->value = before[i];
    return false;
  }
  bool sweep(double step) {
    bool moved = false;
    for (std::size_t f = 0; f < free_.size(); ++f) {
      const Step up{f, step}, down{f, -step};
      moved |= move({&up, 1}) || move({&down, 1});
    }
    return moved;
  }
  /// Two at once: where one figure's gain is another's loss, neither alone would move.
  bool sweep_pairs(double step) {
    bool moved = false;
    for (std::size_t f = 0; f < free_.size(); ++f)
      for (std::size_t g = 0; g < f; ++g) {
        if (!meet(free_[f], free_[g])) continue;
        for (const double a : {step, -step})
          for (const double b : {step, -step}) {
            const std::array<Step, 2> both{Step{f, a}, Step{g, b}};
            moved |= move(both);
          }
      }
    return moved;
  }
  static bool meet(const Free& f, const Free& g) {
    for (std::size_t i = 0; i < f.concerns.size(); ++i)
      if (f.concerns[i] && g.concerns[i]) return true;
    return false;
  }

  sim::Figures& figures_;
  std::span<const Log* const> logs_;
  std::vector<Free> free_;
  std::vector<double> costs_;
};

}  // namespace

double predict(const sim::Figures& figures, const Log& log, const Sample& sample) {
  double best = 1e30;
  for (const auto& one : sim::candidates(log.platform, figures, sample.query))
    best = std::min(best, one.total());
  return best;
}

void fit(sim::Figures& figures, std::span<const Log* const> logs) {
  Fit(figures, logs).run();
  // To the digits that are written, so that what was judged is what runs.
  sim::visit_all(figures, [](const std::string&, sim::FigureUnit, sim::Figure& figure) {
    if (figure.value <= 0) return;
    const double unit = std::pow(10, std::floor(std::log10(figure.value)) - 3);
    figure.value = std::round(figure.value / unit) * unit;
  });
}

}  // namespace ringside::fidelity
