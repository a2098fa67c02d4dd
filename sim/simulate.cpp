#include "sim/simulate.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <unordered_map>

#include "core/message.hpp"
#include "core/mix.hpp"
#include "core/suggest.hpp"
#include "sim/models/model.hpp"

namespace ringside::sim {
namespace {

using models::Connection;
using models::Load;
using models::Wiring;
using models::Work;

constexpr std::array<std::string_view, 2> model_names{"stream", "flow"};
constexpr double most_jitter = 64;
constexpr Duration longest_run{INT64_MAX / 2};

/// `work` times 1 + u, u in [0, jitter] in steps of 2^-32, from the seed and the id alone.
Work jittered(Work work, const Disturbance& disturbance, std::uint32_t id) {
  if (disturbance.jitter == 0) return work;
  const auto most = static_cast<std::uint64_t>(disturbance.jitter * 4294967296.0);
  const auto draw = mix(disturbance.jitter_seed, id) >> 32;
  const auto u = static_cast<std::uint64_t>(Work{most} * draw >> 32);
  return work + (work >> 32) * u + ((work & UINT32_MAX) * u >> 32);
}

Result<std::vector<models::Wire>> wires_of(const Topology& topology) {
  std::vector<models::Wire> wires;
  for (const Link& link : topology.links) wires.push_back({link.bandwidth, link.latency});
  for (const Device& device : topology.devices) wires.push_back({device.memory, Duration{}});
  for (const models::Wire& wire : wires)
    if (wire.bandwidth > models::most_bandwidth)
      return bad_request(topology.name + " has a wire of " + to_string(wire.bandwidth) +
                         "; at most 72 PB/s can be simulated");
  return wires;
}

Result<void> add_connection(Wiring& wiring, const Transfer& t, Router& router) {
  Connection c{.from = t.src().rank,
               .to = t.dst().rank,
               .first_hop = static_cast<std::uint32_t>(wiring.hops.size()),
               .hop_count = 0,
               .latency = {},
               .ordered = !t.is_local()};
  RS_ASSIGN(const auto route, router.route(c.from, c.to, t.channel()));
  const Topology& topology = *wiring.topology;
  for (const LinkId id : route) {
    wiring.hops.push_back(id.value);
    c.latency = in_a_row(c.latency, topology[id].latency);  // check_length() refuses `forever`
  }
  const auto device = topology.ranks[c.from.value];
  if (route.empty() && topology[device].memory.bytes_per_second > 0)
    wiring.hops.push_back(static_cast<std::uint32_t>(topology.links.size()) + device.value);
  c.hop_count = static_cast<std::uint32_t>(wiring.hops.size()) - c.first_hop;
  wiring.connections.push_back(c);
  return {};
}

Result<void> find_routes(Wiring& wiring, Router& router) {
  std::unordered_map<std::uint64_t, std::uint32_t> known;  // looked up, never iterated
  for (const Transfer& t : wiring.schedule->transfers()) {
    const auto key = std::uint64_t{t.channel().value} << 40 |
                     std::uint64_t{t.src().rank.value} << 20 | t.dst().rank.value;
    const auto next = static_cast<std::uint32_t>(wiring.connections.size());
    const auto [at, is_new] = known.try_emplace(key, next);
    if (is_new) RS_TRY(add_connection(wiring, t, router));
    wiring.connection_of.push_back(at->second);
  }
  return {};
}

/// Refuses runs whose picoseconds might not fit: even one transfer after the other must.
Result<void> check_length(const Wiring& wiring, const Load& load, double jitter) {
  std::vector<double> per_byte;
  for (const Connection& c : wiring.connections) {
    double sum = 0;
    for (const auto w : wiring.route(c))
      sum += 1e12 * (1 + jitter) / static_cast<double>(wiring.wires[w].bandwidth.bytes_per_second);
    per_byte.push_back(sum);
  }
  double total = 0;
  for (const Duration start : load.start)
    total = std::max(total, static_cast<double>(start.picoseconds));
  for (std::size_t id = 0; id < load.bytes.size(); ++id) {
    const auto c = wiring.connection_of[id];
    total += static_cast<double>(load.bytes[id].count) * per_byte[c] +
             static_cast<double>(wiring.connections[c].latency.picoseconds);
  }
  if (total < static_cast<double>(longest_run.picoseconds)) return {};
  return bad_request("this run could take more than 53 days on " + wiring.topology->name +
                     ", longer than the simulator's clock; choose fewer bytes or faster links");
}

std::vector<LinkUse> use_of(const Wiring& wiring, const Load& load) {
  const Topology& topology = *wiring.topology;
  std::vector<std::uint64_t> sent(wiring.connections.size());
  for (std::size_t id = 0; id < load.bytes.size(); ++id)
    sent[wiring.connection_of[id]] += load.bytes[id].count;
  std::vector<LinkUse> use(topology.links.size());
  for (std::size_t c = 0; c < sent.size(); ++c)
    for (const auto w : wiring.route(wiring.connections[c]))
      if (w < use.size()) use[w].bytes += Bytes{sent[c]};
  for (std::size_t l = 0; l < use.size(); ++l)
    use[l].busy = wire_time(use[l].bytes, topology.links[l].bandwidth);
  return use;
}

}  // namespace

std::string_view name(NetworkModel model) {
  return model_names[static_cast<std::size_t>(model)];
}

Result<NetworkModel> parse_network_model(std::string_view text) {
  for (std::size_t i = 0; i < model_names.size(); ++i)
    if (text == model_names[i]) return static_cast<NetworkModel>(i);
  return bad_request(unknown("network model", text, model_names));
}

Simulator::Simulator(std::unique_ptr<const Wiring> wiring) : wiring_(std::move(wiring)) {}
Simulator::~Simulator() = default;
Simulator::Simulator(Simulator&&) noexcept = default;

Result<Simulator> Simulator::prepare(const Schedule& schedule, const Topology& topology) {
  RS_TRY(check(topology));
  Router router(topology);
  return prepare(schedule, topology, router);
}

Result<Simulator> Simulator::prepare(const Schedule& schedule, const Topology& topology,
                                     Router& router) {
  if (topology.ranks.size() < schedule.participants())
    return bad_request(topology.name + " has places for " + counted(topology.ranks.size(), "rank") +
                       ", but " + std::to_string(schedule.participants()) + " take part" +
                       (schedule.agents() > 0
                            ? " (" + std::to_string(schedule.agents()) + " of them in switches)"
                            : ""));
  auto wiring = std::make_unique<Wiring>();
  wiring->schedule = &schedule;
  wiring->topology = &topology;
  RS_ASSIGN(wiring->wires, wires_of(topology));
  RS_TRY(find_routes(*wiring, router));
  return Simulator(std::move(wiring));
}

Result<Load> Simulator::load(const Payload& payload, const Disturbance& disturbance) const {
  const Schedule& schedule = *wiring_->schedule;
  const auto participants = schedule.participants();
  if (!(disturbance.jitter >= 0 && disturbance.jitter <= most_jitter))
    return bad_request("jitter must lie between 0% and 6400%");
  if (disturbance.start.size() > participants)
    return bad_request("start times name " + counted(disturbance.start.size(), "rank") +
                       ", but only " + std::to_string(participants) + " take part");
  for (const Duration start : disturbance.start)
    if (start < Duration{} || start > longest_run)
      return bad_request("a rank can start late, from 0 to 53 days, never early");
  const auto total = size_of(schedule.spec(), 1, payload.type).count;
  if (payload.count > (std::uint64_t{1} << 56) / total)
    return bad_request("a count of " + std::to_string(payload.count) +
                       " is more than 2^56 bytes a rank");
  const ChunkLayout layout(schedule.spec(), schedule.chunks(), payload.count);
  RS_TRY(check_lengths(schedule, layout));

  Load load;
  load.start = disturbance.start;
  load.start.resize(participants);
  const auto element = size_of(payload.type);
  for (const Transfer& t : schedule.transfers()) {
    const auto id = static_cast<std::uint32_t>(load.bytes.size());
    const auto bytes = message_elements(t, layout) * element;
    load.bytes.push_back(bytes);
    load.work.push_back(
        jittered(Work{bytes.count} * 1'000'000'000'000u << models::rate_bits, disturbance, id));
  }
  RS_TRY(check_length(*wiring_, load, disturbance.jitter));
  return load;
}

Result<Simulation> Simulator::run(const Load& load, NetworkModel model,
                                  models::Recording* recording) const {
  Simulation simulation;
  simulation.spans.resize(load.bytes.size());
  if (model == NetworkModel::stream)
    run_stream(*wiring_, load, simulation.spans, recording);
  else if (!run_flow(*wiring_, load, simulation.spans, recording))
    return bad_request(
        "too many transfers share wires at once to follow each with model flow; "
        "model stream is fast");
  for (const Span& span : simulation.spans)
    simulation.time = std::max(simulation.time, span.commit);
  simulation.links = use_of(*wiring_, load);
  return simulation;
}

Result<Simulation> Simulator::run(const Payload& payload, NetworkModel model,
                                  const Disturbance& disturbance, const Patience& patience) const {
  RS_ASSIGN(auto loaded, load(payload, disturbance));
  loaded.patience = patience;
  return run(loaded, model, nullptr);
}

Patience up_to(std::uint64_t most_effort) {
  return [most_effort](std::uint64_t effort) { return effort <= most_effort; };
}

Result<Simulation> simulate(const Schedule& schedule, const Payload& payload,
                            const Topology& topology, NetworkModel model,
                            const Disturbance& disturbance) {
  RS_ASSIGN(const auto simulator, Simulator::prepare(schedule, topology));
  return simulator.run(payload, model, disturbance);
}

Busiest busiest(const Simulation& simulation) {
  Busiest result;
  Duration most{};
  for (const LinkUse& use : simulation.links) most = std::max(most, use.busy);
  if (most == Duration{}) return result;
  for (std::uint32_t id = 0; id < simulation.links.size(); ++id)
    if (simulation.links[id].busy == most) result.links.push_back({id});
  result.share =
      static_cast<double>(most.picoseconds) / static_cast<double>(simulation.time.picoseconds);
  return result;
}

}  // namespace ringside::sim
