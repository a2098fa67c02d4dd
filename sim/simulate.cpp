#include "sim/simulate.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <unordered_map>

#include "core/message.hpp"
#include "core/suggest.hpp"
#include "sim/models/model.hpp"

namespace ringside::sim {
namespace {

using models::Connection;
using models::Load;
using models::Wiring;

constexpr std::array<std::string_view, 2> model_names{"stream", "flow"};
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
  wiring.connection_of.reserve(wiring.schedule->transfers().size());
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

models::Traffic traffic_of(const Wiring& wiring, const Load& load) {
  models::Traffic traffic{*wiring.topology, wiring.wires, {}};
  for (const Connection& c : wiring.connections)
    traffic.connections.push_back({wiring.route(c), c.latency});
  for (std::size_t id = 0; id < load.bytes.size(); ++id) {
    auto& carried = traffic.connections[wiring.connection_of[id]];
    ++carried.messages;
    carried.bytes += load.bytes[id].count;
  }
  return traffic;
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
  RS_TRY(models::check_places(topology, {schedule.spec(), schedule.agents()}));
  auto wiring = std::make_unique<Wiring>();
  wiring->schedule = &schedule;
  wiring->topology = &topology;
  RS_ASSIGN(wiring->wires, models::wires_of(topology));
  RS_TRY(find_routes(*wiring, router));
  return Simulator(std::move(wiring));
}

Result<Load> Simulator::load(const Payload& payload, const Disturbance& disturbance) const {
  const Schedule& schedule = *wiring_->schedule;
  RS_TRY(models::check_run({schedule.spec(), schedule.agents()}, payload, disturbance));
  const ChunkLayout layout(schedule.spec(), schedule.chunks(), payload.count);
  RS_TRY(check_lengths(schedule, layout));

  Load load;
  load.start = disturbance.start;
  load.start.resize(schedule.participants());
  const auto element = size_of(payload.type);
  load.bytes.reserve(schedule.transfers().size());
  load.work.reserve(schedule.transfers().size());
  for (const Transfer& t : schedule.transfers()) {
    const auto id = static_cast<std::uint32_t>(load.bytes.size());
    const auto bytes = message_elements(t, layout) * element;
    load.bytes.push_back(bytes);
    load.work.push_back(models::work_of(bytes, disturbance, id));
  }
  RS_TRY(check_clock(traffic_of(*wiring_, load), disturbance));
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
  simulation.links = use_of(traffic_of(*wiring_, load));
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
