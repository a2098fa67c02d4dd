#include "viz/terminal/measured_machine.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/suggest.hpp"
#include "sim/router.hpp"

namespace ringside::terminal {

namespace {

/// What a port joins.
struct Ends {
  DeviceId rank, into, out_of;
};

/// A link out and a link in; where both ways share what the port carries, they share a link.
void add_port(sim::Topology& t, const calibrate::Ports::Port& port, const Ends& ends) {
  const auto& [out, in, duplex, latency] = port;
  auto [from, to] = std::pair(ends.rank, ends.rank);
  if (duplex.bytes_per_second > 0) {
    const auto add = [&](const char* name) {
      return t.add({.name = fmt::format("{}_{}", t[ends.rank].name, name),
                    .kind = sim::DeviceKind::nic,
                    .forwards = true});
    };
    to = add("in"), from = add("out");
    t.add({.from = to, .to = from, .bandwidth = duplex, .latency = {}});
    t.add({.from = ends.rank, .to = to, .bandwidth = out, .latency = {}});
    t.add({.from = from, .to = ends.rank, .bandwidth = in, .latency = {}});
  }
  t.add({.from = from, .to = ends.into, .bandwidth = out, .latency = latency});
  t.add({.from = ends.out_of, .to = to, .bandwidth = in, .latency = latency});
}

}  // namespace

sim::System machine_of(const calibrate::Ports& ports, const std::string& name,
                       const std::string& summary) {
  using sim::DeviceKind;
  sim::System system{.summary = summary};
  auto& t = system.topology;
  t.name = name;
  t.nodes = static_cast<std::uint32_t>(std::max<std::size_t>(1, ports.nodes.size()));
  const auto node_of = [&](std::size_t r) { return ports.nodes.empty() ? 0 : ports.node_of[r]; };
  for (std::size_t r = 0; r < ports.ranks.size(); ++r)
    t.ranks.push_back(
        t.add({.name = fmt::format("gpu{}", r), .kind = DeviceKind::gpu, .node = node_of(r)}));
  const bool narrow = ports.middle.bytes_per_second > 0;
  const auto add_switch = [&](const std::string& named, std::uint32_t node) {
    return t.add(
        {.name = named, .kind = DeviceKind::network_switch, .node = node, .forwards = true});
  };
  std::vector<DeviceId> into, out_of;
  for (std::uint32_t n = 0; n < t.nodes; ++n) {
    into.push_back(add_switch(narrow ? "in0" : fmt::format("sw{}", n), n));
    out_of.push_back(narrow ? add_switch("out0", n) : into[n]);
  }
  for (std::size_t r = 0; r < ports.ranks.size(); ++r)
    add_port(t, ports.ranks[r],
             {.rank = t.ranks[r], .into = into[node_of(r)], .out_of = out_of[node_of(r)]});
  if (narrow) t.add({.from = into[0], .to = out_of[0], .bandwidth = ports.middle, .latency = {}});
  if (ports.nodes.empty()) return system;
  const auto net = add_switch("net0", 0);
  for (std::uint32_t n = 0; n < t.nodes; ++n)
    add_port(t, ports.nodes[n], {.rank = into[n], .into = net, .out_of = net});
  return system;
}

namespace {

struct Way {
  Bandwidth bandwidth;
  Duration latency;
};

Result<Way> way(sim::Router& router, const sim::Topology& topology, calibrate::Pair pair) {
  RS_ASSIGN(const auto route, router.route(pair.from, pair.to, {0}));
  Way way{{UINT64_MAX}, {}};
  for (const LinkId id : route) {
    way.bandwidth = std::min(way.bandwidth, topology[id].bandwidth);
    way.latency = sim::in_a_row(way.latency, topology[id].latency);
  }
  return way;
}

/// By how much something is worse than it should be, and its samples than the best: as shares.
struct Worse {
  double by = 0, spread = 0;
};

void file(Shortfalls& found, const Worse& worse, double tolerance, std::string sentence) {
  if (worse.by <= tolerance) return;
  auto& list = worse.by > worse.spread ? found.beyond_noise : found.within_noise;
  list.push_back(std::move(sentence));
}

void hold(Shortfalls& found, const calibrate::PairFigures& f, const Way& should,
          const sim::Topology& expected, double tolerance) {
  const auto pair = fmt::format("rank {} -> rank {}", f.pair.from.value, f.pair.to.value);
  // Samples twice as slow as the fastest have half of its bandwidth.
  const Worse slower{1 - f.alone.gigabytes_per_second() / should.bandwidth.gigabytes_per_second(),
                     1 - 1 / (1 + f.spread)};
  file(found, slower, tolerance,
       fmt::format("{}: {:.0f} % below what {} carries ({} of {})", pair, slower.by * 100,
                   expected.name, to_string(f.alone), to_string(should.bandwidth)));
  if (should.latency.picoseconds == 0) return;
  const Worse later{f.latency.microseconds() / should.latency.microseconds() - 1, f.latency_spread};
  file(found, later, tolerance,
       fmt::format("{}: latency {:.0f} % above that of {} ({} against {})", pair, later.by * 100,
                   expected.name, to_string(f.latency), to_string(should.latency)));
}

}  // namespace

Result<void> check_covers(const sim::Topology& expected, std::uint32_t ranks) {
  if (expected.ranks.size() >= ranks) return {};
  return bad_request(fmt::format(
      "{} has {}, so {} cannot be held against it: take as many, --ranks {}", expected.name,
      counted(expected.ranks.size(), "rank"), ranks, expected.ranks.size()));
}

Result<Shortfalls> shortfalls(const calibrate::Calibration& measured, const sim::Topology& expected,
                              double tolerance) {
  RS_TRY(check_covers(expected, measured.ranks));
  Shortfalls found;
  sim::Router router(expected);
  for (const auto& f : measured.figures) {
    RS_ASSIGN(const Way should, way(router, expected, f.pair));
    hold(found, f, should, expected, tolerance);
  }
  return found;
}

}  // namespace ringside::terminal
