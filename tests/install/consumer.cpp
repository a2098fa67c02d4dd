// Builds a ring all-reduce, proves it, and asks how long it takes on four joined devices.

#include <cstdio>

#include "core/engine.hpp"
#include "core/verifier.hpp"
#include "sim/simulate.hpp"

int main() {
  using namespace ringside;
  const auto ring = find_algorithm(CollectiveKind::all_reduce, "ring");
  if (!ring) return 1;
  const auto plan = make_plan(**ring, {.kind = CollectiveKind::all_reduce, .ranks = 4}, {});
  if (!plan) return 1;
  const auto schedule = build_schedule(*plan);
  if (!schedule || !verify(*schedule).empty()) return 1;

  sim::Topology topology;
  for (int i = 0; i < 4; ++i)
    topology.ranks.push_back(topology.add({.name = "gpu" + std::to_string(i), .forwards = true}));
  for (std::uint32_t i = 0; i < 4; ++i)
    topology.join(topology.ranks[i], topology.ranks[(i + 1) % 4], sim::LinkKind::nvlink, 25_GBps,
                  1_us);
  const auto run =
      sim::simulate(*schedule, {.count = 1 << 18}, topology, sim::NetworkModel::stream);
  if (!run) return 1;
  std::printf("%zu transfers, %s\n", schedule->transfers().size(), to_string(run->time).c_str());
  // 6 steps of 256 KiB: 6 * (1 us + 262144 B / 25 GB/s).
  return run->time.picoseconds == 6 * (1'000'000 + 10'485'760) ? 0 : 1;
}
