#include "sim/networks.hpp"

#include <array>
#include <string>
#include <vector>

#include "core/suggest.hpp"

namespace ringside::sim {
namespace {

// Bandwidth: 96 % of the wire. NCCL takes 12 GB/s for a 100 Gb/s NIC (src/graph/topo.h), and NDR is
// quoted at 46-48 of its 50 GB/s a NIC (NVIDIA/nccl-tests#290).
// Latency, InfiniBand: adapters 0.5 us EDR, 0.6 us HDR (IBTA's figures), the later ones taken as
// HDR; a switch about 0.13 us. Same rail that makes 1.33 us plus PCIe at both ends; verbs between
// host memories measure 1.7-2.0 us on NDR.
// RoCE: vendors state 0.3-0.8 us a NIC and 0.4-0.6 us a switch; the middle of each.
// EFA: 4 x 100 Gb/s a GPU on p5 count as one NIC; message latency about 15 us is general knowledge.
// Slingshot-11: 22.9 of 25 GB/s measured through NCCL; latencies as RoCE's, not sourced.
// TCP: 8.1 GB/s all-reduce between two L40S over sockets (a published nccl-tests run); for the
// slower ones 94 % of the wire. 15 us a kernel's socket stack: general knowledge.
constexpr Bandwidth megabytes(std::uint64_t n) {
  return {n * 1'000'000};
}
constexpr Bandwidth gigabits(std::uint64_t n) {
  return {n * 125'000'000};
}
constexpr std::array<Network, 12> all{{
    {"edr", "InfiniBand 100 Gb/s", LinkKind::ib, gigabits(100), 12_GBps, 500_ns, 130_ns},
    {"hdr", "InfiniBand 200 Gb/s", LinkKind::ib, gigabits(200), 24_GBps, 600_ns, 130_ns},
    {"ndr", "InfiniBand 400 Gb/s", LinkKind::ib, gigabits(400), 48_GBps, 600_ns, 130_ns},
    {"xdr", "InfiniBand 800 Gb/s", LinkKind::ib, gigabits(800), 96_GBps, 600_ns, 130_ns},
    {"roce100", "RoCE 100 Gb/s", LinkKind::roce, gigabits(100), 12_GBps, 550_ns, 500_ns},
    {"roce200", "RoCE 200 Gb/s", LinkKind::roce, gigabits(200), 24_GBps, 550_ns, 500_ns},
    {"roce400", "RoCE 400 Gb/s", LinkKind::roce, gigabits(400), 48_GBps, 550_ns, 500_ns},
    {"tcp10", "TCP sockets, 10 Gb/s", LinkKind::ethernet, gigabits(10), megabytes(1'175), 15_us,
     500_ns},
    {"tcp25", "TCP sockets, 25 Gb/s", LinkKind::ethernet, gigabits(25), megabytes(2'940), 15_us,
     500_ns},
    {"tcp", "TCP sockets, 100 Gb/s", LinkKind::ethernet, gigabits(100), megabytes(8'100), 15_us,
     500_ns},
    {"slingshot", "Slingshot-11 200 Gb/s", LinkKind::ethernet, gigabits(200), megabytes(22'900),
     550_ns, 500_ns},
    {"efa", "EFA, 400 Gb/s a GPU", LinkKind::ethernet, gigabits(400), 48_GBps, 7_us, 500_ns},
}};

/// The letters a name starts with: what the networks of one kind share.
std::string_view family(std::string_view text) {
  return text.substr(0, text.find_first_of("0123456789"));
}

}  // namespace

std::span<const Network> networks() {
  return all;
}

Result<const Network*> find_network(std::string_view text) {
  std::vector<std::string_view> names;
  std::string relatives;
  for (const auto& network : all) {
    if (network.name == text) return &network;
    names.push_back(network.name);
    if (family(network.name) == family(text))
      relatives += (relatives.empty() ? "" : ", ") + std::string(network.name) + " (" +
                   std::string(network.summary) + ")";
  }
  // A rate that is missing is not a slip of the pen: the nearest spelling may be far off in speed.
  if (!relatives.empty())
    return bad_request("there is no network " + in_quotes(text) + "; there is " + relatives);
  return bad_request(unknown("network", text, names));
}

}  // namespace ringside::sim
