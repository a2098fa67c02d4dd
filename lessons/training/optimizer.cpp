#include "lessons/training/optimizer.hpp"

#include <array>
#include <cmath>

#include "core/suggest.hpp"

namespace ringside::training {
namespace {

constexpr std::array<std::string_view, optimizer_count> names{"sgd", "adam"};

// The paper's defaults.
constexpr float mean_decay = 0.9F, square_decay = 0.999F, least = 1e-8F;

}  // namespace

std::string_view name(OptimizerKind kind) {
  return names[static_cast<std::size_t>(kind)];
}

Result<OptimizerKind> parse_optimizer(std::string_view text) {
  for (std::size_t i = 0; i < optimizer_count; ++i)
    if (names[i] == text) return static_cast<OptimizerKind>(i);
  return bad_request(unknown("optimizer", text, names));
}

Optimizer::Optimizer(OptimizerKind kind, float learning_rate, std::size_t weights)
    : kind_(kind), learning_rate_(learning_rate) {
  if (kind == OptimizerKind::sgd) return;
  mean_.resize(weights);
  square_.resize(weights);
}

void Optimizer::step(std::span<const float> gradient, std::span<float> change) {
  if (kind_ == OptimizerKind::sgd) {
    for (std::size_t i = 0; i < gradient.size(); ++i) change[i] = -learning_rate_ * gradient[i];
    return;
  }
  mean_share_ += (1 - mean_decay) * (1 - mean_share_);
  square_share_ += (1 - square_decay) * (1 - square_share_);
  for (std::size_t i = 0; i < gradient.size(); ++i) {
    const float g = gradient[i];
    mean_[i] += (1 - mean_decay) * (g - mean_[i]);
    square_[i] += (1 - square_decay) * (g * g - square_[i]);
    change[i] = -learning_rate_ * (mean_[i] / mean_share_) /
                (std::sqrt(square_[i] / square_share_) + least);
  }
}

}  // namespace ringside::training
