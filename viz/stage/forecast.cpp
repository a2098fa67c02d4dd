#include "viz/stage/forecast.hpp"

#include <algorithm>
#include <condition_variable>
#include <mutex>
#include <thread>
#include <utility>

#include "viz/scenario/grown.hpp"

namespace ringside::stage {
namespace {

using Publish = std::function<bool(const Forecast*)>;

sim::Parallelism parallelism_of(const Workload& workload) {
  using enum sim::Recompute;
  return {.tensor = workload.tensor,
          .pipeline = workload.pipeline,
          .zero = workload.zero == "auto" ? 0u : static_cast<std::uint32_t>(workload.zero[0] - '0'),
          .pipeline_schedule = workload.schedule == "gpipe" ? sim::PipelineSchedule::gpipe
                                                            : sim::PipelineSchedule::one_f_one_b,
          .micro_batch_samples = workload.micro_batch,
          .recompute = workload.recompute == "full"        ? full
                       : workload.recompute == "selective" ? selective
                                                           : none};
}

/// Of a shape no file says what it is made of.
Result<sim::Gpu> gpu_of(const Workload& workload, const scenario::Grown& grown) {
  if (!workload.gpu.empty()) return sim::find_gpu(workload.gpu);
  if (grown.is_shape) return sim::find_gpu("h100");
  return sim::gpu_of_system(grown.node.topology().name);
}

Result<sim::ScalingRequest> request_of(const Workload& workload, const scenario::Grown& grown,
                                       const Publish& publish) {
  sim::ScalingRequest request;
  RS_ASSIGN(request.model, sim::find_model(workload.model));
  RS_ASSIGN(request.gpu, gpu_of(workload, grown));
  request.machine = [&publish, of = grown.of](std::uint32_t gpus) -> Result<sim::Topology> {
    if (!publish(nullptr)) return bad_request("nobody wants to know any more");
    return of(gpus);
  };
  request.parallelism = parallelism_of(workload);
  request.choose_zero = workload.zero == "auto";
  request.choose_recompute = workload.recompute == "auto";
  return request;
}

/// All that is known so far goes into `told`.
Result<void> tell(const scenario::Scenario& scenario, const Workload& workload,
                  const Publish& publish, Forecast& told) {
  scenario::SystemOptions options = scenario.system;
  options.set.insert(options.set.end(), workload.set.begin(), workload.set.end());
  RS_ASSIGN(const auto grown, scenario::grow(options));
  RS_ASSIGN(auto request, request_of(workload, grown, publish));
  told.gpu = request.gpu.name;
  told.gpu_memory = request.gpu.memory;
  const bool is_one = grown.is_shape || workload.gpus <= grown.per_node;
  const auto shown = grown.is_shape ? workload.gpus : is_one ? grown.per_node : 2 * grown.per_node;
  RS_ASSIGN(auto machine, grown.of(shown));
  told.machine = std::make_shared<const sim::Topology>(std::move(machine));

  request.gpus = {workload.gpus};
  request.mode = sim::Scaling::strong;
  request.global_batch = workload.batch;
  if (auto step = sim::scale(request)) {
    told.step = std::move(step->points.front());
    told.lanes = lanes_of(told.step->step);
  } else {
    told.no_step = step.error().message;
  }
  if (!publish(&told)) return {};

  request.gpus = counts_of(workload);
  if (workload.mode == "weak") {
    request.mode = sim::Scaling::weak;
    const std::uint64_t replica = std::uint64_t{workload.tensor} * workload.pipeline;
    request.global_batch = std::max<std::uint64_t>(workload.batch * replica / workload.gpus, 1);
  }
  if (auto curve = sim::scale(request))
    told.curve = *std::move(curve);
  else
    told.no_curve = curve.error().message;
  return {};
}

std::string key_of(const scenario::Scenario& scenario, const Workload& workload) {
  scenario::Scenario where;
  where.system = scenario.system;
  std::string key = scenario::to_share_string({where, {}});
  for (const auto field : workload_fields())
    if (!is_of_practice(field)) key += " " + workload_field(workload, field);
  for (const auto& text : workload.set) key += " " + text;
  return key;
}

}  // namespace

void forecast(const scenario::Scenario& scenario, const Workload& workload,
              const Publish& publish) {
  Forecast told;
  if (auto done = tell(scenario, workload, publish, told); !done)
    told.no_step = told.no_curve = done.error().message;
  told.is_complete = true;
  publish(&told);
}

struct Forecaster::Work {
  struct Order {
    scenario::Scenario scenario;
    Workload workload;
  };
  std::mutex mutex;
  std::condition_variable changed;
  std::optional<Order> waiting;
  std::string key;
  std::shared_ptr<const Forecast> latest;
  bool is_working = false, is_over = false;
  std::thread thread;

  void run();
  /// False once the window closes.
  bool publish(const Forecast* told);
};

/// A curve stays until the next one is there: under a slider it must not come and go.
bool Forecaster::Work::publish(const Forecast* told) {
  const std::lock_guard lock(mutex);
  if (is_over) return false;
  if (told == nullptr) return true;
  Forecast shown = *told;
  if (!shown.is_complete && latest) shown.curve = latest->curve;
  shown.is_complete &= !waiting;
  latest = std::make_shared<const Forecast>(std::move(shown));
  return true;
}

void Forecaster::Work::run() {
  std::unique_lock lock(mutex);
  for (;;) {
    changed.wait(lock, [&] { return is_over || waiting; });
    if (is_over) return;
    const Order order = *std::exchange(waiting, std::nullopt);
    is_working = true;
    lock.unlock();
    forecast(order.scenario, order.workload,
             [this](const Forecast* told) { return publish(told); });
    lock.lock();
    is_working = false;
    changed.notify_all();
  }
}

Forecaster::Forecaster() : work_(std::make_unique<Work>()) {
  work_->thread = std::thread([work = work_.get()] { work->run(); });
}

Forecaster::~Forecaster() {
  {
    const std::lock_guard lock(work_->mutex);
    work_->is_over = true;
  }
  work_->changed.notify_all();
  work_->thread.join();
}

void Forecaster::request(const scenario::Scenario& scenario, const Workload& workload) {
  std::string key = key_of(scenario, workload);
  const std::lock_guard lock(work_->mutex);
  if (key == work_->key) return;
  work_->key = std::move(key);
  work_->waiting = Work::Order{scenario, workload};
  if (work_->latest) {
    Forecast outdated = *work_->latest;
    outdated.is_complete = false;
    work_->latest = std::make_shared<const Forecast>(std::move(outdated));
  }
  work_->changed.notify_all();
}

std::shared_ptr<const Forecast> Forecaster::latest() const {
  const std::lock_guard lock(work_->mutex);
  return work_->latest;
}

void Forecaster::wait() {
  std::unique_lock lock(work_->mutex);
  work_->changed.wait(lock, [&] { return !work_->is_working && !work_->waiting; });
}

}  // namespace ringside::stage
