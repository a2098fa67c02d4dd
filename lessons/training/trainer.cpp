#include "lessons/training/trainer.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <sstream>
#include <utility>

#include "core/mix.hpp"
#include "lessons/training/fleet.hpp"
#include "lessons/training/whole_batch.hpp"

namespace ringside::training {
namespace {

std::uint64_t digest_of(std::span<const float> weights) {
  std::uint64_t digest = weights.size();
  for (const float w : weights) digest = mix(digest, std::bit_cast<std::uint32_t>(w));
  return digest;
}

/// What everyone learns of a worker after a step.
struct Told {
  std::uint64_t digest = 0;
  Loss loss{};
  FirstStep::OfWorker first{};
};

std::string words_of(Rank rank, const Told& told) {
  std::ostringstream words;
  words << rank.value << ' ' << told.digest << ' ' << told.loss.right << ' ' << told.loss.targets;
  for (const double number :
       {told.loss.mean, told.first.gradient, told.first.before, told.first.after})
    words << ' ' << std::bit_cast<std::uint64_t>(number);
  return words.str() + "\n";
}

std::vector<Told> told_by(const std::vector<std::string>& processes, std::uint32_t workers) {
  std::vector<Told> all(workers);
  for (const std::string& process : processes) {
    std::istringstream words(process);
    for (std::uint32_t rank; words >> rank;) {
      Told& told = all.at(rank);
      words >> told.digest >> told.loss.right >> told.loss.targets;
      for (double* const number :
           {&told.loss.mean, &told.first.gradient, &told.first.before, &told.first.after}) {
        std::uint64_t bits = 0;
        words >> bits;
        *number = std::bit_cast<double>(bits);
      }
      told.first.loss = told.loss.mean;
    }
  }
  return all;
}

class Training {
 public:
  Training(const TrainingOptions& options, const Network& network, Backend& backend, Fleet fleet)
      : options_(options), network_(network), backend_(backend), fleet_(std::move(fleet)) {
    run_.asked = options;
    run_.weights = network.weights();
    run_.stages = network.stages();
  }

  Result<TrainingRun> go(const Watch& watch) {
    RS_TRY(fleet_.broadcast());
    if (has_first())
      one_ = std::make_unique<WholeBatch>(network_, options_, fleet_.worker(Rank{0}).weights());
    for (std::uint32_t step = 0; step < options_.steps; ++step) {
      RS_TRY(do_step(step));
      if (watch) watch(step + 1);
    }
    conclude();
    if (options_.run.trace) RS_TRY(gather_spans());
    return std::move(run_);
  }

 private:
  bool has_first() const { return backend_.owns(Rank{0}); }

  Result<void> do_step(std::uint32_t step) {
    RS_TRY(fleet_.find_gradients(step));
    StepResult result;
    if (has_first()) result.compared = compare(step);
    if (step == 0) RS_TRY(choose_weight());
    std::vector<Told> mine;
    for (const Rank rank : fleet_.ranks())
      mine.push_back({.first = {.gradient = fleet_.own_gradient(rank, run_.first.weight),
                                .before = fleet_.worker(rank).weights()[run_.first.weight]}});
    fleet_.update(step);
    RS_ASSIGN(const auto all, tell(mine));
    if (step == 0) note_first_step(all);
    return note(all, result);
  }

  Comparison compare(std::uint32_t step) {
    one_->look(fleet_.worker(Rank{0}).weights(), fleet_.batch(step));
    Comparison found = one_->compare(fleet_.averaged(Rank{0}));
    found.loss = one_->train(fleet_.batch(step));
    return found;
  }

  /// The one whose gradient people are shown: large, so that its digits say something.
  Result<void> choose_weight() {
    std::string choice;
    if (has_first()) {
      const auto gradient = fleet_.averaged(Rank{0});
      const auto largest = std::ranges::max_element(
          gradient, {}, [](float g) { return std::isfinite(g) ? std::abs(g) : 0; });
      choice = std::to_string(largest - gradient.begin());
    }
    RS_ASSIGN(const auto all, backend_.share(choice));
    for (const auto& one : all)
      if (!one.empty()) run_.first.weight = std::stoull(one);
    run_.first.place = network_.place_of(run_.first.weight);
    return {};
  }

  Result<std::vector<Told>> tell(std::vector<Told>& mine) {
    std::string words;
    for (std::size_t i = 0; i < mine.size(); ++i) {
      const Rank rank = fleet_.ranks()[i];
      const Worker& worker = fleet_.worker(rank);
      mine[i].digest = digest_of(worker.weights());
      mine[i].loss = worker.loss();
      mine[i].first.after = worker.weights()[run_.first.weight];
      words += words_of(rank, mine[i]);
    }
    RS_ASSIGN(const auto all, backend_.share(words));
    return told_by(all, options_.workers);
  }

