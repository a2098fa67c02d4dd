#pragma once

#include <array>
#include <vector>

#include "sim/tuner.hpp"
#include "sim/tuner/figures.hpp"

namespace ringside::sim {

/// One way to run a query, its time in parts.
struct Candidate {
  Method method;
  Protocol protocol;
  std::uint32_t channels;
  std::array<double, cost_kind_count> microseconds{};
  double total() const {
    double sum = 0;
    for (const double part : microseconds) sum += part;
    return sum;
  }
};

/// All that NCCL could do. The platform is one that Tuner::make takes, the query one that
/// Tuner::all takes.
std::vector<Candidate> candidates(const Platform& platform, const Figures& figures,
                                  const Query& query);

}  // namespace ringside::sim
