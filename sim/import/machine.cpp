#include "sim/import/machine.hpp"

#include <algorithm>
#include <array>

namespace ringside::sim {
namespace {

/// Devices that `from` can reach through devices that forward.
std::vector<bool> reachable(const Topology& topology,
                            const std::vector<std::vector<DeviceId>>& next, DeviceId from) {
  std::vector<bool> seen(topology.devices.size());
  std::vector<DeviceId> open{from};
  seen[from.value] = true;
  while (!open.empty()) {
    const DeviceId at = open.back();
    open.pop_back();
    if (at != from && !topology[at].forwards) continue;
    for (const DeviceId to : next[at.value]) {
      if (seen[to.value]) continue;
      seen[to.value] = true;
      open.push_back(to);
    }
  }
  return seen;
}

Result<void> check_joined(const Topology& topology) {
  std::vector<std::vector<DeviceId>> next(topology.devices.size());
  for (const Link& link : topology.links) next[link.from.value].push_back(link.to);
  for (const DeviceId from : topology.ranks) {
    const auto seen = reachable(topology, next, from);
    for (const DeviceId to : topology.ranks)
      if (!seen[to.value])
        return bad_request(topology.name + ": nothing in it leads from " + topology[from].name +
                           " to " + topology[to].name +
                           "; every GPU must reach every other, so the text must come from one "
                           "machine, whole");
  }
  return {};
}

struct Bundle {
  std::uint32_t a, b, links;
};
/// The DGX-1's hybrid cube mesh, six NVLinks a V100.
constexpr std::array<Bundle, 16> cube_mesh{{{0, 1, 1},
                                            {0, 2, 1},
                                            {0, 3, 2},
                                            {0, 4, 2},
                                            {1, 2, 2},
                                            {1, 3, 1},
                                            {1, 5, 2},
                                            {2, 3, 2},
                                            {2, 6, 1},
                                            {3, 7, 1},
                                            {4, 5, 1},
                                            {4, 6, 1},
                                            {4, 7, 2},
                                            {5, 6, 2},
                                            {5, 7, 1},
                                            {6, 7, 2}}};

}  // namespace

bool Machine::taken(std::string_view name) const {
  return std::any_of(topology_.devices.begin(), topology_.devices.end(),
                     [name](const Device& device) { return device.name == name; });
}

DeviceId Machine::add(DeviceKind kind, std::string_view wanted, std::uint32_t node) {
  std::string name(wanted);
  for (std::uint32_t i = 1; taken(name); ++i) name = std::string(wanted) + "_" + std::to_string(i);
  return topology_.add({.name = name,
                        .kind = kind,
                        .node = node,
                        .forwards = kind != DeviceKind::gpu && kind != DeviceKind::memory});
}

void Machine::tell_switch(DeviceId nvswitch, std::uint32_t generation) {
  topology_.devices[nvswitch.value].nvls = generation >= 4;
}

void Machine::join(DeviceId a, DeviceId b, LinkKind kind, const LinkFigure& figure) {
  topology_.join(a, b, kind, figure.bandwidth, figure.latency);
}

DeviceId Machine::add_cpu(const Place& place) {
  const std::string digits = std::to_string(place.number);
  const DeviceId cpu = add(DeviceKind::cpu, place.prefix + "cpu" + digits, place.node);
  const DeviceId memory = add(DeviceKind::memory, place.prefix + "mem" + digits, place.node);
  join(cpu, memory, LinkKind::memory, memory_figure(place.pcie_generation));
  return cpu;
}

void Machine::set_memory(DeviceId gpu, Bandwidth bandwidth) {
  topology_.devices[gpu.value].memory = bandwidth;
  if (bandwidth == Bandwidth{})
    assume("which GPUs these are is not told: their local copies and reductions cost nothing");
  else
    assume("local copies and reductions at " + to_string(bandwidth) +
           ", 3/8 of the memory's peak of GPUs of that generation");
}

void Machine::join_sockets(std::span<const DeviceId> cpus, const LinkFigure& figure) {
  for (std::size_t a = 0; a < cpus.size(); ++a)
    for (std::size_t b = a + 1; b < cpus.size(); ++b)
      join(cpus[a], cpus[b], LinkKind::socket, figure);
}

void Machine::assume_nvlink(std::span<const DeviceId> gpus, std::uint32_t generation) {
  const std::uint32_t links = nvlinks_of_gpu(generation);
  const auto count = static_cast<std::uint32_t>(gpus.size());
  const std::string each = "NVLink " + std::to_string(generation) + " added as asked, ";
  if (count < 2) return;
  if (generation <= 2 && count == 8) {
    for (const Bundle& bundle : cube_mesh)
      join(gpus[bundle.a], gpus[bundle.b], LinkKind::nvlink,
           nvlink_figure(generation, generation == 1 ? 1 : bundle.links));
    assume(each + "wired as the cube mesh of a DGX-1");
  } else if (generation <= 2 && count <= 4) {
    const std::uint32_t pair = std::max(1u, links / (count - 1));
    for (std::uint32_t a = 0; a < count; ++a)
      for (std::uint32_t b = a + 1; b < count; ++b)
        join(gpus[a], gpus[b], LinkKind::nvlink, nvlink_figure(generation, pair));
    assume(each + std::to_string(pair) + " between every two GPUs");
  } else {
    const DeviceId nvswitch = add(DeviceKind::nvswitch, "nvsw0");
    tell_switch(nvswitch, generation);
    for (const DeviceId gpu : gpus)
      join(gpu, nvswitch, LinkKind::nvlink, nvlink_figure(generation, links, true));
    assume(each + std::to_string(links) + " from each GPU to one NVSwitch");
  }
}

void Machine::assume(const std::string& sentence) {
  auto& told = topology_.assumed;
  if (std::find(told.begin(), told.end(), sentence) == told.end()) told.push_back(sentence);
}

Result<Topology> Machine::finish(std::span<const DeviceId> gpus, const ImportOptions& options) && {
  if (gpus.empty()) return bad_request(topology_.name + ": no GPU in it");
  topology_.ranks.assign(gpus.begin(), gpus.end());
  topology_.peer_to_peer = options.peer_to_peer;
  for (const Device& device : topology_.devices)
    topology_.nodes = std::max(topology_.nodes, device.node + 1);
  RS_TRY(check(topology_));
  RS_TRY(check_joined(topology_));
  return std::move(topology_);
}

Result<void> check(const ImportOptions& options) {
  if (options.nvlink <= nvlink_generations) return {};
  return bad_request("there is no NVLink generation " + std::to_string(options.nvlink) +
                     ": 1 (P100), 2 (V100), 3 (A100), 4 (H100), 5 (B200) or 6 (Rubin)");
}

}  // namespace ringside::sim
