#include "viz/stage/director.hpp"

#include <array>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>

namespace ringside::stage {

struct Director::Work {
  struct Order {
    scenario::Scenario scenario;
    Run previous;
    std::string trace;  // empty: the scenario is staged
  };

  std::mutex mutex;
  std::condition_variable changed;
  std::array<std::optional<Order>, 2> waiting;  // by part: only the latest
  std::deque<Delivery> ready;
  bool is_working = false, is_over = false;
  std::thread thread;

  bool has_order() const { return waiting[0] || waiting[1]; }
  bool is_wanted(std::size_t part, std::uint64_t effort);
  void run();
};

/// What does not take long is shown even if something else has been asked for meanwhile: a slider
/// that moves without pause would else show nothing.
bool Director::Work::is_wanted(std::size_t part, std::uint64_t effort) {
  if (effort <= half_a_second) return true;
  const std::lock_guard lock(mutex);
  return !is_over && !waiting[part];
}

void Director::Work::run() {
  std::unique_lock lock(mutex);
  for (;;) {
    changed.wait(lock, [&] { return is_over || has_order(); });
    if (is_over) return;
    const std::size_t part = waiting[0] ? 0 : 1;
    const Order order = *std::move(waiting[part]);
    waiting[part].reset();
    is_working = true;
    lock.unlock();
    bool gave_up = false;
    const auto patience = [&](std::uint64_t effort) {
      gave_up = !is_wanted(part, effort);
      return !gave_up && effort <= ten_seconds;
    };
    auto run = order.trace.empty() ? stage_run(order.scenario, order.previous, patience)
                                   : stage_trace(order.trace);
    lock.lock();
    is_working = false;
    if (!gave_up) ready.push_back({static_cast<Part>(part), std::move(run)});
    changed.notify_all();
  }
}

Director::Director() : work_(std::make_unique<Work>()) {
  work_->thread = std::thread([work = work_.get()] { work->run(); });
}

Director::~Director() {
  {
    const std::lock_guard lock(work_->mutex);
    work_->is_over = true;
  }
  work_->changed.notify_all();
  work_->thread.join();
}

void Director::request(Part part, const scenario::Scenario& scenario, const Run& previous) {
  if (part == Part::lead) plotter_.request(scenario);
  const std::lock_guard lock(work_->mutex);
  work_->waiting[static_cast<std::size_t>(part)] = Work::Order{scenario, previous, {}};
  work_->changed.notify_all();
}

void Director::open(Part part, const std::string& trace) {
  const std::lock_guard lock(work_->mutex);
  work_->waiting[static_cast<std::size_t>(part)] = Work::Order{{}, nullptr, trace};
  work_->changed.notify_all();
}

void Director::show(Part part, Run run) {
  if (part == Part::lead) plotter_.request(run->scenario);
  const std::lock_guard lock(work_->mutex);
  work_->ready.push_back({part, std::move(run)});
}

std::optional<Director::Delivery> Director::take() {
  const std::lock_guard lock(work_->mutex);
  if (work_->ready.empty()) return {};
  auto delivery = std::move(work_->ready.front());
  work_->ready.pop_front();
  return delivery;
}

bool Director::is_busy() const {
  const std::lock_guard lock(work_->mutex);
  return work_->is_working || work_->has_order() || !work_->ready.empty();
}

void Director::wait() {
  {
    std::unique_lock lock(work_->mutex);
    work_->changed.wait(lock, [&] { return !work_->is_working && !work_->has_order(); });
  }
  forecaster_.wait();
  trainee_.wait();
}

}  // namespace ringside::stage
