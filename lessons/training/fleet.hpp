#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "lessons/training/exchange.hpp"
#include "lessons/training/training_run.hpp"
#include "lessons/training/worker.hpp"

namespace ringside::training {

/// The workers of this process, in step with those of all others.
class Fleet {
 public:
  static Result<Fleet> make(const Network& network, const TrainingOptions& options,
                            Backend& backend);

  /// Everyone starts as worker 0, if the options want that.
  Result<void> broadcast();
  /// From the samples to the gradient that each worker goes by.
  Result<void> find_gradients(std::uint32_t step);
  /// From there to the new weights.
  void update(std::uint32_t step);

  std::vector<Rank> ranks() const;
  const Worker& worker(Rank rank) const { return at(rank).worker; }
  /// Gradient of the mean over the worker's own samples.
  double own_gradient(Rank rank, std::size_t weight) const;
  std::span<const float> averaged(Rank rank) const { return at(rank).averaged; }
  const std::string& executor() const { return executor_; }
  std::vector<PhaseSpan> spans() const;
  const std::vector<MessageSpans>& messages() const { return messages_; }
  std::shared_ptr<const Schedule> schedule() const;
  /// Samples of a step: of one worker, and of all.
  Shard shard(std::uint32_t step, Rank rank) const;
  Shard batch(std::uint32_t step) const;

 private:
  struct Seat {
    Rank rank;
    Worker worker;
    std::vector<float> averaged;
    std::vector<PhaseSpan> spans;
  };
  class Timing;
  Fleet(const Network& network, const TrainingOptions& options, Backend& backend);
  const Seat& at(Rank rank) const { return seats_[seat_of_[rank.value]]; }
  void find_gradient(Seat& seat, std::uint32_t step);
  void average(Seat& seat);
  Result<void> exchange(Exchange& exchange, Phase phase, std::uint32_t step);
  void keep_messages(std::uint32_t step, TimePoint begin, std::vector<Span> spans);
  bool syncs() const { return options_.way != Way::no_sync; }
  TimePoint now() const;

  TrainingOptions options_;
  std::vector<Seat> seats_;
  std::vector<std::size_t> seat_of_;  ///< by rank
  std::unique_ptr<Exchange> weights_, gradients_;
  std::string executor_;
  std::vector<MessageSpans> messages_;
  std::size_t kept_ = 0;  ///< spans in them
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

}  // namespace ringside::training
