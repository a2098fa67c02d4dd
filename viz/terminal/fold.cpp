#include "viz/terminal/fold.hpp"

namespace ringside::terminal {
namespace {

constexpr std::size_t longest_period = 8, least_times = 3;

}  // namespace

std::vector<Fold> fold(std::size_t length,
                       const std::function<bool(std::size_t, std::size_t)>& alike) {
  std::vector<Fold> folds;
  for (std::size_t begin = 0; begin < length; begin = folds.back().end()) {
    Fold best{begin};
    for (std::size_t period = 1; period <= longest_period; ++period) {
      std::size_t end = begin + period;
      while (end < length && alike(end - period, end)) ++end;
      const Fold found{begin, period, (end - begin) / period};
      if (found.times >= least_times && found.end() > best.end()) best = found;
    }
    folds.push_back(best);
  }
  return folds;
}

}  // namespace ringside::terminal
