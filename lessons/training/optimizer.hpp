#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "core/result.hpp"

namespace ringside::training {

enum class OptimizerKind : std::uint8_t {
  sgd,   ///< against the gradient, times the learning rate
  adam,  ///< by running means of the gradient and of its square (Kingma & Ba 2015, algorithm 1)
};
inline constexpr std::size_t optimizer_count = 2;
std::string_view name(OptimizerKind kind);
Result<OptimizerKind> parse_optimizer(std::string_view text);

/// Turns gradients into changes of weights; remembers what Adam needs of earlier steps.
class Optimizer {
 public:
  Optimizer(OptimizerKind kind, float learning_rate, std::size_t weights);
  /// Writes what to add to the weights.
  void step(std::span<const float> gradient, std::span<float> change);

 private:
  OptimizerKind kind_;
  float learning_rate_;
  std::vector<float> mean_, square_;
  float mean_share_ = 0, square_share_ = 0;  ///< of the means that gradients so far make up
};

}  // namespace ringside::training
