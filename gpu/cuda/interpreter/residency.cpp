#include "gpu/cuda/interpreter/residency.hpp"

#include <algorithm>
#include <string>

#include "core/binding.hpp"
#include "core/suggest.hpp"
#include "gpu/cuda/interpreter/launch.hpp"
#include "gpu/cuda/status.hpp"

namespace ringside::cuda::interpreter {
namespace {

constexpr std::uint32_t warp = 32, most_threads = 1024, default_threads = 512;
// As many as NCCL runs at most: enough to fill a GPU's links. More only share out the same memory.
constexpr std::uint32_t default_ctas = 32;
// A thread block with less to do in all is not worth its flags.
constexpr std::uint64_t least_bytes = 4096;

/// Programs that do something, by device.
std::vector<std::uint32_t> programs_on(const DeviceProgram& program, const DeviceMap& map) {
  std::vector<std::uint32_t> programs(map.devices.size(), 0);
  for (const BlockProgram& block : program.blocks)
    if (!block.instructions.empty()) ++programs[map.of_rank[block.rank.value]];
  return programs;
}

Result<std::uint32_t> capacity(const Device& device, ElementType type, std::uint32_t threads) {
  RS_TRY(select(device.ordinal));
  int blocks = 0;
  RS_TRY(check(blocks_a_multiprocessor(type, threads, blocks),
               "say how many thread blocks it holds", device.ordinal));
  return static_cast<std::uint32_t>(blocks) * device.multiprocessors;
}

std::string blocks_of(std::uint64_t blocks, std::uint32_t threads) {
  return std::to_string(blocks) + " thread blocks of " + counted(threads, "thread");
}

}  // namespace

Result<Residency> choose_residency(const Work& work, const DeviceProgram& program,
                                   const KernelSetup& setup) {
  const auto threads = setup.threads == 0 ? default_threads : setup.threads;
  if (threads % warp != 0 || threads > most_threads)
    return bad_request("--threads is a multiple of " + std::to_string(warp) + " up to " +
                       std::to_string(most_threads) + ", not " + std::to_string(threads));
  auto ctas = setup.ctas == 0 ? default_ctas : setup.ctas;
  const auto programs = programs_on(program, setup.devices);
  for (std::size_t d = 0; d < programs.size(); ++d) {
    const Device& device = setup.devices.devices[d];
    const auto name = "CUDA device " + std::to_string(device.ordinal);
    if (!device.cooperative)
      return machine_lacks(name + " (" + device.name +
                           ") has no cooperative launch, which executor kernel needs; take "
                           "executor streams");
    if (programs[d] == 0) continue;
    RS_ASSIGN(const auto holds, capacity(device, work.type, threads));
    const auto most = holds / programs[d];
    if (most == 0)
      return bad_request("executor kernel needs " + blocks_of(programs[d], threads) +
                         " at once on " + name + ", which holds " + std::to_string(holds) +
                         ": ask for fewer --threads, or for fewer ranks or channels");
    if (setup.ctas > most)
      return bad_request("--ctas " + std::to_string(setup.ctas) + " makes " +
                         blocks_of(std::uint64_t{setup.ctas} * programs[d], threads) + " on " +
                         name + ", which holds " + std::to_string(holds) +
                         " at once: at most --ctas " + std::to_string(most));
    ctas = std::min(ctas, most);
  }
  Residency residency{ctas, threads};
  residency.note = "executor kernel: " + std::string(setup.ctas == 0 ? "up to " : "") +
                   blocks_of(ctas, threads) + " for each rank and channel, all there at once";
  const auto chunk = layout_of(work).longest() * size_of(work.type).count;
  if (setup.ctas == 0)
    residency.ctas =
        static_cast<std::uint32_t>(std::clamp<std::uint64_t>(chunk / least_bytes, 1, ctas));
  return residency;
}

}  // namespace ringside::cuda::interpreter
