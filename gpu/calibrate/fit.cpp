#include "gpu/calibrate/fit.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "core/statistics.hpp"

namespace ringside::calibrate {
namespace {

std::string percent(double share) {
  return std::to_string(std::lround(share * 100)) + " %";
}

tl::unexpected<Error> not_clear(const std::string& what) {
  return gone_wrong(what +
                    " was measured clearly: give more time, samples or larger messages (--budget, "
                    "--samples, --message)");
}

double shortfall(Bandwidth has, Bandwidth of) {
  return 1 - static_cast<double>(has.bytes_per_second) / static_cast<double>(of.bytes_per_second);
}

/// What a whole round moved at once. Where the middle is shared fairly, nobody gets more than the
/// slowest does, unless its own ports are narrower still.
struct Round {
  std::uint64_t moved = 0;
  bool was_limited = false;  ///< by more than its pairs' own ports
};

Round at_once(const std::vector<const PairFigures*>& round) {
  constexpr double clearly = 0.05;
  const auto slowest = std::ranges::min(round, {}, [](const auto* f) { return f->alone; })->alone;
  Round found;
  for (const auto* f : round) {
    found.was_limited |= shortfall(f->together, slowest) > clearly;
    found.moved += std::min(f->alone, f->together).bytes_per_second;
  }
  return found;
}

/// What the middle carries; 0 where no round came to its limit. One pair alone has shown that the
/// middle carries at least as much as that: a round that moved clearly less was slowed down by
/// something else (two ways at once over one port, say).
Bandwidth middle_of(const Calibration& calibration) {
  std::map<Pair, const PairFigures*> by_pair;
  for (const PairFigures& f : calibration.figures) by_pair[f.pair] = &f;
  constexpr double clearly_less = 0.25;
  Bandwidth most, fastest;
  for (const PairFigures& f : calibration.figures) fastest = std::max(fastest, f.alone);
  bool was_limited = false;
  for (const auto& round : rounds(calibration.ranks)) {
    std::vector<const PairFigures*> figures;
    for (const Pair& pair : round)
      for (const Pair& way : {pair, pair.back()})
        if (by_pair.contains(way)) figures.push_back(by_pair[way]);
    if (figures.size() < 2 * round.size()) continue;
    const auto found = at_once(figures);
    if (shortfall(Bandwidth{found.moved}, fastest) > clearly_less) continue;
    was_limited |= found.was_limited;
    most = std::max(most, Bandwidth{found.moved});
  }
  return was_limited ? most : Bandwidth{};
}

/// Ranks' ports, from these figures alone; those of ranks without one stay as they are.
void fit_ranks(const std::vector<const PairFigures*>& figures, Ports& ports) {
  std::vector<std::vector<Duration>> latencies(ports.ranks.size());
  for (const PairFigures* f : figures) {
    auto& out = ports.ranks[f->pair.from.value].out;
    auto& in = ports.ranks[f->pair.to.value].in;
    out = std::max(out, f->alone);
    in = std::max(in, f->alone);
    latencies[f->pair.from.value].push_back(f->latency);
  }
  for (std::size_t r = 0; r < latencies.size(); ++r)
    if (!latencies[r].empty()) ports.ranks[r].latency = {median(latencies[r]).picoseconds / 2};
}

/// What all messages of a round moved through each node's port at once.
void widen_by_rounds(const Calibration& calibration,
                     const std::map<Pair, const PairFigures*>& known, Ports& ports) {
  for (const auto& round : rounds(calibration.ranks)) {
    std::vector<std::uint64_t> out(ports.nodes.size()), in(ports.nodes.size());
    for (const Pair& pair : round)
      for (const Pair& way : {pair, pair.back()}) {
        const auto found = known.find(way);
        if (found == known.end() || calibration.is_inside(way)) continue;
        const auto moved = std::min(found->second->alone, found->second->together);
        out[ports.node_of[way.from.value]] += moved.bytes_per_second;
        in[ports.node_of[way.to.value]] += moved.bytes_per_second;
      }
    for (std::size_t n = 0; n < ports.nodes.size(); ++n) {
      ports.nodes[n].out = std::max(ports.nodes[n].out, Bandwidth{out[n]});
      ports.nodes[n].in = std::max(ports.nodes[n].in, Bandwidth{in[n]});
    }
  }
}

/// Nodes' ports.
Result<void> fit_nodes(const Calibration& calibration, Ports& ports) {
  ports.node_of = calibration.node_of;
  ports.nodes.resize(1 + std::ranges::max(ports.node_of));
  std::vector<std::vector<Duration>> latencies(ports.nodes.size());
  std::map<Pair, const PairFigures*> known;
  for (const PairFigures& f : calibration.figures) {
    known[f.pair] = &f;
    if (calibration.is_inside(f.pair)) continue;
    const auto from = ports.node_of[f.pair.from.value], to = ports.node_of[f.pair.to.value];
    ports.nodes[from].out = std::max(ports.nodes[from].out, f.alone);
    ports.nodes[to].in = std::max(ports.nodes[to].in, f.alone);
    const auto inside =
        ports.ranks[f.pair.from.value].latency + ports.ranks[f.pair.to.value].latency;
    latencies[from].push_back(std::max(Duration{}, f.latency - inside));
  }
  for (std::size_t n = 0; n < ports.nodes.size(); ++n) {
    if (latencies[n].empty()) return not_clear("no pair of node " + std::to_string(n));
    ports.nodes[n].latency = {median(latencies[n]).picoseconds / 2};
  }
  widen_by_rounds(calibration, known, ports);
  return {};
}

/// Who is alone in its node, or was not measured inside it, has a port like the others'.
void fill_in(Ports& ports) {
  std::vector<Bandwidth> outs, ins;
  std::vector<Duration> latencies;
  for (const auto& port : ports.ranks) {
    if (port.out.bytes_per_second == 0) continue;
    outs.push_back(port.out), ins.push_back(port.in), latencies.push_back(port.latency);
  }
  if (outs.empty()) return;
  const Ports::Port typical{median(outs), median(ins), {}, median(latencies)};
  for (auto& port : ports.ranks)
    if (port.out.bytes_per_second == 0) port = typical;
}

/// What ports carry both ways together; 0 where the two ways leave each other alone, or where the
/// slower one would have been as slow without the other.
void fit_duplex(const Calibration& calibration, Ports& ports) {
  constexpr double clearly = 0.05;
  const auto alone = [&](const Pair& pair) {
    const auto found = std::ranges::find(calibration.figures, pair, &PairFigures::pair);
    return found == calibration.figures.end() ? Bandwidth{} : found->alone;
  };
  for (const auto& [rank, duplex] : calibration.ports) {
    const Pair in = way_in(rank, calibration.ranks), out = way_out(rank, calibration.ranks);
    if (!ports.nodes.empty() && !(calibration.is_inside(in) && calibration.is_inside(out)))
      continue;  // it may have been the node's port
    const auto slower = std::min(alone(in), alone(out));
    if (slower.bytes_per_second == 0 || shortfall(duplex, slower) <= clearly) continue;
    ports.ranks[rank.value].duplex = {2 * duplex.bytes_per_second};
  }
}

}  // namespace

Result<Ports> fit(const Calibration& calibration) {
  Ports ports;
  ports.ranks.resize(calibration.ranks);
  const bool has_classes = calibration.has_classes();
  std::vector<const PairFigures*> of_ranks;
  for (const PairFigures& f : calibration.figures)
    if (!has_classes || calibration.is_inside(f.pair)) of_ranks.push_back(&f);
  fit_ranks(of_ranks, ports);
  if (has_classes) {
    fill_in(ports);
    RS_TRY(fit_nodes(calibration, ports));
  }
  for (std::uint32_t r = 0; r < calibration.ranks; ++r)
    if (std::min(ports.ranks[r].out, ports.ranks[r].in).bytes_per_second == 0)
      return not_clear("no pair of rank " + std::to_string(r));
  fit_duplex(calibration, ports);
  if (!has_classes) ports.middle = middle_of(calibration);
  return ports;
}

Bandwidth Ports::carried(const Pair& pair) const {
  auto width = std::min(ranks[pair.from.value].out, ranks[pair.to.value].in);
  if (nodes.empty()) return width;
  const auto &from = nodes[node_of[pair.from.value]], &to = nodes[node_of[pair.to.value]];
  return &from == &to ? width : std::min({width, from.out, to.in});
}

namespace {

/// The larger of both, as a shortfall: samples that are twice as slow as the fastest have half of
/// its bandwidth.
double beyond(double tolerance, double spread) {
  return std::max(tolerance, 1 - 1 / (1 + spread));
}

/// Of the fastest message through a port, whose figure the port has.
template <typename IsOfPort>
double spread_of_port(const Calibration& calibration, IsOfPort is_of_port) {
  const PairFigures* fastest = nullptr;
  for (const PairFigures& f : calibration.figures)
    if (is_of_port(f.pair) && (fastest == nullptr || f.alone > fastest->alone)) fastest = &f;
  return fastest == nullptr ? 0 : fastest->spread;
}

/// Of a pair and of the ports it is held against: the largest.
double spread_around(const Calibration& calibration, const PairFigures& figures) {
  const auto is_out = [&](const Pair& pair) { return pair.from == figures.pair.from; };
  const auto is_in = [&](const Pair& pair) { return pair.to == figures.pair.to; };
  return std::max(
      {figures.spread, spread_of_port(calibration, is_out), spread_of_port(calibration, is_in)});
}

double typical_spread(const Calibration& calibration) {
  std::vector<double> spreads;
  for (const PairFigures& f : calibration.figures) spreads.push_back(f.spread);
  return median(spreads);
}

constexpr std::size_t fewest_peers = 4;  // and one that is unlike the other three

/// Ports beside those of their kind.
void compare_ports(const std::vector<Ports::Port>& ports, const std::string& kind, double tolerance,
                   std::vector<std::string>& found) {
  if (ports.size() < fewest_peers) return;
  std::vector<Bandwidth> outs, ins;
  for (const auto& port : ports) outs.push_back(port.out), ins.push_back(port.in);
  const auto typical_out = median(outs), typical_in = median(ins);
  for (std::size_t p = 0; p < ports.size(); ++p) {
    const auto say = [&](const char* does, Bandwidth has, Bandwidth usual) {
      if (shortfall(has, usual) <= tolerance) return;
      found.push_back(kind + " " + std::to_string(p) + " " + does + " " +
                      percent(shortfall(has, usual)) + " below its peers (" + to_string(has) +
                      " of " + to_string(usual) + ")");
    };
    say("sends", ports[p].out, typical_out);
    say("receives", ports[p].in, typical_in);
  }
}

}  // namespace

std::vector<std::string> outliers(const Calibration& calibration, const Ports& ports,
                                  double tolerance) {
  if (calibration.ranks < fewest_peers || calibration.figures.empty()) return {};
  if (typical_spread(calibration) > tolerance) return {};
  std::vector<std::string> found;
  compare_ports(ports.ranks, "rank", tolerance, found);
  compare_ports(ports.nodes, "node", tolerance, found);
  for (const PairFigures& f : calibration.figures) {
    const auto carried = ports.carried(f.pair);
    if (shortfall(f.alone, carried) <= beyond(tolerance, spread_around(calibration, f))) continue;
    found.push_back("rank " + std::to_string(f.pair.from.value) + " -> rank " +
                    std::to_string(f.pair.to.value) + ": " + percent(shortfall(f.alone, carried)) +
                    " below what their ports carry (" + to_string(f.alone) + " of " +
                    to_string(carried) + ")");
  }
  return found;
}

std::string noise(const Calibration& calibration, double tolerance) {
  if (calibration.figures.empty()) return {};
  const auto typical = typical_spread(calibration);
  if (typical <= tolerance) return {};
  return "this machine is noisy: half of a pair's samples were more than " + percent(typical) +
         " slower than its fastest, which counts: no outlier can be told from noise";
}

}  // namespace ringside::calibrate
