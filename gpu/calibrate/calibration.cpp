#include "gpu/calibrate/calibration.hpp"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <set>

#include "core/agreement.hpp"
#include "core/schedule_builder.hpp"
#include "core/statistics.hpp"

namespace ringside::calibrate {
namespace {

constexpr std::uint32_t few_messages = 1, more_messages = 4, few_hops = 2, more_hops = 32;

/// Every rank has an input, so every rank can send it.
CollectiveSpec spec(std::uint32_t ranks) {
  return {.kind = CollectiveKind::reduce, .ranks = ranks};
}

/// `messages` from each pair's first rank to its second, one behind the other.
Result<Schedule> stream(std::uint32_t ranks, const std::vector<Pair>& pairs,
                        std::uint32_t messages) {
  ScheduleBuilder builder(spec(ranks), 1);
  for (std::uint32_t m = 0; m < messages; ++m, builder.next_step())
    for (const auto& [from, to] : pairs) builder.copy(input(from.value, 0), scratch(to.value, m));
  return std::move(builder).build();
}

/// One message that goes to and fro.
Result<Schedule> ping_pong(std::uint32_t ranks, Pair pair, std::uint32_t hops) {
  ScheduleBuilder builder(spec(ranks), 1);
  Slot ball = input(pair.from.value, 0);
  for (std::uint32_t h = 0; h < hops; ++h, builder.next_step()) {
    const Slot next = scratch((h % 2 == 0 ? pair.to : pair.from).value, h);
    builder.copy(ball, next);
    ball = next;
  }
  return std::move(builder).build();
}

/// A schedule ready to be timed, with memory of its own.
class Timed {
 public:
  static Result<std::unique_ptr<Timed>> make(Backend& backend, Schedule schedule, Bytes message,
                                             const RunOptions& options) {
    std::unique_ptr<Timed> timed(new Timed(backend, std::move(schedule), message));
    auto prepared = backend.prepare(timed->work_, timed->memory_, options);
    RS_TRY(agree(backend, prepared.map([](const auto&) {})));
    timed->prepared_ = std::move(*prepared);
    RS_TRY(timed->once());  // whatever a first run costs
    return timed;
  }

  Result<Duration> once() {
    auto measured = prepared_->run(1);
    RS_ASSIGN(auto found, agree(backend_, std::move(measured).map([](Measurement&& m) {
                return Finding{.measurement = std::move(m)};
              })));
    executor_ = found.measurement.executor;
    RS_ASSERT(!found.measurement.iterations.empty(), "a backend that is calibrated keeps time");
    return found.measurement.iterations.front();
  }

  const std::string& executor() const { return executor_; }

 private:
  Timed(Backend& backend, Schedule schedule, Bytes message)
      : backend_(backend), schedule_(std::move(schedule)) {
    work_ = {.schedule = &schedule_, .count = message.count, .type = ElementType::uint8};
    const auto ranks = schedule_.spec().ranks;
    inputs_.resize(ranks);
    memory_.ranks.resize(ranks);
    result_.resize(message.count);
    for (const Rank rank : owned_ranks(backend, ranks)) {
      inputs_[rank.value].assign(message.count, std::byte{1});
      memory_.ranks[rank.value].input = inputs_[rank.value];
      if (rank == schedule_.spec().root) memory_.ranks[rank.value].output = result_;
    }
  }

  Backend& backend_;
  Schedule schedule_;
  Work work_;
  std::vector<std::vector<std::byte>> inputs_;
  std::vector<std::byte> result_;
  Memory memory_;
  std::unique_ptr<Prepared> prepared_;
  std::string executor_;
};

/// What more messages cost. What else a machine does only ever adds time, so the fastest samples
/// count.
struct Difference {
  std::vector<Duration> shorter{}, longer{};  ///< sorted
  std::uint32_t more = 0;                     ///< messages or hops

  Duration time() const { return longer.front() - shorter.front(); }
  bool is_clear() const { return time().picoseconds > 0; }
  double spread() const {
    const auto late = median(longer) - longer.front();
    return static_cast<double>(late.picoseconds) / static_cast<double>(time().picoseconds);
  }
};

class Surveyor {
 public:
  Surveyor(Backend& backend, const Plan& plan) : backend_(backend), plan_(plan) {}

  Result<Calibration> survey(const std::function<void(std::uint64_t)>& progress) {
    found_.ranks = plan_.ranks;
    found_.node_of = plan_.node_of;
    found_.pairs = std::uint64_t{plan_.ranks} * (plan_.ranks - 1);
    for (const auto& round : rounds(plan_.ranks)) {
      RS_ASSIGN(const bool done, time_is_up());
      if (done) break;
      RS_TRY(measure(round, progress));
    }
    std::ranges::sort(found_.figures, {}, &PairFigures::pair);
    RS_TRY(measure_ports());
    return std::move(found_);
  }

