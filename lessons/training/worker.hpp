#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "lessons/training/network.hpp"
#include "lessons/training/optimizer.hpp"
#include "lessons/training/tasks.hpp"

namespace ringside::training {

/// Which examples of the endless row: `count` from `first`.
struct Shard {
  std::uint64_t first = 0;
  std::uint32_t count = 0;
};

/// One replica of the network, and what it makes of its samples. The phases of a step are called
/// in order. Who adds the same samples' gradients in another order gets the same up to rounding:
/// each sample's own gradient depends on weights and sample alone.
class Worker {
 public:
  Worker(const Network& network, OptimizerKind optimizer, float learning_rate);

  void set_weights(std::span<const float> weights);
  std::span<const float> weights() const { return weights_; }

  void draw(Task task, std::uint64_t seed, const Shard& shard);
  void forward();
  void find_loss();
  void backward();
  /// Sums over the samples; `mean` of loss() is one over their number. Without samples all are 0.
  std::span<const float> gradient() const { return gradient_; }
  const Loss& loss() const { return loss_; }
  std::uint32_t samples() const { return static_cast<std::uint32_t>(samples_.size()); }
  /// Sums over the samples of each weight's gradients without their signs: what rounding is
  /// measured by. Kept from the next backward() on.
  void keep_sizes() { sizes_.resize(weights_.size()); }
  std::span<const double> sizes() const { return sizes_; }

  void plan_update(std::span<const float> gradient);  ///< asks the optimizer
  std::span<const float> change() const { return change_; }
  void update();  ///< adds the change

 private:
  const Network* network_;
  Optimizer optimizer_;
  std::vector<float> weights_, change_, gradient_, of_sample_;
  std::vector<double> sizes_;
  std::vector<Sample> samples_;
  std::vector<Activations<float>> activations_;  ///< by sample
  Loss loss_;
};

}  // namespace ringside::training
