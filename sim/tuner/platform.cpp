#include "sim/platform.hpp"

#include <algorithm>

#include "sim/tuner/figures.hpp"

namespace ringside::sim {
namespace {

constexpr std::uint32_t most_ranks = 1u << 20;
constexpr std::uint64_t most_rate = 1'000'000'000'000'000;  // a petabyte a second

}  // namespace

std::uint32_t Platform::domain_size() const {
  return per_node * std::min(nodes, nodes_per_domain);
}

std::uint32_t Platform::domains() const {
  return (nodes + nodes_per_domain - 1) / nodes_per_domain;
}

std::uint32_t evenly(std::uint32_t nodes, std::uint32_t most) {
  std::uint32_t each = std::min(nodes, most);
  while (nodes % each != 0) --each;
  return each;
}

Result<void> check(const Platform& platform) {
  if (platform.per_node == 0 || platform.nodes == 0 || platform.nodes_per_domain == 0)
    return bad_request("a platform has at least one node, one GPU in it, one node a domain");
  if (platform.per_node > most_ranks / platform.nodes)
    return bad_request("more than 2^20 GPUs are not predicted");
  if (platform.nodes > platform.nodes_per_domain && platform.nodes % platform.nodes_per_domain != 0)
    return bad_request(std::to_string(platform.nodes) + " nodes do not fill NVLink domains of " +
                       std::to_string(platform.nodes_per_domain));
  if (platform.domain_size() > 1 && (platform.gpu_bandwidth.bytes_per_second == 0 ||
                                     platform.gpu_bandwidth.bytes_per_second > most_rate))
    return bad_request("the links between GPUs have a bandwidth above 0, of at most 1 PB/s");
  if (platform.wire == Wire::network)
    return bad_request("a network joins nodes, not the GPUs of one");
  if (platform.domains() == 1) return {};
  if (platform.network.empty() || platform.nics == 0)
    return bad_request("several nodes need NICs and the network they speak");
  if (platform.nics > most_ranks || platform.nic_bandwidth.bytes_per_second == 0 ||
      platform.nic_bandwidth.bytes_per_second > most_rate)
    return bad_request("NICs have a bandwidth above 0, of at most 1 PB/s");
  return {};
}

std::vector<std::string_view> generation_names() {
  std::vector<std::string_view> names;
  for (const auto& generation : built_in_figures().generations) names.push_back(generation.name);
  return names;
}

std::vector<std::string_view> network_kinds() {
  std::vector<std::string_view> names;
  for (const auto& network : built_in_figures().networks) names.push_back(network.name);
  return names;
}

}  // namespace ringside::sim
