#include "sim/tuner.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "core/assert.hpp"
#include "core/suggest.hpp"
#include "sim/tuner/model.hpp"

namespace ringside::sim {
namespace {

constexpr std::array<std::string_view, method_count> method_names{
    "ring", "tree", "nvls", "nvls_tree", "pat", "collnet", "rounds"};
constexpr std::array<std::string_view, cost_kind_count> cost_names{"launch", "hops", "network hops",
                                                                   "wire",   "fill", "copy"};
constexpr std::uint64_t most_bytes = std::uint64_t{1} << 50;

Result<void> check(const Query& query) {
  if (query.collective == CollectiveKind::barrier)
    return bad_request("NCCL has no barrier: ask for an all_reduce of one element");
  if (query.size.count > most_bytes)
    return bad_request(to_string(query.size) + " is more than 1 PiB, the most that is predicted");
  return {};
}

}  // namespace

std::string_view name(Method method) {
  return method_names[static_cast<std::size_t>(method)];
}

std::string_view name(CostKind kind) {
  return cost_names[static_cast<std::size_t>(kind)];
}

Result<Tuner> Tuner::make(const Platform& platform) {
  return make(platform, built_in_figures());
}

Result<Tuner> Tuner::make(const Platform& platform, const Figures& figures) {
  RS_TRY(sim::check(platform));
  std::vector<std::string_view> names;
  for (const auto& generation : figures.generations) names.push_back(generation.name);
  if (figures.generation(platform.generation) == nullptr)
    return bad_request(unknown("GPU generation", platform.generation, names));
  names.clear();
  for (const auto& network : figures.networks) names.push_back(network.name);
  if (platform.domains() > 1 && figures.network(platform.network) == nullptr)
    return bad_request(unknown("kind of network", platform.network, names));
  return Tuner(platform, figures);
}

Result<std::vector<Estimate>> Tuner::all(const Query& query) const {
  RS_TRY(check(query));
  std::vector<Estimate> estimates;
  for (const Candidate& candidate : candidates(platform_, *figures_, query)) {
    Estimate estimate{.method = candidate.method,
                      .protocol = candidate.protocol,
                      .channels = candidate.channels,
                      .time = {},
                      .terms = {}};
    for (std::size_t kind = 0; kind < cost_kind_count; ++kind) {
      const Duration time{std::llround(candidate.microseconds[kind] * 1e6)};
      if (time == Duration{0}) continue;
      estimate.terms.push_back({static_cast<CostKind>(kind), time});
      estimate.time += time;
    }
    estimates.push_back(std::move(estimate));
  }
  return estimates;
}

Result<Estimate> Tuner::choose(const Query& query, std::optional<Protocol> protocol) const {
  RS_ASSIGN(const auto estimates, all(query));
  const Estimate* best = nullptr;
  for (const Estimate& estimate : estimates) {
    if (protocol && estimate.protocol != *protocol) continue;
    if (best == nullptr || estimate.time < best->time) best = &estimate;
  }
  if (best == nullptr)
    return bad_request(std::string(protocol ? name(*protocol) : "NCCL") + " does not run " +
                       std::string(name(query.collective)) + " here");
  return *best;
}

}  // namespace ringside::sim
