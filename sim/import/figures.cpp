// Figures for links that an input names without figures, the same that sim/systems/ gives machines
// of those parts: bandwidths that are reached, most of them those of NCCL's performance model
// (src/graph/topo.h, topo.cc); latencies as measured between GPUs, shared out over the links.

#include "sim/import/figures.hpp"

#include <array>
#include <charconv>

#include "core/assert.hpp"

namespace ringside::sim {
namespace {

constexpr Bandwidth megabytes(std::uint64_t n) {
  return {n * 1'000'000};
}

constexpr Duration nvlink_latency = nanoseconds(300);
constexpr Duration nvswitch_latency = nanoseconds(200);  // half of the way through it
constexpr Duration xgmi_latency = nanoseconds(400);      // taken as NVLink through a switch
constexpr Duration c2c_latency = nanoseconds(300);
constexpr Duration socket_latency = nanoseconds(100);
constexpr Duration host_bridge_latency = nanoseconds(50);
constexpr Duration memory_latency = nanoseconds(100);

std::string_view without_gfx(std::string_view gcn) {
  return gcn.starts_with("gfx") ? gcn.substr(3) : gcn;
}

}  // namespace

Bandwidth pcie_bandwidth(std::uint32_t generation, std::uint32_t lanes) {
  RS_ASSERT(generation >= 1 && generation <= 6 && lanes >= 1, "a PCIe link that exists");
  // NCCL: lanes x v / 80 GB/s with v = 15, 30, 60, ... by generation.
  const std::uint64_t v = std::uint64_t{15} << (generation - 1);
  return {lanes * v * 1'000'000'000 / 80};
}

Duration pcie_latency(PcieWay way) {
  switch (way) {
    case PcieWay::device_to_cpu:
      return nanoseconds(200);  // half of 0.36 to 0.45 us
    case PcieWay::device_to_switch:
      return nanoseconds(250);  // half of 0.44 to 0.52 us
    case PcieWay::switch_upwards:
      return nanoseconds(100);
  }
  return {};
}

PcieGeneration pcie_generation(std::string_view link_speed) {
  double rate = 0;
  const char* end = link_speed.data() + link_speed.size();
  if (std::from_chars(link_speed.data(), end, rate).ec != std::errc{}) return {};
  constexpr std::array<double, 6> rates{2.5, 5, 8, 16, 32, 64};
  for (std::uint32_t i = 0; i < rates.size(); ++i)
    if (rate == rates[i]) return {i + 1, true};
  return {};
}

LinkFigure nvlink_figure(std::uint32_t generation, std::uint32_t links, bool to_switch) {
  RS_ASSERT(generation >= 1 && generation <= nvlink_ga102 && links >= 1, "an NVLink that exists");
  // Of one link: P100, V100, A100, H100, B200, Rubin (announced as no faster a link), GA102.
  constexpr std::array<std::uint64_t, 7> megabytes_per_second{18'000, 20'000, 20'000, 20'600,
                                                              40'100, 40'100, 12'000};
  return {megabytes(links * megabytes_per_second[generation - 1]),
          to_switch ? nvswitch_latency : nvlink_latency};
}

Bandwidth memory_beside_nvlink(std::uint32_t nvlink_generation) {
  constexpr std::array<std::uint64_t, 7> gigabytes{270, 338, 750, 1256, 3000, 8250, 351};
  return megabytes(1000 * gigabytes[nvlink_generation - 1]);
}

std::uint32_t nvlinks_of_gpu(std::uint32_t generation) {
  RS_ASSERT(generation >= 1 && generation <= nvlink_generations, "an NVLink generation");
  constexpr std::array<std::uint32_t, 6> links{4, 6, 12, 18, 18, 36};
  return links[generation - 1];
}

std::optional<std::uint32_t> nvlink_generation_of_sm(std::uint32_t sm) {
  if (sm == 86) return nvlink_ga102;
  if (sm >= 60 && sm < 70) return 1;
  if (sm >= 70 && sm < 80) return 2;
  if (sm >= 80 && sm < 89) return 3;
  if (sm >= 90 && sm < 100) return 4;
  if (sm >= 100 && sm < 120) return 5;
  return std::nullopt;
}

std::uint32_t pcie_generation_beside_nvlink(std::uint32_t nvlink_generation) {
  constexpr std::array<std::uint32_t, 7> beside{3, 3, 4, 5, 5, 6, 4};
  return beside[nvlink_generation - 1];
}

LinkFigure xgmi_figure(std::string_view gcn, std::uint32_t links) {
  gcn = without_gfx(gcn);
  std::uint64_t one = 36'000;                // MI50, MI60, MI100: 46 raw
  if (gcn.starts_with("90a")) one = 40'000;  // MI210, MI250: 50 raw
  if (gcn.starts_with("94")) one = 48'000;   // MI300A, MI300X, MI325X: 64 raw
  if (gcn.starts_with("95")) one = 58'000;   // MI350X, MI355X: 77 raw, the same share
  return {megabytes(links * one), xgmi_latency};
}

Bandwidth memory_of_gcn(std::string_view gcn) {
  gcn = without_gfx(gcn);
  if (gcn.starts_with("906")) return megabytes(384'000);
  if (gcn.starts_with("908")) return megabytes(460'000);
  if (gcn.starts_with("90a")) return megabytes(600'000);
  if (gcn.starts_with("94")) return megabytes(1'987'000);
  if (gcn.starts_with("95")) return megabytes(3'000'000);
  return {};
}

SocketFigure socket_figure(const CpuModel& cpu) {
  const auto of = [](std::uint64_t gigabytes, std::string_view known_as) {
    return SocketFigure{{megabytes(gigabytes * 1000), socket_latency}, known_as};
  };
  if (cpu.arch == "ppc64" || cpu.arch == "ppc64le") return of(32, "POWER9");
  if (cpu.arch == "arm64" || cpu.arch == "aarch64") return of(6, "ARM");
  if (cpu.vendor == "AuthenticAMD") return of(16, "AMD");
  if (cpu.vendor == "GenuineIntel") {
    if (cpu.family == 6 && cpu.model >= 0xCF) return of(40, "Intel Emerald Rapids");
    if (cpu.family == 6 && cpu.model >= 0x8F) return of(22, "Intel Sapphire Rapids");
    if (cpu.family == 6 && cpu.model >= 0x55) return of(10, "Intel Skylake");
    return of(6, "Intel Broadwell");
  }
  if (cpu.vendor.find("Shanghai") != cpu.vendor.npos || cpu.vendor == "CentaurHauls")
    return of(6, "Zhaoxin");
  return of(10, "");
}

SocketFigure socket_figure_beside_pcie(std::uint32_t pcie_generation) {
  if (pcie_generation <= 3) return socket_figure({"x86_64", "GenuineIntel", 6, 0x55});
  if (pcie_generation == 4) return socket_figure({"x86_64", "AuthenticAMD", 0, 0});
  return socket_figure({"x86_64", "GenuineIntel", 6, 0x8F});
}

LinkFigure host_bridge_figure(std::uint32_t pcie_generation, std::size_t ports) {
  return {{ports * pcie_bandwidth(pcie_generation, 16).bytes_per_second}, host_bridge_latency};
}

LinkFigure memory_figure(std::uint32_t pcie_generation) {
  // Channels of DDR4-2400, DDR4-3200 and DDR5-4800, of which 80 % is attained.
  if (pcie_generation <= 3) return {megabytes(61'000), memory_latency};
  if (pcie_generation == 4) return {megabytes(163'000), memory_latency};
  return {megabytes(245'000), memory_latency};
}

LinkFigure c2c_figure() {
  return {megabytes(450'000), c2c_latency};
}

}  // namespace ringside::sim
