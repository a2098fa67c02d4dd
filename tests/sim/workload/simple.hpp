#pragma once

#include "sim/shapes.hpp"
#include "sim/workload/step.hpp"

// Models and machines whose steps have closed forms.

namespace ringside::sim::simple {

/// Computes 10^12 FLOP/s, so that a FLOP is a picosecond; the optimizer takes no time.
inline Gpu gpu() {
  Gpu gpu{.name = "simple"};
  for (const auto type : {ElementType::float32, ElementType::bfloat16, ElementType::uint8})
    gpu.peak_flops[type] = 1e12;
  gpu.achieved = 1;
  return gpu;
}

struct Shape {
  std::uint32_t layers = 1;
  std::uint64_t parameters = 0;
  Duration forward{}, backward{};
  std::uint64_t output_elements = 0;
};
inline Model model(const Shape& shape) {
  Layer layer{.name = "layer", .repeat = shape.layers, .parameters = shape.parameters};
  layer.forward_flops = static_cast<double>(shape.forward.picoseconds);
  layer.backward_flops = static_cast<double>(shape.backward.picoseconds);
  layer.output_elements = shape.output_elements;
  Model model{.name = "simple"};
  model.layers = {layer};
  return model;
}

inline Topology ring(std::uint32_t ranks, Bandwidth bandwidth = 20_GBps, Duration latency = 5_us) {
  return *make_shape(
      {.kind = ShapeKind::ring, .ranks = ranks, .bandwidth = bandwidth, .latency = latency});
}
inline Topology mesh(std::uint32_t ranks, Bandwidth bandwidth = 20_GBps, Duration latency = 5_us) {
  return *make_shape(
      {.kind = ShapeKind::mesh, .ranks = ranks, .bandwidth = bandwidth, .latency = latency});
}

}  // namespace ringside::sim::simple
