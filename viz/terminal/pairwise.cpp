#include "viz/terminal/pairwise.hpp"

#include <cstddef>

namespace ringside::terminal {
namespace {

using Combination = std::vector<std::uint32_t>;

/// Which pairs of values have come together.
class Pairs {
 public:
  explicit Pairs(std::span<const std::uint32_t> levels) {
    for (const auto n : levels) {
      first_.push_back(values_);
      values_ += n;
    }
    met_.assign(values_ * values_, false);
  }
  bool have_met(std::size_t f, std::uint32_t a, std::size_t g, std::uint32_t b) const {
    return met_[(first_[f] + a) * values_ + first_[g] + b];
  }
  void meet(const Combination& all) {
    for (std::size_t f = 0; f < all.size(); ++f)
      for (std::size_t g = 0; g < all.size(); ++g)
        met_[(first_[f] + all[f]) * values_ + first_[g] + all[g]] = true;
  }

 private:
  std::size_t values_ = 0;
  std::vector<std::size_t> first_;  // number of each factor's first value
  std::vector<bool> met_;
};

constexpr std::uint32_t open = UINT32_MAX;

/// How many new pairs value `a` of factor f makes with those that are fixed, and, of less weight,
/// may still make.
std::size_t gain(const Combination& fixed, std::span<const std::uint32_t> levels,
                 const Pairs& pairs, std::size_t f, std::uint32_t a) {
  std::size_t gain = 0;
  for (std::size_t g = 0; g < fixed.size(); ++g) {
    if (g == f) continue;
    if (fixed[g] != open) {
      gain += 1000 * !pairs.have_met(f, a, g, fixed[g]);
      continue;
    }
    for (std::uint32_t b = 0; b < levels[g]; ++b) gain += !pairs.have_met(f, a, g, b);
  }
  return gain;
}

/// The combination around one pair that has not met yet, as good as taking the best value of one
/// factor after the other makes it.
Combination around(const Combination& pair, std::span<const std::uint32_t> levels,
                   const Pairs& pairs) {
  Combination fixed = pair;
  for (std::size_t f = 0; f < fixed.size(); ++f) {
    if (fixed[f] != open) continue;
    std::uint32_t best = 0;
    for (std::uint32_t a = 1; a < levels[f]; ++a)
      if (gain(fixed, levels, pairs, f, a) > gain(fixed, levels, pairs, f, best)) best = a;
    fixed[f] = best;
  }
  return fixed;
}

}  // namespace

std::vector<std::vector<std::uint32_t>> pairwise(std::span<const std::uint32_t> levels) {
  std::vector<Combination> all;
  Pairs pairs(levels);
  for (std::size_t f = 0; f < levels.size(); ++f)
    for (std::size_t g = f + 1; g < levels.size(); ++g)
      for (std::uint32_t a = 0; a < levels[f]; ++a)
        for (std::uint32_t b = 0; b < levels[g]; ++b) {
          if (pairs.have_met(f, a, g, b)) continue;
          Combination pair(levels.size(), open);
          pair[f] = a;
          pair[g] = b;
          all.push_back(around(pair, levels, pairs));
          pairs.meet(all.back());
        }
  return all;
}

}  // namespace ringside::terminal
