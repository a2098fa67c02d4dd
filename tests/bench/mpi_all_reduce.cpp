// All-reduce of floats between processes, in place: without a schedule in memory that all see,
// schedules over messages and the shared window beside Open MPI's own and a bound, interleaved in
// one job. The bound reads and writes as many bytes in every process as its vector has: half of it
// and half of another one become their sum.
//
//   export MALLOC_TRIM_THRESHOLD_=-1 MALLOC_MMAP_MAX_=0   (or Open MPI's scratch faults its pages
//   mpirun -n 4 ringside_mpi_bench [BYTES [ROUNDS]]        anew in every call)

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <memory_resource>
#include <string>
#include <vector>

#include "core/engine.hpp"
#include "core/statistics.hpp"
#include "gpu/mpi/clocks.hpp"
#include "gpu/mpi/mpi_backend.hpp"
#include "gpu/mpi/world.hpp"
#include "tests/bench/bound.hpp"

namespace ringside {
namespace {

struct Contestant {
  std::string name;
  std::unique_ptr<Prepared> prepared{};  // none: the bound
  std::vector<Duration> times{};
};

Schedule schedule_of(std::string_view algorithm, std::uint32_t ranks) {
  const CollectiveSpec spec{.kind = CollectiveKind::all_reduce, .ranks = ranks, .in_place = true};
  const auto& found = **find_algorithm(spec.kind, algorithm);
  return build_proven(make_plan(found, spec, {}).value()).value();
}

/// a = b = a + b, by every process at once.
Duration bound(mpi::World& world, std::vector<float>& a, std::vector<float>& b) {
  (void)world.meet(60'000'000_us);
  const auto begin = mpi::clock_now();
  add_both(a.data(), b.data(), a.size());
  return mpi::clock_now() - begin;
}

/// Each of the times becomes that of the slowest process.
void take_slowest(Backend& backend, std::vector<Duration>& times) {
  std::string words;
  for (const Duration d : times) words += std::to_string(d.picoseconds) + " ";
  const auto said = backend.share(words).value();
  for (const auto& process : said) {
    std::size_t at = 0, used = 0;
    for (Duration& d : times) {
      d = std::max(d, Duration{std::stoll(process.substr(at), &used)});
      at += used;
    }
  }
}

int compare(Backend& backend, std::size_t bytes, int rounds) {
  mpi::World& world = *mpi::World::joined();
  // Direct needs buffers that all processes see; to the others they are as any.
  std::pmr::vector<float> vector(bytes / sizeof(float), &backend.memory({.executor = "direct"}));
  std::vector<float> half(vector.size() / 2), other(half);
  Memory memory{std::vector<Memory::RankBuffers>(world.size())};
  memory.ranks[world.rank()] = {std::as_bytes(std::span(vector)),
                                std::as_writable_bytes(std::span(vector))};
  std::vector<Schedule> schedules;
  const std::vector<std::string_view> algorithms{"ring", "direct", "halving_doubling",
                                                 "recursive_doubling"};
  for (const auto algorithm : algorithms) schedules.push_back(schedule_of(algorithm, world.size()));
  std::vector<Contestant> all;
  all.push_back({"bound"});
  const auto add = [&](const std::string& name, const Schedule& schedule,
                       const std::string& executor) {
    RunOptions options;
    options.executor = executor;
    all.push_back({name, backend.prepare({&schedule, vector.size()}, memory, options).value()});
  };
  add("mpi/native", schedules.front(), "native");
  add("mpi/direct", schedules.front(), "direct");
  add("mpi/window", schedules.front(), "window");
  for (std::size_t i = 0; i < schedules.size(); ++i)
    add("mpi/messages " + std::string(algorithms[i]), schedules[i], "messages");
  for (int round = 0; round <= rounds; ++round)
    for (Contestant& one : all) {
      const auto time = one.prepared ? one.prepared->run(1).value().iterations.front()
                                     : bound(world, half, other);
      if (round > 0) one.times.push_back(time);  // the first is warm-up
    }
  for (Contestant& one : all) take_slowest(backend, one.times);
  if (mpi::is_first())
    for (const Contestant& one : all) {
      const auto [low, high] = std::minmax_element(one.times.begin(), one.times.end());
      std::printf("%-32s %12.1f us  (%.1f to %.1f)  %6.2f of the bound\n", one.name.c_str(),
                  median(one.times).microseconds(), low->microseconds(), high->microseconds(),
                  median(one.times).seconds() / median(all.front().times).seconds());
    }
  return mpi::leave(0, "");
}

}  // namespace
}  // namespace ringside

int main(int argc, char** argv) {
  const auto backend = ringside::make_mpi_backend();
  if (!backend) return 3;
  const auto bytes = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 64u << 20;
  return ringside::compare(**backend, bytes, argc > 2 ? std::atoi(argv[2]) : 9);
}
