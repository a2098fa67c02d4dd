#include "lessons/training/worker.hpp"

#include <algorithm>
#include <cmath>

namespace ringside::training {

Worker::Worker(const Network& network, OptimizerKind optimizer, float learning_rate)
    : network_(&network),
      optimizer_(optimizer, learning_rate, network.weights()),
      weights_(network.weights()),
      change_(network.weights()),
      gradient_(network.weights()),
      of_sample_(network.weights()) {}

void Worker::set_weights(std::span<const float> weights) {
  weights_.assign(weights.begin(), weights.end());
}

void Worker::draw(Task task, std::uint64_t seed, const Shard& shard) {
  samples_.clear();
  for (std::uint32_t i = 0; i < shard.count; ++i)
    samples_.push_back(training::draw(task, seed, shard.first + i));
  while (activations_.size() < samples_.size())
    activations_.push_back(network_->activations<float>());
}

void Worker::forward() {
  for (std::size_t i = 0; i < samples_.size(); ++i)
    network_->forward<float>(weights_, samples_[i], activations_[i]);
}

void Worker::find_loss() {
  loss_ = {};
  for (std::size_t i = 0; i < samples_.size(); ++i) {
    const Loss one = network_->loss(samples_[i], activations_[i]);
    loss_.mean += one.mean / samples();
    loss_.right += one.right;
    loss_.targets += one.targets;
  }
}

void Worker::backward() {
  std::ranges::fill(gradient_, 0.0F);
  std::ranges::fill(sizes_, 0.0);
  for (std::size_t s = 0; s < samples_.size(); ++s) {
    std::ranges::fill(of_sample_, 0.0F);
    network_->backward<float>(weights_, activations_[s], of_sample_);
    for (std::size_t i = 0; i < gradient_.size(); ++i) gradient_[i] += of_sample_[i];
    for (std::size_t i = 0; i < sizes_.size(); ++i) sizes_[i] += std::abs(double{of_sample_[i]});
  }
}

void Worker::plan_update(std::span<const float> gradient) {
  optimizer_.step(gradient, change_);
}

void Worker::update() {
  for (std::size_t i = 0; i < weights_.size(); ++i) weights_[i] += change_[i];
}

}  // namespace ringside::training
