#include "sim/router.hpp"

#include <algorithm>
#include <optional>
#include <string>

#include "core/assert.hpp"
#include "core/suggest.hpp"

namespace ringside::sim {
namespace {

std::uint64_t key_of(Rank from, Rank to, ChannelId channel) {
  return std::uint64_t{channel.value} << 40 | std::uint64_t{from.value} << 20 | to.value;
}

}  // namespace

Router::Router(const Topology& topology) : topology_(topology), junctions_(topology) {
  for (std::uint32_t d = 0; d < topology.devices.size(); ++d)
    if (topology.devices[d].kind == DeviceKind::memory)
      memories_[topology.devices[d].node].push_back({d});
}

Router::Search Router::search(DeviceId from, DeviceId to) {
  constexpr std::size_t most_remembered = std::size_t{1} << 21;  // devices: some 200 MB
  if (remembered_ > most_remembered) trees_.clear(), surroundings_.clear(), remembered_ = 0;
  RouteTree& tree = trees_.try_emplace(to.value, junctions_, to).first->second;
  Surroundings& near = surroundings_.try_emplace(from.value, junctions_, from).first->second;
  const auto before = tree.size() + near.size();
  const auto best = tree.from(from, near);
  remembered_ += tree.size() + near.size() - before;
  return {tree, best};
}

Result<Router::Path> Router::path(DeviceId from, DeviceId to, Spread spread) {
  Path path;
  branchings_.clear();
  if (from == to) return path;
  const auto [tree, best] = search(from, to);
  if (best.cost == no_way)
    return bad_request(with_dead(topology_) + "there is no way from " + topology_[from].name +
                       " to " + topology_[to].name + " in " + topology_.name);
  std::vector<LinkId> ways;
  for (auto at = from; at != to; at = topology_[path.back()].to) {
    tree.ways_on(at, best, ways);
    RS_ASSERT(!ways.empty(), "every device on a best way knows how to go on");
    const auto count = static_cast<std::uint32_t>(ways.size());
    if (count > 1) branchings_.push_back({at, count});
    auto& digits = at == from ? spread.at_source : spread.later;
    path.push_back(ways[digits % count]);
    digits /= count;
  }
  return path;
}

bool Router::needs_staging(DeviceId from, DeviceId to, std::span<const LinkId> direct) const {
  if (topology_.peer_to_peer) return false;
  const Device &a = topology_[from], &b = topology_[to];
  if (a.kind != DeviceKind::gpu || b.kind != DeviceKind::gpu || a.node != b.node) return false;
  return std::any_of(direct.begin(), direct.end(),
                     [&](LinkId id) { return topology_[id].kind == LinkKind::pcie; });
}

Result<Router::Path> Router::staged(DeviceId from, DeviceId to, Spread spread) {
  std::optional<DeviceId> memory;
  RouteTree::Reach nearest;
  for (const DeviceId candidate : memories_[topology_[from].node]) {
    const auto reach = search(from, candidate).best;
    if (!reach.better_than(nearest)) continue;
    nearest = reach;
    memory = candidate;
  }
  if (!memory)
    return bad_request(topology_[from].name + " cannot reach " + topology_[to].name +
                       " directly (no peer-to-peer), and " + topology_.name +
                       " has no memory device on their node to stage through");
  RS_ASSIGN(auto down, path(from, *memory, spread));
  RS_ASSIGN(const auto up, path(*memory, to, spread));
  down.insert(down.end(), up.begin(), up.end());
  return down;
}

std::span<const LinkId> Router::keep(const Path& path) {
  if (page_used_ + path.size() > page_size_) {
    page_size_ = std::max<std::size_t>(std::size_t{1} << 14, path.size());
    pages_.push_back(std::make_unique<LinkId[]>(page_size_));
    page_used_ = 0;
  }
  LinkId* const begin = pages_.empty() ? nullptr : pages_.back().get() + page_used_;
  std::copy(path.begin(), path.end(), begin);
  page_used_ += path.size();
  return {begin, path.size()};
}

Result<std::span<const LinkId>> Router::route(Rank from, Rank to, ChannelId channel) {
  for (const Rank rank : {from, to})
    if (rank.value >= topology_.ranks.size())
      return bad_request("rank " + std::to_string(rank.value) + " has no device in " +
                         topology_.name + ", which has " + counted(topology_.ranks.size(), "rank"));
  const auto key = key_of(from, to, channel);
  if (const auto known = routes_.find(key); known != routes_.end()) return known->second;
  const auto source = topology_.ranks[from.value], destination = topology_.ranks[to.value];
  const Spread spread = spread_of(from, to, channel);
  RS_ASSIGN(auto links, path(source, destination, spread));
  if (needs_staging(source, destination, links)) {
    RS_ASSIGN(links, staged(source, destination, spread));
  }
  return routes_[key] = keep(links);
}

Result<std::span<const Router::Branching>> Router::branchings(Rank from, Rank to,
                                                              ChannelId channel) {
  const auto source = topology_.ranks[from.value], destination = topology_.ranks[to.value];
  RS_ASSIGN(const auto links, path(source, destination, spread_of(from, to, channel)));
  if (needs_staging(source, destination, links))
    return bad_request("the way from " + topology_[source].name + " to " +
                       topology_[destination].name + " is staged");
  return branchings_;
}

}  // namespace ringside::sim
