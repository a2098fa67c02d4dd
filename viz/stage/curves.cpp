#include "viz/stage/curves.hpp"

#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>
#include <cmath>
#include <condition_variable>
#include <map>
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
  scenario.collective.schedule.clear();
  scenario.collective.options.chunks = 0;
  scenario.mistake.clear();
  return scenario;
}

/// Where a row becomes a point.
struct Place {
  std::vector<Curve>& curves;
  double x;
  std::string text;  ///< of x, for people
};

using Publish = std::function<bool(const Curves&)>;

/// Curves as they grow, an algorithm and an x at a time.
class Plot {
 public:
  Plot(const Publish& publish, std::uint64_t most_effort)
      : publish_(publish), most_effort_(most_effort) {}

  /// All algorithms at one x; false if the publisher has had enough.
  bool add_all(Contest& contest, Bytes size, const Place& place);
  /// What has no points from some x on, and why.
  std::vector<std::string> notes() const;

 private:
  const Publish& publish_;
  std::uint64_t most_effort_;
  std::map<std::string_view, std::string> given_up_;  // by algorithm
};

bool Plot::add_all(Contest& contest, Bytes size, const Place& place) {
  for (const Algorithm* entrant : contest.entrants()) {
    if (!publish_({})) return false;
    if (given_up_.contains(entrant->name)) continue;
    if (auto run = contest.run_one(*entrant, size, sim::up_to(most_effort_)))
      add(place.curves, run->row, place.x);
    else
      given_up_.emplace(entrant->name,
                        fmt::format("from {} on: {}", place.text, run.error().message));
  }
  return true;
}

std::vector<std::string> Plot::notes() const {
  std::map<std::string, std::vector<std::string_view>> names;
  for (const auto& [algorithm, why] : given_up_) names[why].push_back(algorithm);
  std::vector<std::string> notes;
  for (const auto& [why, algorithms] : names)
    notes.push_back(fmt::format("{} not run {}", fmt::join(algorithms, ", "), why));
  return notes;
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

/// What is being plotted, and for whom.
struct Job {
  Curves& curves;
  const Publish& publish;
  std::uint64_t most_effort;
};

Result<bool> plot_sizes(const Scenario& scenario, const Job& job) {
  RS_ASSIGN(const auto request, read(scenario.collective));
  RS_ASSIGN(const auto machine, read(scenario.system));
  RS_ASSIGN(Contest contest, Contest::enter(request, machine));
  Plot plot(job.publish, job.most_effort);
  Curves& curves = job.curves;
  for (Bytes size = smallest; size <= largest; size.count *= factor) {
    const auto x = static_cast<double>(size.count);
    if (!plot.add_all(contest, size, {curves.by_size, x, to_string(size)})) return false;
    curves.crossovers = crossovers(curves.by_size);
    curves.notes = contest.notes();
    for (std::string& note : plot.notes()) curves.notes.push_back(std::move(note));
    if (!job.publish(curves)) return false;
  }
  return true;
}

/// What names single ranks or links means nothing on another number of ranks.
Scenario on_ranks(Scenario scenario, std::uint32_t ranks) {
  scenario.system.ranks = ranks;
  scenario.system.dims.clear();
  scenario.system.slow.clear();
  scenario.system.dead.clear();
  scenario.system.straggler.clear();
  scenario.system.rank_order.clear();
  return scenario;
}

Result<bool> plot_ranks(const Scenario& scenario, const Job& job) {
  if (!sim::is_shape(scenario.system.system)) return true;
  RS_ASSIGN(const Bytes size, parse_bytes(scenario.collective.bytes));
  Plot plot(job.publish, job.most_effort);
  Curves& curves = job.curves;
  for (std::uint32_t ranks = 2; ranks <= most_by_ranks; ranks *= 2) {
    RS_ASSIGN(auto request, read(scenario.collective));
    request.spec.root = {0};
    RS_ASSIGN(const auto machine, read(on_ranks(scenario, ranks).system));
    const std::string text = fmt::format("{} ranks", ranks);
    auto contest = Contest::enter(request, machine);
    if (!contest) {
      curves.rank_notes.push_back(fmt::format("{}: {}", text, contest.error().message));
      continue;
    }
    if (!plot.add_all(*contest, size, {curves.by_ranks, static_cast<double>(ranks), text}) ||
        !job.publish(curves))
      return false;
  }
  for (std::string& note : plot.notes()) curves.rank_notes.push_back(std::move(note));
  return true;
}

}  // namespace

