#include "tests/fidelity/study.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "sim/tuner/model.hpp"
#include "sim/tuner/nccl_cost_model.hpp"

namespace ringside::fidelity {
namespace {

Predictor by(const sim::Figures& figures) {
  return [&figures](const Log& log, const Sample& sample) { return predict(figures, log, sample); };
}

using Yardstick = Result<Duration> (*)(const sim::Platform&, const sim::Query&);
Predictor by(Yardstick yardstick) {
  return [yardstick](const Log& log, const Sample& sample) {
    return yardstick(log.platform, sample.query)->microseconds();
  };
}

/// What would run at each size, said where it changes.
std::string picks_of(const sim::Figures& figures, const Log& log) {
  std::map<std::uint64_t, std::string> pick_at;
  for (const Sample& sample : log.samples) {
    const auto all = sim::candidates(log.platform, figures, sample.query);
    const auto best = std::min_element(
        all.begin(), all.end(), [](const auto& a, const auto& b) { return a.total() < b.total(); });
    pick_at[sample.query.size.count] =
        std::string(name(best->method)) + " " + std::string(name(best->protocol));
  }
  std::string text, last;
  for (const auto& [size, pick] : pick_at) {
    if (pick == last) continue;
    text += text.empty() ? pick : ", " + pick + " from " + to_string(Bytes{size});
    last = pick;
  }
  return text;
}

}  // namespace

void Score::add(const Score& other) {
  small.insert(small.end(), other.small.begin(), other.small.end());
  large.insert(large.end(), other.large.begin(), other.large.end());
}

double percentile(std::vector<double> values, double part) {
  if (values.empty()) return 0;
  std::sort(values.begin(), values.end());
  const auto rank = std::ceil(part * static_cast<double>(values.size()));
  return values[static_cast<std::size_t>(std::max(rank, 1.0)) - 1];
}

Judged judge(const Log& log, const Predictor& predict) {
  Judged judged;
  for (const Sample& sample : log.samples) {
    const double predicted = predict(log, sample);
    const double error = std::abs(predicted / sample.microseconds - 1);
    (sample.query.size >= 1_MiB ? judged.score.large : judged.score.small).push_back(error);
    const double factor = busbw_factor(sample.query.collective, log.ranks);
    const double bytes = static_cast<double>(sample.query.size.count) * factor / 1e3;
    judged.peak_measured = std::max(judged.peak_measured, bytes / sample.microseconds);
    judged.peak_predicted = std::max(judged.peak_predicted, bytes / predicted);
  }
  return judged;
}

Study study(const std::vector<Log>& logs) {
  std::vector<const Log*> all;
  for (const Log& log : logs) all.push_back(&log);
  Study result{sim::built_in_figures(), {}};
  fit(result.fitted, all);
  sim::Figures published = sim::built_in_figures();
  sim::visit_all(published, [](const std::string&, sim::FigureUnit, sim::Figure& figure) {
    figure.value = figure.published;
  });
  std::set<std::string> families;
  for (const Log& log : logs) families.insert(log.family);
  for (const std::string& family : families) {
    std::vector<const Log*> rest, held;
    for (const Log& log : logs) (log.family == family ? held : rest).push_back(&log);
    sim::Figures figures = sim::built_in_figures();
    fit(figures, rest);
    for (const Log* log : held)
      result.verdicts.push_back({log, judge(*log, by(published)), judge(*log, by(result.fitted)),
                                 judge(*log, by(figures)), judge(*log, by(sim::nccl_cost_model)),
                                 judge(*log, by(sim::alpha_beta_ring)),
                                 picks_of(result.fitted, *log)});
  }
  std::sort(result.verdicts.begin(), result.verdicts.end(),
            [](const Verdict& a, const Verdict& b) { return a.log->file < b.log->file; });
  return result;
}

}  // namespace ringside::fidelity
