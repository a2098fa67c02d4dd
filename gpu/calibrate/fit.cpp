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

/// What ports carry both ways together; 0 where the two ways leave each other alone, or where the
/// slower one would have been as slow without the other.
void fit_duplex(const Calibration& calibration, Ports& ports) {
  constexpr double clearly = 0.05;
  const auto alone = [&](const Pair& pair) {
    const auto found = std::ranges::find(calibration.figures, pair, &PairFigures::pair);
    return found == calibration.figures.end() ? Bandwidth{} : found->alone;
  };
  for (const auto& [rank, duplex] : calibration.ports) {
    const auto slower =
        std::min(alone(way_in(rank, calibration.ranks)), alone(way_out(rank, calibration.ranks)));
    if (slower.bytes_per_second == 0 || shortfall(duplex, slower) <= clearly) continue;
    ports.ranks[rank.value].duplex = {2 * duplex.bytes_per_second};
  }
}

}  // namespace

Result<Ports> fit(const Calibration& calibration) {
  Ports ports;
  ports.ranks.resize(calibration.ranks);
  std::vector<std::vector<Duration>> latencies(calibration.ranks);
  for (const PairFigures& f : calibration.figures) {
    auto& out = ports.ranks[f.pair.from.value].out;
    auto& in = ports.ranks[f.pair.to.value].in;
    out = std::max(out, f.alone);
    in = std::max(in, f.alone);
    latencies[f.pair.from.value].push_back(f.latency);
  }
  for (std::uint32_t r = 0; r < calibration.ranks; ++r) {
    if (latencies[r].empty())
      return gone_wrong("no pair of rank " + std::to_string(r) +
                        " was measured clearly: give more time, samples or larger messages "
                        "(--budget, --samples, --message)");
    ports.ranks[r].latency = {median(latencies[r]).picoseconds / 2};
  }
  fit_duplex(calibration, ports);
  ports.middle = middle_of(calibration);
  return ports;
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

}  // namespace

std::vector<std::string> outliers(const Calibration& calibration, const Ports& ports,
                                  double tolerance) {
  constexpr std::uint32_t fewest = 4;
  if (calibration.ranks < fewest || calibration.figures.empty()) return {};
  if (typical_spread(calibration) > tolerance) return {};
  std::vector<std::string> found;
  std::vector<Bandwidth> outs, ins;
  for (const auto& port : ports.ranks) outs.push_back(port.out), ins.push_back(port.in);
  const auto typical_out = median(outs), typical_in = median(ins);
  for (std::size_t r = 0; r < ports.ranks.size(); ++r) {
    const auto say = [&](const char* does, Bandwidth has, Bandwidth usual) {
      if (shortfall(has, usual) <= tolerance) return;
      found.push_back("rank " + std::to_string(r) + " " + does + " " +
                      percent(shortfall(has, usual)) + " below its peers (" + to_string(has) +
                      " of " + to_string(usual) + ")");
    };
    say("sends", ports.ranks[r].out, typical_out);
    say("receives", ports.ranks[r].in, typical_in);
  }
  for (const PairFigures& f : calibration.figures) {
    const auto carried =
        std::min(ports.ranks[f.pair.from.value].out, ports.ranks[f.pair.to.value].in);
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
