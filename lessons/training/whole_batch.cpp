#include "lessons/training/whole_batch.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

namespace ringside::training {
namespace {

/// How far two sums may be apart whose terms' sizes add up to `size`, if rounding is all there is.
double bound(double size, double depth) {
  constexpr double unit = 0x1p-24, least = 0x1p-149;
  return 2 * depth * unit / (1 - depth * unit) * size + least;
}

}  // namespace

std::uint64_t data_seed(const TrainingOptions& options) {
  return mix(options.seed, 2);
}

WholeBatch::WholeBatch(const Network& network, const TrainingOptions& options,
                       std::span<const float> weights)
    : options_(options),
      looker_(network, options.optimizer, options.learning_rate),
      alone_(network, options.optimizer, options.learning_rate) {
  looker_.keep_sizes();
  alone_.set_weights(weights);
}

void WholeBatch::pass(Worker& worker, const Shard& batch) const {
  worker.draw(options_.task, data_seed(options_), batch);
  worker.forward();
  worker.find_loss();
  worker.backward();
}

void WholeBatch::look(std::span<const float> weights, const Shard& batch) {
  looker_.set_weights(weights);
  pass(looker_, batch);
}

float WholeBatch::gradient(std::size_t weight) const {
  return looker_.gradient()[weight] / static_cast<float>(options_.batch());
}

Comparison WholeBatch::compare(std::span<const float> averaged) const {
  const double batch = options_.batch(), depth = batch + options_.workers;
  Comparison found;
  double apart = 0, length = 0, right = 0;
  for (std::size_t i = 0; i < averaged.size(); ++i) {
    const double difference = double{averaged[i]} - gradient(i);
    const double allowed = bound(looker_.sizes()[i] / batch, depth);
    found.difference = std::max(found.difference, std::abs(difference));
    const double share = std::isfinite(difference) ? std::abs(difference) / allowed : INFINITY;
    found.share_of_bound = std::max(found.share_of_bound, share);
    apart += difference * difference;
    length += double{averaged[i]} * averaged[i];
    right += double{gradient(i)} * gradient(i);
  }
  found.relative = right > 0 ? std::sqrt(apart / right) : 0;
  found.length = right > 0 ? std::sqrt(length / right) : 1;
  return found;
}

double WholeBatch::train(const Shard& batch) {
  pass(alone_, batch);
  std::vector<float> mean(alone_.gradient().begin(), alone_.gradient().end());
  for (float& g : mean) g /= static_cast<float>(options_.batch());
  alone_.plan_update(mean);
  alone_.update();
  return alone_.loss().mean;
}

double answers_right(const Network& network, const TrainingOptions& options,
                     std::span<const float> weights, std::uint32_t count) {
  Worker examinee(network, options.optimizer, options.learning_rate);
  examinee.set_weights(weights);
  examinee.draw(options.task, mix(options.seed, 3), {0, count});
  examinee.forward();
  examinee.find_loss();
  return static_cast<double>(examinee.loss().right) / examinee.loss().targets;
}

}  // namespace ringside::training
