#include "sim/protocol.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <string>
#include <vector>

#include "core/suggest.hpp"
#include "sim/tuner/figures.hpp"

namespace ringside::sim {
namespace {

constexpr std::array<std::string_view, protocol_count> protocol_names{"Simple", "LL", "LL128"};
constexpr std::array<std::string_view, wire_count> wire_names{"nvlink", "xgmi", "pcie", "host",
                                                              "network"};

std::string lower(std::string_view text) {
  std::string small(text);
  std::transform(small.begin(), small.end(), small.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return small;
}

Result<const GenerationFigures*> find_generation(std::string_view name) {
  const Figures& figures = built_in_figures();
  if (const auto* found = figures.generation(name)) return found;
  std::vector<std::string_view> names;
  for (const auto& generation : figures.generations) names.push_back(generation.name);
  return bad_request(unknown("GPU generation", name, names));
}

Duration duration(double microseconds) {
  return {std::llround(microseconds * 1e6)};
}

}  // namespace

std::string_view name(Protocol protocol) {
  return protocol_names[static_cast<std::size_t>(protocol)];
}

std::string_view name(Wire wire) {
  return wire_names[static_cast<std::size_t>(wire)];
}

Result<Protocol> parse_protocol(std::string_view text) {
  for (std::size_t i = 0; i < protocol_count; ++i)
    if (lower(protocol_names[i]) == lower(text)) return static_cast<Protocol>(i);
  return bad_request(unknown("protocol", text, protocol_names));
}

// NCCL: 8 slots (NCCL_STEPS). Simple: 4 MiB; LL: 8 lines x 512 threads x 8 slots x 16 B; LL128: 120
// elements x 640 threads x 8 slots x 8 B. An MSCCL slice is one slot of LL and LL128, and four of
// Simple (src/include/devcomm.h, device/msccl_interpreter.h).
Fifo fifo(Protocol protocol) {
  switch (protocol) {
    case Protocol::simple:
      return {8, 512_KiB, 512_KiB, 2_MiB};
    case Protocol::ll:
      return {8, 64_KiB, 32_KiB, 32_KiB};
    case Protocol::ll128:
      break;
  }
  return {8, {614'400}, {576'000}, {576'000}};
}

double payload_share(Protocol protocol) {
  constexpr std::array<double, protocol_count> shares{1.0, 0.5, 15.0 / 16};
  return shares[static_cast<std::size_t>(protocol)];
}

Duration protocol_time(Bytes size, Bandwidth bandwidth, Protocol protocol) {
  // Flags come in whole lines: 4 bytes for 4, 8 for 120.
  const std::uint64_t lines = (size.count + 119) / 120;
  switch (protocol) {
    case Protocol::simple:
      return wire_time(size, bandwidth);
    case Protocol::ll:
      return wire_time(2 * size, bandwidth);
    case Protocol::ll128:
      break;
  }
  return wire_time({size.count + 8 * lines}, bandwidth);
}

Result<Duration> hop_latency(Wire wire, Protocol protocol, std::string_view generation) {
  RS_ASSIGN(const auto* gpu, find_generation(generation));
  const Figures& figures = built_in_figures();
  const auto p = static_cast<std::size_t>(protocol);
  if (wire == Wire::network) return duration(figures.network("ib")->hop[p]);
  return duration(figures.wires[static_cast<std::size_t>(wire)].hop[p] * gpu->hop);
}

Result<Bandwidth> channel_bandwidth(Protocol protocol, std::string_view generation) {
  RS_ASSIGN(const auto* figures, find_generation(generation));
  return Bandwidth{
      static_cast<std::uint64_t>(std::llround(figures->copy * 1e9 * payload_share(protocol)))};
}

Result<Duration> launch_latency(std::string_view generation) {
  RS_ASSIGN(const auto* figures, find_generation(generation));
  return duration(figures->launch * built_in_figures().common.launch);
}

}  // namespace ringside::sim
