#include "viz/stage/practice.hpp"

#include <algorithm>
#include <chrono>

#include "core/backend.hpp"
#include "lessons/training/trainer.hpp"

namespace ringside::stage {
namespace {

training::Way way_of(const Workload& workload) {
  using enum training::Way;
  return workload.way == "no_sync"          ? no_sync
         : workload.way == "sum"            ? sum
         : workload.way == "average_losses" ? average_losses
                                            : weighted;
}

training::TrainingOptions options_of(const Workload& workload) {
  using namespace training;
  const bool is_mlp = workload.network == "mlp";
  TrainingOptions options{.task = is_mlp ? Task::spirals : Task::reverse,
                          .model = is_mlp ? Model::mlp : Model::transformer,
                          .optimizer = is_mlp ? OptimizerKind::sgd : OptimizerKind::adam,
                          .workers = workload.workers,
                          .way = way_of(workload),
                          .broadcast = workload.start == "broadcast"};
  complete(options);
  if (workload.shards == "uneven" && options.workers > 1) {
    const std::uint32_t batch = options.batch();
    options.shards = even_shards(batch - batch / 2, options.workers - 1);
    options.shards.insert(options.shards.begin(), batch / 2);
  }
  return options;
}

bool is_same(const Workload& a, const Workload& b) {
  return std::ranges::all_of(workload_fields(), [&](std::string_view field) {
    return !is_of_practice(field) || workload_field(a, field) == workload_field(b, field);
  });
}

}  // namespace

Practice practise(const Workload& workload) {
  const auto backend = make_reference_backend();
  auto run = training::train(options_of(workload), *backend, [](std::uint32_t) {});
  if (!run) return {.run = {}, .refusal = run.error().message};
  return {.run = *std::move(run), .refusal = {}};
}

void Trainee::begin() {
  at_work_ = wanted_;
  is_wanted_ = false;
  working_ = std::async(std::launch::async, practise, at_work_);
}

void Trainee::request(const Workload& workload) {
  const bool has_any = is_wanted_ || working_.valid() || latest_;
  if (has_any && is_same(workload, is_wanted_ ? wanted_ : at_work_)) return;
  wanted_ = workload;
  is_wanted_ = true;
  if (!working_.valid()) begin();
}

std::shared_ptr<const Practice> Trainee::latest() {
  using namespace std::chrono_literals;
  if (working_.valid() && working_.wait_for(0s) == std::future_status::ready) {
    latest_ = std::make_shared<const Practice>(working_.get());
    if (is_wanted_) begin();
  }
  return latest_;
}

void Trainee::wait() {
  while (working_.valid()) {
    working_.wait();
    latest();
  }
}

}  // namespace ringside::stage