  void note_first_step(const std::vector<Told>& all) {
    for (const Told& told : all) run_.first.workers.push_back(told.first);
    if (!has_first()) return;
    const auto weight = run_.first.weight;
    run_.first.averaged = fleet_.averaged(Rank{0})[weight];
    run_.first.whole_batch = one_->gradient(weight);
    run_.first.change = fleet_.worker(Rank{0}).change()[weight];
  }

  Result<void> note(const std::vector<Told>& all, StepResult result) {
    std::uint32_t right = 0, targets = 0;
    bool identical = true;
    for (std::uint32_t w = 0; w < all.size(); ++w) {
      result.loss += all[w].loss.mean * options_.shards[w] / options_.batch();
      right += all[w].loss.right;
      targets += all[w].loss.targets;
      identical = identical && all[w].digest == all.front().digest;
    }
    result.right = static_cast<double>(right) / targets;
    result.digest = all.front().digest;
    if (!identical) {
      RS_ASSIGN(result.apart, largest_difference());
    }
    run_.steps.push_back(result);
    return {};
  }

  /// Of any weight between any two workers.
  Result<double> largest_difference() {
    std::vector<float> extremes(2 * network_.weights());  // least and most of each
    for (std::size_t i = 0; i < network_.weights(); ++i) {
      extremes[2 * i] = INFINITY;
      extremes[2 * i + 1] = -INFINITY;
      for (const Rank rank : fleet_.ranks()) widen(extremes, i, fleet_.worker(rank).weights()[i]);
    }
    const auto bytes = std::as_bytes(std::span(extremes));
    RS_ASSIGN(const auto all,
              backend_.share({reinterpret_cast<const char*>(bytes.data()), bytes.size()}));
    for (const std::string& one : all) {
      std::vector<float> theirs(extremes.size());
      std::memcpy(theirs.data(), one.data(), std::min(one.size(), bytes.size()));
      for (std::size_t i = 0; i < theirs.size(); ++i) widen(extremes, i / 2, theirs[i]);
    }
    double largest = 0x1p-149;  // digests differ, so weights do, if only in the sign of a zero
    for (std::size_t i = 0; i < network_.weights(); ++i)
      largest = std::max(largest, double{extremes[2 * i + 1]} - extremes[2 * i]);
    return largest;
  }

  static void widen(std::vector<float>& extremes, std::size_t weight, float value) {
    extremes[2 * weight] = std::min(extremes[2 * weight], value);
    extremes[2 * weight + 1] = std::max(extremes[2 * weight + 1], value);
  }

  void conclude() {
    run_.executor = fleet_.executor();
    run_.spans = fleet_.spans();
    run_.messages = fleet_.messages();
    run_.schedule = fleet_.schedule();
    if (!has_first()) return;
    constexpr std::uint32_t questions = 512;
    const auto weights = fleet_.worker(Rank{0}).weights();
    run_.answers_right = answers_right(network_, options_, weights, questions);
    for (std::size_t i = 0; i < weights.size(); ++i)
      run_.apart_from_one =
          std::max(run_.apart_from_one, std::abs(double{weights[i]} - one_->weights()[i]));
  }

  /// All processes' spans, worker by worker.
  Result<void> gather_spans() {
    std::ostringstream words;
    for (const PhaseSpan& span : run_.spans)
      words << span.worker.value << ' ' << span.step << ' ' << static_cast<unsigned>(span.phase)
            << ' ' << span.begin.picoseconds << ' ' << span.end.picoseconds << '\n';
    RS_ASSIGN(const auto all, backend_.share(words.str()));
    run_.spans.clear();
    for (const std::string& process : all) {
      std::istringstream in(process);
      PhaseSpan span;
      for (unsigned phase; in >> span.worker.value >> span.step >> phase >>
                           span.begin.picoseconds >> span.end.picoseconds;) {
        span.phase = static_cast<Phase>(phase);
        run_.spans.push_back(span);
      }
    }
    std::ranges::stable_sort(run_.spans, {}, &PhaseSpan::worker);
    return {};
  }

  TrainingOptions options_;
  const Network& network_;
  Backend& backend_;
  Fleet fleet_;
  std::unique_ptr<WholeBatch> one_;  ///< where worker 0 is
  TrainingRun run_;
};

}  // namespace

Result<TrainingRun> train(const TrainingOptions& options, Backend& backend, const Watch& watch) {
  RS_ASSIGN(const Network network, make_network(options.model, options.task));
  RS_ASSIGN(Fleet fleet, Fleet::make(network, options, backend));
  return Training(options, network, backend, std::move(fleet)).go(watch);
}

}  // namespace ringside::training
