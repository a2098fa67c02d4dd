#pragma once

#include <cstdint>
#include <string_view>

#include "core/result.hpp"
#include "core/units.hpp"

namespace ringside::sim {

/// How NCCL and RCCL move bytes between two ranks. Simple: plain data, then a flag behind a fence.
/// LL: 4 bytes of data and 4 of flag in one store. LL128: 120 bytes of data and 8 of flag.
enum class Protocol : std::uint8_t { simple, ll, ll128 };
inline constexpr std::size_t protocol_count = 3;

std::string_view name(Protocol protocol);  ///< `Simple` `LL` `LL128`
/// Any case; a suggestion where there is no such protocol.
Result<Protocol> parse_protocol(std::string_view text);

/// What joins two ranks: the costs of a hop hang on it.
enum class Wire : std::uint8_t {
  nvlink,  ///< NVLink, through a switch or direct
  xgmi,    ///< AMD's Infinity Fabric between GPUs
  pcie,    ///< PCIe, peer to peer
  host,    ///< PCIe without peer access: staged through the host's memory
  network  ///< NICs and switches; which network: Platform::network
};
inline constexpr std::size_t wire_count = 5;
std::string_view name(Wire wire);  ///< `nvlink` `xgmi` `pcie` `host` `network`

/// The FIFO of one connection. The same on every wire and GPU.
struct Fifo {
  std::uint32_t slots;  ///< in flight at once: 8 messages of a slot
  Bytes slot;           ///< of buffer, flags included
  Bytes payload;        ///< of data in a full slot
  Bytes slice;          ///< data that one step of an MSCCL program moves a loop iteration
};
Fifo fifo(Protocol protocol);

/// Data bytes over bytes on the wire: 1, 1/2, 15/16.
double payload_share(Protocol protocol);
/// Time that `size` of data occupies a wire of `bandwidth` under `protocol`, flags included; whole
/// picoseconds, rounded up.
Duration protocol_time(Bytes size, Bandwidth bandwidth, Protocol protocol);

/// From a sender's first store until the receiver may forward what arrived: its flag seen, under
/// LL and LL128; a whole slice fenced and signalled, under Simple. On `wire` between GPUs of
/// `generation` (hopper, cdna3, ...: sim/tuner.hpp). Of `network`, an ordinary InfiniBand's.
/// Error: unknown generation.
Result<Duration> hop_latency(Wire wire, Protocol protocol, std::string_view generation);
/// What one channel (one thread block each end) can move, of data: the rate of one block's copies,
/// whatever the wire. Error: unknown generation.
Result<Bandwidth> channel_bandwidth(Protocol protocol, std::string_view generation);
/// From the host's call until the first byte can move, with one process a GPU.
Result<Duration> launch_latency(std::string_view generation);

}  // namespace ringside::sim
