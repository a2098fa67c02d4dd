#pragma once

#include <future>
#include <memory>
#include <string>

#include "lessons/training/training_run.hpp"
#include "viz/stage/training.hpp"

namespace ringside::stage {

/// A small network as it was trained in this process, on the reference backend. Immutable.
struct Practice {
  training::TrainingRun run;
  std::string refusal;  ///< why there is none, one sentence; else empty
};

/// Trains as the workload says: every worker and step, some tenths of a second.
Practice practise(const Workload& workload);

/// Trains on a thread of its own. What is at work is done first; then what was asked for last.
class Trainee {
 public:
  /// Nothing happens where the training would be the same.
  void request(const Workload& workload);
  /// Null until there is any. The same pointer until there is another.
  std::shared_ptr<const Practice> latest();
  bool is_busy() const { return working_.valid(); }
  void wait();  ///< until what was asked for is there

 private:
  void begin();

  Workload wanted_, at_work_;
  bool is_wanted_ = false;
  std::future<Practice> working_;
  std::shared_ptr<const Practice> latest_;
};

}  // namespace ringside::stage