Result<void> plot(const Scenario& scenario, const Publish& publish, Curves known,
                  std::uint64_t most_effort) {
  Curves curves = std::move(known);
  curves.by_ranks.clear();
  curves.rank_notes.clear();
  curves.is_complete = false;
  const Job job{curves, publish, most_effort};
  const Scenario all = for_all(scenario);
  bool go_on = true;
  if (curves.by_size.empty()) {
    RS_ASSIGN(go_on, plot_sizes(all, job));
  }
  if (go_on) {
    RS_ASSIGN(go_on, plot_ranks(all, job));
  }
  if (!go_on) return {};
  curves.is_complete = true;
  publish(curves);
  return {};
}

std::string curves_key(const Scenario& scenario) {
  return scenario::to_share_string({for_all(scenario), {}});
}

std::string by_size_key(const Scenario& scenario) {
  Scenario all = for_all(scenario);
  all.collective.bytes = Scenario{}.collective.bytes;
  return scenario::to_share_string({all, {}});
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

  // The thread's own.
  std::string sizes_key;              // of the latest curves, once they have all sizes
  std::string collective;             // that they are of
  std::shared_ptr<const Curves> old;  // stay until there are new ones; null: new ones show at once

  void run();
  void plot_for(const Scenario& scenario);
  void show(Curves curves);
  /// False once something else is wanted. Nothing to show is a question, whether to go on.
  bool publish(const Curves& curves);
};

void Plotter::Work::show(Curves curves) {
  latest = std::make_shared<const Curves>(std::move(curves));
}

bool Plotter::Work::publish(const Curves& curves) {
  const std::lock_guard lock(mutex);
  if (is_over || waiting) return false;
  const bool has_all_sizes = curves.is_complete || !curves.by_ranks.empty();
  if (curves.by_size.empty() || (old && !has_all_sizes)) return true;
  Curves shown = curves;
  if (old && !curves.is_complete) shown.by_ranks = old->by_ranks;
  show(std::move(shown));
  return true;
}

/// Frames and runs go first; but a picture waits for curves, on a busy machine too. On Linux this
/// is the thread's alone.
void step_back() {
  constexpr int modest = 5;  // a third of another's share; 19 would be a sixtieth
  setpriority(PRIO_PROCESS, 0, getpriority(PRIO_PROCESS, 0) + modest);
}

void Plotter::Work::plot_for(const Scenario& scenario) {
  Curves known;
  {
    const std::lock_guard lock(mutex);
    old = scenario.collective.collective == collective ? latest : nullptr;
    if (old) {
      Curves outdated = *old;
      outdated.is_complete = false;
      show(std::move(outdated));
      if (by_size_key(scenario) == sizes_key) known = *old;
    }
  }
  sizes_key.clear();
  collective = scenario.collective.collective;
  bool has_all_sizes = !known.by_size.empty();
  const auto take = [&](const Curves& curves) {
    if (!publish(curves)) return false;
    has_all_sizes |= curves.is_complete || !curves.by_ranks.empty();
    return true;
  };
  const auto done = plot(scenario, take, std::move(known));
  if (has_all_sizes) sizes_key = by_size_key(scenario);
  const std::lock_guard lock(mutex);
  if (done || waiting) return;
  collective.clear();
  Curves none;
  none.notes = {done.error().message};
  none.is_complete = true;
  show(std::move(none));
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
    plot_for(scenario);
    lock.lock();
    is_working = false;
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
