#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/backend.hpp"
#include "core/trace.hpp"
#include "lessons/training/optimizer.hpp"
#include "lessons/training/tasks.hpp"

namespace ringside::training {

/// How the workers' gradients become one: rightly, or as people get it wrong.
enum class Way : std::uint8_t {
  weighted,        ///< sums over samples are added, and divided by the whole batch
  no_sync,         ///< everyone keeps the mean of their own shard
  sum,             ///< means of shards are added, and nobody divides
  average_losses,  ///< means of shards are averaged, however many samples each stands for
};

struct TrainingOptions {
  Task task = Task::spirals;
  Model model = Model::mlp;
  OptimizerKind optimizer = OptimizerKind::sgd;
  float learning_rate = 0;
  std::uint32_t workers = 4, steps = 0;
  std::vector<std::uint32_t> shards{};  ///< samples a step, by worker
  std::uint64_t seed = 1;
  std::string algorithm = "ring";  ///< of the all-reduce
  Way way = Way::weighted;
  bool broadcast = true;  ///< worker 0's weights to all, first; else everyone starts from their own
  RunOptions run{};       ///< with `trace`, messages of the all-reduce are kept, too

  std::uint32_t batch() const;  ///< of all workers together
};
/// What the user left open, that is 0 or empty, becomes what learns the task in a few seconds.
void complete(TrainingOptions& options);
/// `batch` samples in as many shards, the first ones one longer.
std::vector<std::uint32_t> even_shards(std::uint32_t batch, std::uint32_t workers);

/// What each worker does in each step; `broadcast` once, before the first.
enum class Phase : std::uint8_t {
  broadcast,
  data,
  forward,
  loss,
  backward,
  gradient,
  all_reduce,
  average,
  optimizer,
  update,
};
inline constexpr std::size_t phase_count = 10;
std::string_view name(Phase phase);

struct PhaseSpan {
  Rank worker;
  std::uint32_t step = 0;
  Phase phase = Phase::data;
  TimePoint begin{}, end{};  ///< since training began
};

/// What the all-reduce of one step sent, as a trace keeps it.
struct MessageSpans {
  std::uint32_t step = 0;
  TimePoint begin{};          ///< of the exchange, since training began
  std::vector<Span> spans{};  ///< by TransferId, since then
};

/// The gradient that worker 0 went by, beside the one that one worker with the whole batch finds
/// from the same weights.
struct Comparison {
  double difference = 0;  ///< the largest of any weight
  /// The largest difference beside what rounding explains: above 1 it is another gradient. Both
  /// sums hold the same samples' gradients g_s in different orders, no more than h = batch +
  /// workers additions and divisions deep, so they differ by at most 2 hu / (1 - hu) sum |g_s| /
  /// batch, u = 2^-24 (Higham, "Accuracy and Stability of Numerical Algorithms", 2002, 4.2).
  double share_of_bound = 0;
  double relative = 0;  ///< length of the difference by that of the right gradient
  double length = 0;    ///< of the gradient, by that of the right one
  double loss = 0;      ///< of one worker who has trained on whole batches from the start
};

struct StepResult {
  double loss = 0;                       ///< mean over all samples
  double right = 0;                      ///< share of right answers
  double apart = 0;                      ///< largest difference of one weight between workers
  std::uint64_t digest = 0;              ///< of worker 0's weights, bit by bit
  std::optional<Comparison> compared{};  ///< by the process that has worker 0
};

/// One weight's way through the first step: the one with the largest gradient.
struct FirstStep {
  struct OfWorker {
    double loss = 0;
    double gradient = 0;           ///< mean over its samples
    double before = 0, after = 0;  ///< the weight
  };
  std::size_t weight = 0;
  std::string place{};  ///< Network::place_of
  std::vector<OfWorker> workers{};
  double averaged = 0, whole_batch = 0, change = 0;  ///< on worker 0
};

/// A training as it went: what people are shown and panels draw. The same whatever the number of
/// processes and threads, and on every backend; but for `spans` and `executor`.
struct TrainingRun {
  TrainingOptions asked{};
  std::size_t weights = 0, stages = 0;
  std::string executor{};  ///< of the all-reduce: `host/sliced`
  std::vector<StepResult> steps{};
  FirstStep first{};
  double answers_right = 0;   ///< share, of samples that nobody trained on, by worker 0
  double apart_from_one = 0;  ///< weights of worker 0 and of one worker alone, at the end
  /// Of this process's workers; of all, where a trace was asked for.
  std::vector<PhaseSpan> spans{};
  /// Where a trace was asked for and the executor keeps one: of the first steps, up to 100,000.
  std::vector<MessageSpans> messages{};
  std::shared_ptr<const Schedule> schedule{};  ///< of the all-reduce; null without one

  bool replicas_identical() const;
  bool equals_one_worker() const;  ///< in every step; true where nothing was compared
};

}  // namespace ringside::training
