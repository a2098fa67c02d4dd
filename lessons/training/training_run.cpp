#include "lessons/training/training_run.hpp"

#include <algorithm>
#include <array>
#include <numeric>

namespace ringside::training {

std::uint32_t TrainingOptions::batch() const {
  return std::accumulate(shards.begin(), shards.end(), std::uint32_t{0});
}

void complete(TrainingOptions& options) {
  const bool is_mlp = options.model == Model::mlp;
  const bool adam = options.optimizer == OptimizerKind::adam;
  if (options.shards.empty()) options.shards = even_shards(is_mlp ? 64 : 32, options.workers);
  if (options.learning_rate == 0)
    options.learning_rate = adam ? 0.01F : options.task == Task::spirals ? 1 : 0.5F;
  if (options.steps == 0) options.steps = is_mlp ? 400 : 150;
}

std::vector<std::uint32_t> even_shards(std::uint32_t batch, std::uint32_t workers) {
  std::vector<std::uint32_t> shards(workers, batch / workers);
  for (std::uint32_t w = 0; w < batch % workers; ++w) ++shards[w];
  return shards;
}

std::string_view name(Phase phase) {
  constexpr std::array<std::string_view, phase_count> names{
      "broadcast", "data",       "forward", "loss",      "backward",
      "gradient",  "all-reduce", "average", "optimizer", "update"};
  return names[static_cast<std::size_t>(phase)];
}

bool TrainingRun::replicas_identical() const {
  return std::ranges::all_of(steps, [](const StepResult& step) { return step.apart == 0; });
}

bool TrainingRun::equals_one_worker() const {
  return std::ranges::all_of(steps, [](const StepResult& step) {
    return !step.compared || step.compared->share_of_bound <= 1;
  });
}

}  // namespace ringside::training
