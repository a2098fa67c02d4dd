#pragma once

#include <functional>
#include <string>
#include <vector>

#include "core/statistics.hpp"
#include "tests/fidelity/fit.hpp"

namespace ringside::fidelity {

/// How far one model is off over some rows: parts of the measured time.
struct Score {
  std::vector<double> small, large;  ///< below 1 MiB; from there on
  void add(const Score& other);
};
/// The least value that `part` of all are not above; 0 of none.
double percentile(std::vector<double> values, double part);

/// One log under one model.
struct Judged {
  Score score;
  double peak_measured = 0, peak_predicted = 0;  ///< GB/s of bus bandwidth
  double peak_error() const { return peak_predicted / peak_measured - 1; }
};

/// `predict` gives us for a sample of `log`.
using Predictor = std::function<double(const Log& log, const Sample& sample)>;
Judged judge(const Log& log, const Predictor& predict);

struct Verdict {
  const Log* log;
  Judged published, fitted, held_out, nccl, ring;
  std::string picks;  ///< `ring LL, from 1 MiB ring Simple`
};

struct Study {
  sim::Figures fitted;  ///< on all logs
  std::vector<Verdict> verdicts;
};
/// Fits on all, and for each family on all others. Seconds to minutes.
Study study(const std::vector<Log>& logs);

/// The page.
std::string markdown(const Study& study);
/// `toml` with the fitted numbers of `figures` in place of those that stand there. `table`: its
/// stem.
std::string with_fitted(const std::string& toml, const std::string& table, sim::Figures& figures);

}  // namespace ringside::fidelity
