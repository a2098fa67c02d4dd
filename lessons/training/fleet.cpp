#include "lessons/training/fleet.hpp"

#include <algorithm>
#include <utility>

#include "lessons/training/parallel.hpp"
#include "lessons/training/whole_batch.hpp"

namespace ringside::training {
namespace {

Result<std::unique_ptr<Exchange>> prepared(Backend& backend, const Algorithm& algorithm,
                                           const CollectiveSpec& spec,
                                           const std::pair<std::uint64_t, RunOptions>& how) {
  RS_ASSIGN(const Plan plan, make_plan(algorithm, spec, {}));
  RS_ASSIGN(Exchange exchange, Exchange::make(backend, plan, how.first, how.second));
  return std::make_unique<Exchange>(std::move(exchange));
}

}  // namespace

/// Keeps the span of a phase while it lives.
class Fleet::Timing {
 public:
  Timing(const Fleet& fleet, Seat& seat, std::uint32_t step, Phase phase)
      : fleet_(fleet), seat_(seat), span_{seat.rank, step, phase, fleet.now(), {}} {}
  Timing(const Timing&) = delete;
  Timing& operator=(const Timing&) = delete;
  ~Timing() {
    span_.end = fleet_.now();
    seat_.spans.push_back(span_);
  }

 private:
  const Fleet& fleet_;
  Seat& seat_;
  PhaseSpan span_;
};

Fleet::Fleet(const Network& network, const TrainingOptions& options, Backend& backend)
    : options_(options), seat_of_(options.workers) {
  for (const Rank rank : owned_ranks(backend, options.workers)) {
    seat_of_[rank.value] = seats_.size();
    Worker worker(network, options.optimizer, options.learning_rate);
    worker.set_weights(network.initial_weights(mix(mix(options.seed, 1), rank.value)));
    seats_.push_back({rank, std::move(worker), std::vector<float>(network.weights()), {}});
  }
}

Result<Fleet> Fleet::make(const Network& network, const TrainingOptions& options,
                          Backend& backend) {
  Fleet fleet(network, options, backend);
  const std::pair how{std::uint64_t{network.weights()}, options.run};
  if (options.broadcast) {
    RS_ASSIGN(const auto* flat, find_algorithm(CollectiveKind::broadcast, "binomial"));
    const CollectiveSpec spec{CollectiveKind::broadcast, options.workers};
    RS_ASSIGN(fleet.weights_, prepared(backend, *flat, spec, how));
  }
  if (fleet.syncs()) {
    RS_ASSIGN(const auto* chosen, find_algorithm(CollectiveKind::all_reduce, options.algorithm));
    RS_ASSIGN(fleet.gradients_, prepared(backend, *chosen, {.ranks = options.workers}, how));
  }
  RS_TRY(backend.share({}));  // all clocks start here
  fleet.start_ = std::chrono::steady_clock::now();
  return fleet;
}

Result<void> Fleet::exchange(Exchange& exchange, Phase phase, std::uint32_t step) {
  const TimePoint begin = now();
  RS_ASSIGN(auto measured, exchange.run());
  for (Seat& seat : seats_) seat.spans.push_back({seat.rank, step, phase, begin, now()});
  executor_ = measured.executor;
  if (phase == Phase::all_reduce) keep_messages(step, begin, std::move(measured.trace));
  return {};
}

void Fleet::keep_messages(std::uint32_t step, TimePoint begin, std::vector<Span> spans) {
  constexpr std::size_t most = 100'000;
  kept_ += spans.size();
  if (!spans.empty() && kept_ <= most) messages_.push_back({step, begin, std::move(spans)});
}

std::shared_ptr<const Schedule> Fleet::schedule() const {
  return gradients_ == nullptr ? nullptr : gradients_->schedule();
}

Result<void> Fleet::broadcast() {
  if (weights_ == nullptr) return {};
  for (const Seat& seat : seats_) {
    const auto in = weights_->input(seat.rank);
    std::ranges::copy(seat.worker.weights().first(in.size()), in.begin());
  }
  RS_TRY(exchange(*weights_, Phase::broadcast, 0));
  for (Seat& seat : seats_) seat.worker.set_weights(weights_->output(seat.rank));
  return {};
}

Result<void> Fleet::find_gradients(std::uint32_t step) {
  for_each(seats_.size(), [&](std::size_t s) { find_gradient(seats_[s], step); });
  if (syncs()) RS_TRY(exchange(*gradients_, Phase::all_reduce, step));
  for_each(seats_.size(), [&](std::size_t s) {
    const Timing timing(*this, seats_[s], step, Phase::average);
    average(seats_[s]);
  });
  return {};
}

void Fleet::find_gradient(Seat& seat, std::uint32_t step) {
  const auto timing = [&](Phase phase) { return Timing(*this, seat, step, phase); };
  Worker& worker = seat.worker;
  {
    const auto time = timing(Phase::data);
    worker.draw(options_.task, data_seed(options_), shard(step, seat.rank));
  }
  {
    const auto time = timing(Phase::forward);
    worker.forward();
  }
  {
    const auto time = timing(Phase::loss);
    worker.find_loss();
  }
  {
    const auto time = timing(Phase::backward);
    worker.backward();
  }
  const auto time = timing(Phase::gradient);
  const auto to = syncs() ? gradients_->input(seat.rank) : std::span(seat.averaged);
  std::ranges::copy(worker.gradient(), to.begin());
  if (options_.way == Way::weighted || worker.samples() == 0) return;
  for (float& g : to) g /= static_cast<float>(worker.samples());
}

void Fleet::average(Seat& seat) {
  if (!syncs()) return;
  std::ranges::copy(gradients_->output(seat.rank), seat.averaged.begin());
  if (options_.way == Way::sum) return;
  const auto parts = options_.way == Way::weighted ? options_.batch() : options_.workers;
  for (float& g : seat.averaged) g /= static_cast<float>(parts);
}

void Fleet::update(std::uint32_t step) {
  for_each(seats_.size(), [&](std::size_t s) {
    Seat& seat = seats_[s];
    {
      const Timing time(*this, seat, step, Phase::optimizer);
      seat.worker.plan_update(seat.averaged);
    }
    const Timing time(*this, seat, step, Phase::update);
    seat.worker.update();
  });
}

std::vector<Rank> Fleet::ranks() const {
  std::vector<Rank> all;
  for (const Seat& seat : seats_) all.push_back(seat.rank);
  return all;
}

double Fleet::own_gradient(Rank rank, std::size_t weight) const {
  const Worker& own = worker(rank);
  return own.samples() == 0 ? 0 : double{own.gradient()[weight]} / own.samples();
}

std::vector<PhaseSpan> Fleet::spans() const {
  std::vector<PhaseSpan> all;
  for (const Seat& seat : seats_) all.insert(all.end(), seat.spans.begin(), seat.spans.end());
  return all;
}

Shard Fleet::shard(std::uint32_t step, Rank rank) const {
  std::uint64_t first = batch(step).first;
  for (std::uint32_t r = 0; r < rank.value; ++r) first += options_.shards[r];
  return {first, options_.shards[rank.value]};
}

Shard Fleet::batch(std::uint32_t step) const {
  return {std::uint64_t{step} * options_.batch(), options_.batch()};
}

TimePoint Fleet::now() const {
  using Nanoseconds = std::chrono::nanoseconds;
  const auto since = std::chrono::steady_clock::now() - start_;
  return nanoseconds(std::chrono::duration_cast<Nanoseconds>(since).count());
}

}  // namespace ringside::training
