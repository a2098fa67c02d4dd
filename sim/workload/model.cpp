#include "sim/workload/model.hpp"

#include "sim/workload/shipped.hpp"

namespace ringside::sim {

std::uint64_t Model::parameters() const {
  std::uint64_t sum = 0;
  for (const auto& layer : layers) sum += layer.repeat * layer.parameters;
  return sum;
}

std::uint64_t Model::active_parameters() const {
  std::uint64_t sum = 0;
  for (const auto& layer : layers) {
    std::uint64_t met = layer.parameters - layer.expert_parameters;
    if (layer.experts > 0) met += layer.expert_parameters / layer.experts * layer.experts_per_token;
    sum += layer.repeat * met;
  }
  return sum;
}

double Model::forward_flops() const {
  double sum = 0;
  for (const auto& layer : layers) sum += layer.repeat * layer.forward_flops;
  return sum;
}

double Model::step_flops() const {
  double sum = 0;
  for (const auto& layer : layers)
    sum += layer.repeat * (layer.forward_flops + layer.backward_flops);
  return sum;
}

std::uint32_t Model::depth() const {
  std::uint32_t sum = 0;
  for (const auto& layer : layers) sum += layer.repeat;
  return sum;
}

std::vector<Model> list_models() {
  return read_shipped(model_texts(), read_model);
}

Result<Model> find_model(std::string_view name_or_file) {
  return find_shipped(list_models(), name_or_file, "model", read_model);
}

}  // namespace ringside::sim
