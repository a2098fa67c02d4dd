#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "core/units.hpp"

namespace ringside::sim {

/// What one link carries, one direction, where an input names the link but not its figures.
struct LinkFigure {
  Bandwidth bandwidth;
  Duration latency;
};

/// `lanes` lanes of PCIe 1 to 6: what NCCL reckons with, 0.75 GB/s a lane at generation 3.
Bandwidth pcie_bandwidth(std::uint32_t generation, std::uint32_t lanes);
/// Latency of a PCIe link, by what it joins.
enum class PcieWay : std::uint8_t { device_to_cpu, device_to_switch, switch_upwards };
Duration pcie_latency(PcieWay way);
/// The generation of a rate in GT/s, as NCCL: what is not in its table counts as generation 3.
struct PcieGeneration {
  std::uint32_t generation = 3;
  bool known = false;
};
PcieGeneration pcie_generation(std::string_view link_speed);

/// `links` NVLinks of generation 1 to 6 between two GPUs, or between a GPU and a switch. 7 stands
/// for the slower NVLink 3 of GA102 bridges (RTX 3090, RTX A6000).
LinkFigure nvlink_figure(std::uint32_t generation, std::uint32_t links, bool to_switch = false);
inline constexpr std::uint32_t nvlink_generations = 6;
inline constexpr std::uint32_t nvlink_ga102 = 7;
/// NVLinks of one GPU on a full board of that generation.
std::uint32_t nvlinks_of_gpu(std::uint32_t generation);
/// From the compute capability as NCCL writes it (sm="90"); nothing where it has no NVLink we know.
std::optional<std::uint32_t> nvlink_generation_of_sm(std::uint32_t sm);
/// The PCIe generation of the GPUs that carry this NVLink generation.
std::uint32_t pcie_generation_beside_nvlink(std::uint32_t nvlink_generation);

/// What local copies and reductions run at on the GPUs that carry it: 3/8 of their memory's peak.
Bandwidth memory_beside_nvlink(std::uint32_t nvlink_generation);

/// `links` AMD Infinity Fabric links of a GPU named as RCCL does: `gfx942`, `908`.
LinkFigure xgmi_figure(std::string_view gcn, std::uint32_t links);
Bandwidth memory_of_gcn(std::string_view gcn);  ///< as memory_beside_nvlink; 0 if not known

/// CPU to CPU, as NCCL reckons by vendor and model.
struct CpuModel {
  std::string_view arch, vendor;
  std::uint32_t family = 0, model = 0;
};
struct SocketFigure {
  LinkFigure link;
  std::string_view known_as;  ///< `Intel Skylake`, ...; empty: not known, a Skylake's figure taken
};
SocketFigure socket_figure(const CpuModel& cpu);
/// CPU to CPU where only the PCIe generation hints at the machine's age.
SocketFigure socket_figure_beside_pcie(std::uint32_t pcie_generation);

/// A host bridge's way to the rest of its CPU: as wide as all its ports, so only latency counts.
LinkFigure host_bridge_figure(std::uint32_t pcie_generation, std::size_t ports);
/// A CPU to its memory, by the PCIe generation of its age.
LinkFigure memory_figure(std::uint32_t pcie_generation);
LinkFigure c2c_figure();  ///< Grace CPU to Hopper or Blackwell GPU

}  // namespace ringside::sim
