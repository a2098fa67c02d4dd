// All-reduce of floats in place, executor beside executor, each beside the bound: a loop that does
// a = b = a + b over the same bytes, shared out to as many threads as there are cores. Both read
// and write every byte once, so no all-reduce is faster where memory is the limit. One round
// measures each in turn, so that what else the machine does meets all alike; counters are medians
// of rounds, in microseconds and as multiples of the bound.

#include <benchmark/benchmark.h>

#include <algorithm>
#include <barrier>
#include <chrono>
#include <string>
#include <thread>
#include <vector>

#include "core/assert.hpp"
#include "core/engine.hpp"
#include "core/statistics.hpp"
#include "gpu/host/host_backend.hpp"
#include "tests/bench/bound.hpp"

namespace ringside {
namespace {

using Clock = std::chrono::steady_clock;

class AllReduce {
 public:
  AllReduce(std::uint32_t ranks, std::size_t bytes)
      : count_(bytes / sizeof(float)),
        vectors_(ranks, std::vector<float>(count_)),
        repeats_(std::clamp<std::size_t>((std::size_t{16} << 20) / (bytes * ranks), 1, 1000)) {
    for (auto& vector : vectors_) {
      const std::span output(reinterpret_cast<std::byte*>(vector.data()), bytes);
      memory_.ranks.push_back({output, output});
    }
    const auto ring = find_algorithm(CollectiveKind::all_reduce, "ring");
    const auto plan = make_plan(**ring, {.ranks = ranks, .in_place = true}, {});
    schedule_ = build_proven(*plan).value();
    const Work work{&schedule_, count_};
    for (const char* name : {"direct", "sliced", "ranks"}) {
      executors_.emplace_back(name);
      prepared_.push_back(*backend_->prepare(work, memory_, {.executor = name}));
    }
  }

  /// Seconds of one all-reduce, or of the bound.
  double bound() {
    const auto threads =
        std::min<std::size_t>(vectors_.size(), std::thread::hardware_concurrency());
    // A thread takes as long to start as a megabyte to add: all are there when the clock starts.
    std::barrier start(static_cast<std::ptrdiff_t>(threads));
    std::vector<std::thread> others;
    for (std::size_t t = 1; t < threads; ++t)
      others.emplace_back([&, t] {
        start.arrive_and_wait();
        add_part(t, threads);
      });
    start.arrive_and_wait();
    const auto begin = Clock::now();
    add_part(0, threads);
    for (auto& thread : others) thread.join();
    return std::chrono::duration<double>(Clock::now() - begin).count() / repeats_;
  }
  double run(std::size_t executor) {
    const auto measured = prepared_[executor]->run(static_cast<int>(repeats_));
    RS_ASSERT(measured, "an all-reduce of floats runs");
    Duration sum{};
    for (const Duration d : measured->iterations) sum += d;
    return sum.seconds() / static_cast<double>(repeats_);
  }
  const std::vector<std::string>& executors() const { return executors_; }

 private:
  void add_part(std::size_t part, std::size_t parts) {
    const auto first = count_ * part / parts, last = count_ * (part + 1) / parts;
    for (std::size_t i = 0; i < repeats_; ++i)
      for (std::size_t r = 0; r + 1 < vectors_.size(); r += 2)
        add_both(&vectors_[r][first], &vectors_[r + 1][first], last - first);
  }

  std::size_t count_;
  std::vector<std::vector<float>> vectors_;
  std::size_t repeats_;
  Memory memory_;
  Schedule schedule_;
  std::vector<std::string> executors_;
  std::unique_ptr<Backend> backend_ = make_host_backend();
  std::vector<std::unique_ptr<Prepared>> prepared_;
};

void host_all_reduce(benchmark::State& state) {
  AllReduce all_reduce(static_cast<std::uint32_t>(state.range(0)),
                       static_cast<std::size_t>(state.range(1)));
  const auto& executors = all_reduce.executors();
  std::vector<double> bound;
  std::vector<std::vector<double>> times(executors.size());
  const auto round = [&] {
    bound.push_back(all_reduce.bound());
    for (std::size_t e = 0; e < executors.size(); ++e) times[e].push_back(all_reduce.run(e));
  };
  round();  // warms up
  bound.clear();
  for (auto& of_one : times) of_one.clear();
  for ([[maybe_unused]] auto _ : state) round();
  state.counters["bound_us"] = 1e6 * median(bound);
  for (std::size_t e = 0; e < executors.size(); ++e) {
    state.counters[executors[e] + "_us"] = 1e6 * median(times[e]);
    state.counters[executors[e] + "_to_bound"] = median(times[e]) / median(bound);
  }
}
BENCHMARK(host_all_reduce)
    ->ArgNames({"ranks", "bytes"})
    ->ArgsProduct({{2, 4, 8}, {1 << 10, 1 << 20, 64 << 20}})
    ->Iterations(9)
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace ringside
