#pragma once

#include <gtest/gtest.h>

#include <stdexcept>
#include <string_view>

#include "core/engine.hpp"
#include "sim/shapes.hpp"
#include "sim/simulate.hpp"

// What the simulator's tests have in common: a wiring, an algorithm on it, a time. Failures inside
// throw, which fails the test with the sentence.

namespace ringside::sim {

template <typename T>
T need(Result<T> result) {
  if (!result) throw std::runtime_error(result.error().message);
  return *std::move(result);
}
inline void need(Result<void> result) {
  if (!result) throw std::runtime_error(result.error().message);
}

inline Topology shape(ShapeKind kind, std::uint64_t ranks) {
  ShapeRequest request;
  request.kind = kind;
  request.ranks = ranks;
  return need(make_shape(request));
}

inline Schedule story(CollectiveKind kind, std::string_view algorithm, std::uint32_t ranks,
                      const Options& options = {}) {
  const auto* a = need(find_algorithm(kind, algorithm));
  return need(build_schedule(need(make_plan(*a, {.kind = kind, .ranks = ranks}, options))));
}

inline Payload bytes(const Schedule& schedule, Bytes size) {
  return {count_for(schedule.spec(), size, ElementType::float32), ElementType::float32};
}

inline constexpr NetworkModel both_models[] = {NetworkModel::stream, NetworkModel::flow};

}  // namespace ringside::sim