 private:
  Result<void> measure(const std::vector<Pair>& round,
                       const std::function<void(std::uint64_t)>& progress) {
    std::vector<Pair> both_ways = round;
    for (const Pair& pair : round) both_ways.push_back(pair.back());
    RS_ASSIGN(const auto together, bandwidth(both_ways));
    for (const Pair& pair : round) {
      RS_ASSIGN(const bool done, time_is_up());
      if (done) return {};
      RS_ASSIGN(const auto hops, latency(pair));
      RS_ASSIGN(const auto there, bandwidth({pair}));
      RS_ASSIGN(const auto return_way, bandwidth({pair.back()}));
      note(pair, hops, there, together);
      note(pair.back(), hops, return_way, together);
      progress(found_.figures.size() + found_.unclear);
    }
    return {};
  }

  Result<void> measure_ports() {
    for (std::uint32_t r = 0; r < plan_.ranks; ++r) {
      RS_ASSIGN(const bool done, time_is_up());
      if (done) return {};
      const Pair in = way_in({r}, plan_.ranks), out = way_out({r}, plan_.ranks);
      RS_ASSIGN(const auto duplex, bandwidth({in, out}));
      if (duplex.is_clear()) found_.ports.push_back({{r}, rate(duplex)});
    }
    return {};
  }

  // NOLINTNEXTLINE(readability-function-size): what was measured of one pair
  void note(Pair pair, const Difference& hops, const Difference& alone,
            const Difference& together) {
    const bool clear = hops.is_clear() && alone.is_clear() && together.is_clear();
    if (!clear) {
      ++found_.unclear;
      return;
    }
    found_.figures.push_back({.pair = pair,
                              .latency = {hops.time().picoseconds / hops.more},
                              .alone = rate(alone),
                              .together = rate(together),
                              .spread = alone.spread(),
                              .latency_spread = hops.spread()});
  }

  Bandwidth rate(const Difference& d) const {
    const auto bytes = static_cast<double>(plan_.message.count) * d.more;
    return {static_cast<std::uint64_t>(bytes / d.time().seconds())};
  }

  Result<Difference> bandwidth(const std::vector<Pair>& pairs) {
    return until_clear(more_messages, [&](std::uint32_t more) -> Result<Difference> {
      RS_ASSIGN(auto few, stream(plan_.ranks, pairs, few_messages));
      RS_ASSIGN(auto many, stream(plan_.ranks, pairs, few_messages + more));
      return difference(std::move(few), std::move(many), plan_.message);
    });
  }

  Result<Difference> latency(Pair pair) {
    return until_clear(more_hops, [&](std::uint32_t more) -> Result<Difference> {
      RS_ASSIGN(auto few, ping_pong(plan_.ranks, pair, few_hops));
      RS_ASSIGN(auto many, ping_pong(plan_.ranks, pair, few_hops + more));
      return difference(std::move(few), std::move(many), Bytes{1});
    });
  }

  /// What drowns in noise is tried again with more of it.
  Result<Difference> until_clear(
      std::uint32_t more, const std::function<Result<Difference>(std::uint32_t)>& measure) const {
    for (int tries = 1;; ++tries, more *= 4) {
      RS_ASSIGN(auto found, measure(more));
      found.more = more;
      if (found.is_clear() || tries == 3) return found;
    }
  }

  /// Short and long in turn, so that what slows the machine down for a while slows both.
  Result<Difference> difference(Schedule few, Schedule many, Bytes message) {
    RS_ASSIGN(const auto shorter, Timed::make(backend_, std::move(few), message, plan_.run));
    RS_ASSIGN(const auto longer, Timed::make(backend_, std::move(many), message, plan_.run));
    Difference difference;
    for (int i = 0; i < plan_.samples; ++i) {
      RS_ASSIGN(const auto a, shorter->once());
      RS_ASSIGN(const auto b, longer->once());
      difference.shorter.push_back(a);
      difference.longer.push_back(b);
    }
    found_.executor = longer->executor();
    std::ranges::sort(difference.shorter);
    std::ranges::sort(difference.longer);
    return difference;
  }

  /// When one process thinks so, all do.
  Result<bool> time_is_up() {
    const auto spent = std::chrono::duration<double>(Clock::now() - start_).count();
    RS_ASSIGN(const auto all, backend_.share(spent > plan_.budget.seconds() ? "up" : ""));
    return std::ranges::any_of(all, [](const std::string& word) { return !word.empty(); });
  }

  using Clock = std::chrono::steady_clock;
  Backend& backend_;
  const Plan& plan_;
  Clock::time_point start_ = Clock::now();
  Calibration found_;
};

}  // namespace

bool Calibration::has_classes() const {
  const std::set<std::uint32_t> nodes(node_of.begin(), node_of.end());
  return nodes.size() > 1 && nodes.size() < node_of.size();
}

Bytes memory_of(const Plan& plan, std::size_t owned_ranks) {
  // A short stream and a long one at a time: inputs, landing places, and a result each.
  const auto messages = std::uint64_t{owned_ranks} * (2 + 2 * few_messages + more_messages) + 2;
  return {plan.message.count > INT64_MAX / messages ? INT64_MAX : messages * plan.message.count};
}

Result<Calibration> calibrate(Backend& backend, const Plan& plan,
                              const std::function<void(std::uint64_t)>& progress) {
  if (plan.ranks < 2)
    return bad_request("a calibration measures pairs: it needs at least 2 ranks, not " +
                       std::to_string(plan.ranks));
  return Surveyor(backend, plan).survey(progress);
}

}  // namespace ringside::calibrate
