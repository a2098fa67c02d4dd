#pragma once

#include <string>
#include <vector>

#include "sim/workload/scaling.hpp"
#include "sim/workload/search.hpp"

namespace ringside::terminal {

/// What both of `scale`'s results say about themselves.
struct ScalingHead {
  std::string model{}, gpu{}, system{}, mode{};
  std::vector<std::string> assumed{}, notes{};
};

/// `13.5 GB`, decimal.
std::string gigabytes(Bytes size);

/// A row a count, the knee marked and explained.
std::string to_table(const ScalingHead& head, const sim::ScalingCurve& curve);
std::string to_json(const ScalingHead& head, const sim::ScalingCurve& curve);
std::string to_csv(const ScalingHead& head, const sim::ScalingCurve& curve);
/// Speed-up over GPUs, both doubling from line to line, beside the ideal.
std::string plot(const sim::ScalingCurve& curve);

/// The fastest splits, and what became of the others.
std::string to_table(const ScalingHead& head, const sim::SearchResult& result);
std::string to_json(const ScalingHead& head, const sim::SearchResult& result);
std::string to_csv(const ScalingHead& head, const sim::SearchResult& result);

}  // namespace ringside::terminal
