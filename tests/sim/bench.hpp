#pragma once

#include <gtest/gtest.h>

#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>

#include "core/engine.hpp"
#include "core/schedule_builder.hpp"
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

/// A story of one's own: `chunks` chunks of `chunk_size` each, inputs full on every rank.
class Told {
 public:
  Told(std::uint32_t ranks, std::uint32_t chunks, Bytes chunk_size)
      : builder_({.kind = CollectiveKind::all_reduce, .ranks = ranks}, chunks),
        payload_{chunks * chunk_size.count, ElementType::uint8} {}
  TransferSink& operator*() { return builder_; }
  TransferSink* operator->() { return &builder_; }
  Payload payload() const { return payload_; }
  Simulation on(const Topology& topology, NetworkModel model, const Disturbance& disturbance = {}) {
    return need(simulate(schedule(), payload_, topology, model, disturbance));
  }
  const Schedule& schedule() {
    if (!schedule_) schedule_ = need(std::move(builder_).build());
    return *schedule_;
  }

 private:
  ScheduleBuilder builder_;
  Payload payload_;
  std::optional<Schedule> schedule_;
};

/// A topology drawn by hand: `gpu0`... with ranks on them, then what the test adds.
inline Topology gpus(std::uint32_t count, bool forwards = false) {
  Topology topology;
  topology.name = "sketch";
  for (std::uint32_t g = 0; g < count; ++g) {
    Device device;
    device.name = "gpu" + std::to_string(g);
    device.forwards = forwards;
    topology.ranks.push_back(topology.add(device));
  }
  return topology;
}
inline DeviceId add_switch(Topology& topology, std::string name,
                           DeviceKind kind = DeviceKind::network_switch) {
  Device device;
  device.name = std::move(name);
  device.kind = kind;
  device.forwards = true;
  return topology.add(device);
}

inline constexpr NetworkModel both_models[] = {NetworkModel::stream, NetworkModel::flow};

}  // namespace ringside::sim
