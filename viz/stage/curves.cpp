#include "viz/stage/curves.hpp"

#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>
#include <cmath>
#include <condition_variable>
#include <mutex>
#include <thread>

#include "sim/shapes.hpp"
#include "viz/scenario/contest.hpp"
#include "viz/scenario/fields.hpp"
#include "viz/stage/staged_run.hpp"

namespace ringside::stage {
namespace {

using scenario::Contest;
using scenario::Scenario;

constexpr Bytes smallest{1 << 10}, largest{1ull << 32};
constexpr std::uint64_t factor = 4;
constexpr std::uint32_t most_by_ranks = 64;

void add(std::vector<Curve>& curves, const Row& row, double x) {
  auto curve = std::ranges::find(curves, row.algorithm, &Curve::algorithm);
  if (curve == curves.end()) curve = curves.insert(curve, Curve{row.algorithm, {}});
  curve->points.push_back({x, row.time.value_or(Duration{}), row.busbw()});
}

Scenario for_all(Scenario scenario) {
  scenario.collective.algorithm = "all";
  scenario.collective.options.chunks = 0;
  scenario.mistake.clear();
  return scenario;
}

/// One size of all algorithms; false if the publisher has had enough.
Result<bool> run_size(Contest& contest, Bytes size, const std::function<bool(const Row&)>& take) {
  bool go_on = true;
  const auto done = contest.run(size, [&](Contest::Run& run) -> Result<void> {
    go_on = take(run.row);
    return go_on ? Result<void>{} : gone_wrong("interrupted");
  });
  if (!go_on) return false;
  RS_TRY(done);
  return true;
}

const Curve::Point* at(const Curve& curve, double x) {
  const auto point = std::ranges::find(curve.points, x, &Curve::Point::x);
  return point == curve.points.end() ? nullptr : &*point;
}

const Curve* fastest(const std::vector<Curve>& curves, double x) {
  const Curve* best = nullptr;
  for (const Curve& curve : curves) {
    const auto* point = at(curve, x);
    if (point != nullptr && (best == nullptr || point->time < at(*best, x)->time)) best = &curve;
  }
  return best;
}

double log_time(const Curve& curve, double x) {
  const auto* point = at(curve, x);
  return std::log(std::max<double>(1, static_cast<double>(point->time.picoseconds)));
}

std::vector<Crossover> crossovers(const std::vector<Curve>& curves) {
  std::vector<double> xs;
  for (const Curve& curve : curves)
    for (const auto& point : curve.points) xs.push_back(point.x);
  std::ranges::sort(xs);
  xs.erase(std::unique(xs.begin(), xs.end()), xs.end());
  std::vector<Crossover> found;
  for (std::size_t i = 1; i < xs.size(); ++i) {
    const Curve *before = fastest(curves, xs[i - 1]), *after = fastest(curves, xs[i]);
    if (before == after || at(*before, xs[i]) == nullptr || at(*after, xs[i - 1]) == nullptr)
      continue;
    const double lead = log_time(*after, xs[i - 1]) - log_time(*before, xs[i - 1]);
    const double lag = log_time(*before, xs[i]) - log_time(*after, xs[i]);
    const double u = lead + lag > 0 ? lead / (lead + lag) : 0.5;
    found.push_back(
        {xs[i - 1] * std::pow(xs[i] / xs[i - 1], u), before->algorithm, after->algorithm});
  }
  return found;
}

Result<bool> plot_sizes(const Scenario& scenario, Curves& curves,
                        const std::function<bool(const Curves&)>& publish) {
  RS_ASSIGN(const auto request, read(scenario.collective));
  RS_ASSIGN(const auto machine, read(scenario.system));
  RS_ASSIGN(Contest contest, Contest::enter(request, machine));
  curves.notes = contest.notes();
  for (Bytes size = smallest; size <= largest; size.count *= factor) {
    RS_ASSIGN(const bool go_on, run_size(contest, size, [&](const Row& row) {
                add(curves.by_size, row, static_cast<double>(size.count));
                return publish({});
              }));
    if (!go_on) return false;
    curves.crossovers = crossovers(curves.by_size);
    if (!publish(curves)) return false;
  }
  return true;
}

Result<bool> plot_ranks(Scenario scenario, Curves& curves,
                        const std::function<bool(const Curves&)>& publish) {
  if (!sim::is_shape(scenario.system.system)) return true;
  RS_ASSIGN(const Bytes size, parse_bytes(scenario.collective.bytes));
  scenario.system.dims.clear();
  scenario.system.slow.clear();
  scenario.system.dead.clear();
  scenario.system.straggler.clear();
  scenario.system.rank_order.clear();
  for (std::uint32_t ranks = 2; ranks <= most_by_ranks; ranks *= 2) {
    scenario.system.ranks = ranks;
    RS_ASSIGN(auto request, read(scenario.collective));
    request.spec.root = {0};
    RS_ASSIGN(const auto machine, read(scenario.system));
    RS_ASSIGN(Contest contest, Contest::enter(request, machine));
    RS_ASSIGN(const bool go_on, run_size(contest, size, [&](const Row& row) {
                add(curves.by_ranks, row, ranks);
                return publish({});
              }));
    if (!go_on || !publish(curves)) return false;
  }
  return true;
}

}  // namespace

Result<void> plot(const Scenario& scenario, const std::function<bool(const Curves&)>& publish) {
  Curves curves;
  const Scenario all = for_all(scenario);
  RS_ASSIGN(bool go_on, plot_sizes(all, curves, publish));
  if (go_on) {
    RS_ASSIGN(go_on, plot_ranks(all, curves, publish));
  }
  if (!go_on) return {};
  curves.is_complete = true;
  publish(curves);
  return {};
}

std::string curves_key(const Scenario& scenario) {
  return scenario::to_share_string({for_all(scenario), {}});
}

std::string to_csv(const Curves& curves) {
  std::string text = "size_bytes,algorithm,time_us,busbw_GBps\n";
  for (const Curve& curve : curves.by_size)
    for (const auto& point : curve.points)
      text +=
          fmt::format("{:.0f},{},{:.6f},{}\n", point.x, curve.algorithm, point.time.microseconds(),
                      point.busbw ? fmt::format("{:.4f}", *point.busbw) : "");
  return text;
}

struct Plotter::Work {
  std::mutex mutex;
  std::condition_variable changed;
  std::optional<Scenario> waiting;
  std::string key;
  std::shared_ptr<const Curves> latest;
  bool is_working = false, is_over = false;
  std::thread thread;

