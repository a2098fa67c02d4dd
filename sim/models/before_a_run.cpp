// What is asked before a run, and counted after it, whether a story was stored or is told.

#include <algorithm>
#include <string>

#include "core/mix.hpp"
#include "core/suggest.hpp"
#include "sim/models/model.hpp"

namespace ringside::sim::models {
namespace {

constexpr double most_jitter = 64;
}  // namespace

Result<std::vector<Wire>> wires_of(const Topology& topology) {
  std::vector<Wire> wires;
  wires.reserve(topology.links.size() + topology.devices.size());
  for (const Link& link : topology.links) wires.push_back({link.bandwidth, link.latency});
  for (const Device& device : topology.devices) wires.push_back({device.memory, Duration{}});
  for (const Wire& wire : wires)
    if (wire.bandwidth > most_bandwidth)
      return bad_request(topology.name + " has a wire of " + to_string(wire.bandwidth) +
                         "; at most 72 PB/s can be simulated");
  return wires;
}

Result<void> check_places(const Topology& topology, const Cast& cast) {
  if (topology.ranks.size() >= cast.participants()) return {};
  return bad_request(
      topology.name + " has places for " + counted(topology.ranks.size(), "rank") + ", but " +
      std::to_string(cast.participants()) + " take part" +
      (cast.agents > 0 ? " (" + std::to_string(cast.agents) + " of them in switches)" : ""));
}

Result<void> check_run(const Cast& cast, const Payload& payload, const Disturbance& disturbance) {
  if (!(disturbance.jitter >= 0 && disturbance.jitter <= most_jitter))
    return bad_request("jitter must lie between 0% and 6400%");
  if (disturbance.start.size() > cast.participants())
    return bad_request("start times name " + counted(disturbance.start.size(), "rank") +
                       ", but only " + std::to_string(cast.participants()) + " take part");
  for (const Duration start : disturbance.start)
    if (start < Duration{} || start > longest_run)
      return bad_request("a rank can start late, from 0 to 53 days, never early");
  const auto total = size_of(cast.spec, 1, payload.type).count;
  if (payload.count > (std::uint64_t{1} << 56) / total)
    return bad_request("a count of " + std::to_string(payload.count) +
                       " is more than 2^56 bytes a rank");
  return {};
}

Work work_of(Bytes bytes, const Disturbance& disturbance, std::uint64_t id) {
  const Work work = Work{bytes.count} * 1'000'000'000'000u << rate_bits;
  if (disturbance.jitter == 0) return work;
  const auto most = static_cast<std::uint64_t>(disturbance.jitter * 4294967296.0);
  const auto draw = mix(disturbance.jitter_seed, id) >> 32;
  const auto u = static_cast<std::uint64_t>(Work{most} * draw >> 32);
  return work + (work >> 32) * u + ((work & UINT32_MAX) * u >> 32);
}

Result<void> check_clock(const Traffic& traffic, const Disturbance& disturbance) {
  double total = 0;
  for (const Duration start : disturbance.start)
    total = std::max(total, static_cast<double>(start.picoseconds));
  for (const Carried& c : traffic.connections) {
    double per_byte = 0;
    for (const auto w : c.route)
      per_byte += 1e12 * (1 + disturbance.jitter) /
                  static_cast<double>(traffic.wires[w].bandwidth.bytes_per_second);
    total += static_cast<double>(c.bytes) * per_byte +
             static_cast<double>(c.messages) * static_cast<double>(c.latency.picoseconds);
  }
  if (total < static_cast<double>(longest_run.picoseconds)) return {};
  return longer_than_the_clock(traffic.topology);
}

Result<void> longer_than_the_clock(const Topology& topology) {
  return bad_request("this run could take more than 53 days on " + topology.name +
                     ", longer than the simulator's clock; choose fewer bytes or faster links");
}

std::vector<LinkUse> use_of(const Traffic& traffic) {
  std::vector<LinkUse> use(traffic.topology.links.size());
  for (const Carried& c : traffic.connections)
    for (const auto w : c.route)
      if (w < use.size()) use[w].bytes += Bytes{static_cast<std::uint64_t>(c.bytes)};
  for (std::size_t l = 0; l < use.size(); ++l)
    use[l].busy = wire_time(use[l].bytes, traffic.topology.links[l].bandwidth);
  return use;
}

}  // namespace ringside::sim::models
