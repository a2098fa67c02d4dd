// Machines read from real files run collectives, and carry what the presets of the same parts do.

#include <gtest/gtest.h>

#include "core/engine.hpp"
#include "sim/import.hpp"
#include "sim/simulate.hpp"
#include "sim/systems.hpp"
#include "tests/sim/import_files.hpp"

namespace ringside::sim {
namespace {

using namespace test;

constexpr auto absent = "the folder of real inputs is not beside the repository";

/// Times of every all-reduce that can be told on this machine, by the registry's order.
std::size_t run_all(const Topology& topology, const std::string& file) {
  const auto ranks = static_cast<std::uint32_t>(topology.ranks.size());
  std::size_t ran = 0;
  for (const Algorithm& algorithm : all_algorithms()) {
    if (algorithm.collective != CollectiveKind::all_reduce) continue;
    const auto plan = make_plan(algorithm, {.ranks = ranks}, {});
    if (!plan) continue;
    Topology machine = topology;
    if (plan->options.agents > 0 &&
        !place_agents(machine, plan->options.agents, plan->algorithm->in_switch))
      continue;
    const auto schedule = build_schedule(*plan);
    EXPECT_TRUE(schedule) << schedule.error().message;
    if (!schedule) continue;
    for (const NetworkModel model : {NetworkModel::flow, NetworkModel::stream}) {
      const auto run = simulate(*schedule, {.count = 262144}, machine, model);
      EXPECT_TRUE(run) << file << ", " << algorithm.name << ": " << run.error().message;
      EXPECT_TRUE(!run || ranks == 1 || run->time > Duration{}) << file;
    }
    ++ran;
  }
  return ran;
}

TEST(ImportRun, EveryAllReduceRunsOnEveryRealMachine) {
  std::size_t files = 0;
  for (const auto* folder : {"topo_m", "nccl_topo_xml"})
    for (const auto& file : real_files(folder)) {
      const auto topology = import_topology(read_text(file), file.filename().string());
      if (!topology) continue;  // its own test says which may be refused
      EXPECT_GE(run_all(*topology, file.filename().string()), 5u) << file;
      ++files;
    }
  if (files == 0) GTEST_SKIP() << absent;
}

TEST(ImportRun, PastedMachinesCarryWhatThePresetsDo) {
  struct Pair {
    const char *folder, *file, *preset;
    LinkKind kind;
  };
  for (const Pair& pair : {Pair{"topo_m", "01_", "dgx1-v100", LinkKind::nvlink},
                           {"topo_m", "04_", "dgx-a100", LinkKind::nvlink},
                           {"topo_m", "05_", "dgx-h100", LinkKind::nvlink},
                           {"topo_m", "01_", "dgx1-v100", LinkKind::pcie},
                           {"nccl_topo_xml", "10_", "dgx-h100", LinkKind::nvlink},
                           {"nccl_topo_xml", "18_", "mi300x", LinkKind::xgmi}}) {
    const auto files = real_files(pair.folder);
    const auto file = std::find_if(files.begin(), files.end(), [&](const auto& path) {
      return path.filename().string().starts_with(pair.file);
    });
    if (file == files.end()) GTEST_SKIP() << absent;
    const auto pasted = import_topology(read_text(*file), "pasted");
    const auto preset = load_system(pair.preset);
    ASSERT_TRUE(pasted && preset);
    for (const auto* gpu : {"gpu0", "gpu5"})
      EXPECT_NEAR(gigabytes_out(*pasted, gpu, pair.kind),
                  gigabytes_out(preset->topology, gpu, pair.kind), 1e-6)
          << *file << ", " << gpu;
  }
}

}  // namespace
}  // namespace ringside::sim
