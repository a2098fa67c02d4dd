#pragma once

#include <span>

#include "lessons/training/training_run.hpp"
#include "lessons/training/worker.hpp"

namespace ringside::training {

/// One worker alone, who sees every batch whole: what all the others together must equal.
class WholeBatch {
 public:
  WholeBatch(const Network& network, const TrainingOptions& options,
             std::span<const float> weights);

  /// Finds the gradient of a batch at these weights.
  void look(std::span<const float> weights, const Shard& batch);
  /// The mean gradient it found.
  float gradient(std::size_t weight) const;
  /// That gradient beside the one the workers went by.
  Comparison compare(std::span<const float> averaged) const;

  /// Its own training, one step on; returns the loss before that.
  double train(const Shard& batch);
  std::span<const float> weights() const { return alone_.weights(); }

 private:
  void pass(Worker& worker, const Shard& batch) const;

  TrainingOptions options_;
  Worker looker_, alone_;
};

/// Share of right answers on `count` samples that are in no batch.
double answers_right(const Network& network, const TrainingOptions& options,
                     std::span<const float> weights, std::uint32_t count);
/// What batches are drawn from.
std::uint64_t data_seed(const TrainingOptions& options);

}  // namespace ringside::training