  void run();
  /// False once something else is wanted. Nothing to show is a question, whether to go on.
  bool publish(const Curves& curves);
};

bool Plotter::Work::publish(const Curves& curves) {
  const std::lock_guard lock(mutex);
  if (is_over || waiting) return false;
  if (!curves.by_size.empty()) latest = std::make_shared<const Curves>(curves);
  return true;
}

/// Curves come when they come: frames and runs go first. On Linux this is the thread's alone.
void step_back() {
  constexpr int least = 19;
  setpriority(PRIO_PROCESS, 0, least);
}

void Plotter::Work::run() {
  step_back();
  std::unique_lock lock(mutex);
  for (;;) {
    changed.wait(lock, [&] { return is_over || waiting; });
    if (is_over) return;
    const Scenario scenario = *std::move(waiting);
    waiting.reset();
    is_working = true;
    lock.unlock();
    const auto done = plot(scenario, [&](const Curves& curves) { return publish(curves); });
    lock.lock();
    is_working = false;
    if (!done && !waiting) {
      Curves none;
      none.notes = {done.error().message};
      none.is_complete = true;
      latest = std::make_shared<const Curves>(std::move(none));
    }
    changed.notify_all();
  }
}

Plotter::Plotter() : work_(std::make_unique<Work>()) {
  work_->thread = std::thread([work = work_.get()] { work->run(); });
}

Plotter::~Plotter() {
  {
    const std::lock_guard lock(work_->mutex);
    work_->is_over = true;
  }
  work_->changed.notify_all();
  work_->thread.join();
}

void Plotter::request(const Scenario& scenario) {
  const std::lock_guard lock(work_->mutex);
  std::string key = curves_key(scenario);
  if (key == work_->key) return;
  work_->key = std::move(key);
  work_->waiting = scenario;
  work_->changed.notify_all();
}

std::shared_ptr<const Curves> Plotter::latest() const {
  const std::lock_guard lock(work_->mutex);
  return work_->latest;
}

void Plotter::wait() {
  std::unique_lock lock(work_->mutex);
  work_->changed.wait(lock, [&] { return !work_->is_working && !work_->waiting; });
}

}  // namespace ringside::stage
