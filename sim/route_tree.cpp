#include "sim/route_tree.hpp"

#include <algorithm>

namespace ringside::sim {
namespace {

constexpr std::uint32_t unasked = UINT32_MAX, endless = UINT32_MAX - 1;  // hops

}  // namespace

Surroundings::Surroundings(const Junctions& junctions, DeviceId source) : junctions_(junctions) {
  reach_.set(source.value, WayCost{});
  queue_.push({WayCost{}, source.value});
}

void Surroundings::grow() {
  const auto [cost, device] = queue_.top();
  queue_.pop();
  if (reach_[device] < cost) return;
  bool is_door = false;
  for (const LinkId id : junctions_.leaving({device})) {
    is_door |= junctions_.is_of_a_crowd(id);
    const auto to = junctions_.topology()[id].to;
    const auto there = cost + junctions_.cost(id);
    if (!junctions_.topology()[to].forwards || !(there < reach_[to.value])) continue;
    reach_.set(to.value, there);
    queue_.push({there, to.value});
  }
  if (is_door) doors_.push_back({{device}, cost});
}

RouteTree::RouteTree(const Junctions& junctions, DeviceId destination)
    : junctions_(junctions), destination_(destination) {
  const Reach here{WayCost{}, Bandwidth{UINT64_MAX}};
  labels_.set(destination.value, {here});
  queue_.push({here, destination.value});
}

/// Every way over a link of a crowd that has not been looked at costs at least what leads to its
/// door, and from the crowd on. Where the least of that is dearer than the best way, and so is all
/// that waits in the queue, no better or equal way is left.
RouteTree::Reach RouteTree::from(DeviceId source, Surroundings& near) {
  next_.clear();
  for (auto met = crowds_.size();; met = crowds_.size()) {
    const auto best = seen_from(source);
    const auto over = next_opening(near);
    const auto without = queue_.empty() ? no_way : queue_.top().reach.cost;
    const auto least = over ? std::min(over->cost, without) : without;
    if (least == no_way || least > best.cost) return best;
    if (without == least) {
      while (!queue_.empty() && queue_.top().reach.cost == least) settle_next();
      if (crowds_.size() != met) next_.clear();  // to be opened from all doors
      continue;
    }
    if (over->crowd == next_.size()) next_.push_back(0);
    auto& door = next_[over->crowd];
    if (door < near.doors().size())
      open(near.doors()[door++].device, crowds_[over->crowd].device);
    else
      near.grow();
  }
}

std::optional<RouteTree::Opening> RouteTree::next_opening(const Surroundings& near) {
  std::optional<Opening> least;
  for (std::size_t c = 0; c < std::min(next_.size() + 1, crowds_.size()); ++c) {
    const auto door = c < next_.size() ? next_[c] : 0;
    const auto to_door = door < near.doors().size() ? near.doors()[door].cost : near.next();
    const auto cost = to_door + crowds_[c].cost;
    if (!least || cost < least->cost) least = Opening{cost, c};
  }
  return least;
}

/// Of a way that begins with this link.
RouteTree::Reach RouteTree::over(LinkId id) const {
  const Link& link = junctions_.topology()[id];
  const Reach& rest = reach(link.to);
  if (rest.cost == no_way) return {};
  return {junctions_.cost(id) + rest.cost, std::min(link.bandwidth, rest.width)};
}

RouteTree::Reach RouteTree::seen_from(DeviceId source) const {
  if (passes(source)) return reach(source);
  Reach best;
  for (const LinkId id : junctions_.leaving(source))
    if (const auto way = over(id); way.better_than(best)) best = way;
  return best;
}

/// One step of Dijkstra, over the devices that pass traffic on.
void RouteTree::settle_next() {
  const auto [known, device] = queue_.top();
  queue_.pop();
  if (reach({device}).better_than(known)) return;
  for (const LinkId id : junctions_.entering({device})) relax(id);
  const auto crowd = junctions_.crowd_at({device});
  if (crowd == no_way) return;
  const Crowd met{crowd + known.cost, {device}};
  crowds_.insert(std::upper_bound(crowds_.begin(), crowds_.end(), met,
                                  [](const Crowd& a, const Crowd& b) { return a.cost < b.cost; }),
                 met);
}

void RouteTree::relax(LinkId id) {
  const auto device = junctions_.topology()[id].from.value;
  const auto way = over(id);
  Label label = labels_[device];
  if (way.cost == no_way || way.cost > label.reach.cost) return;
  if (way.cost < label.reach.cost) label.first = nothing;
  note(label, id);
  if (way.better_than(label.reach)) {
    label.reach = way;
    queue_.push({way, device});
  }
  labels_.set(device, label);
}

/// Several sources may open one door: no link is noted twice.
void RouteTree::note(Label& label, LinkId id) {
  for (auto at = label.first; at != nothing; at = onward_[at].next)
    if (onward_[at].link == id) return;
  onward_.push_back({id, label.first});
  label.first = static_cast<std::uint32_t>(onward_.size() - 1);
}

void RouteTree::open(DeviceId door, DeviceId crowd) {
  for (const LinkId id : junctions_.between(door, crowd))
    if (junctions_.is_of_a_crowd(id)) relax(id);
}

RouteTree::Hops& RouteTree::hops_at(Bandwidth width) {
  for (Hops& hops : hops_)
    if (hops.width == width) return hops;
  Hops& hops = hops_.emplace_back(Hops{width, Sparse<std::uint32_t>(unasked)});
  hops.of.set(destination_.value, 0);
  return hops;
}

/// Counts them for all devices on best ways from there that have not been asked for before. Ways of
/// equal cost may go round in circles where links have no latency: hence until nothing changes.
void RouteTree::count(Hops& hops, DeviceId from) {
  if (hops.of[from.value] != unasked) return;
  std::vector<DeviceId> asked{from};
  hops.of.set(from.value, endless);
  const auto for_each_wide = [&](DeviceId device, auto visit) {
    for_each_onward(device, [&](LinkId id) {
      const Link& link = junctions_.topology()[id];
      if (link.bandwidth >= hops.width) visit(link.to);
    });
  };
  for (std::size_t i = 0; i < asked.size(); ++i)
    for_each_wide(DeviceId{asked[i]}, [&](DeviceId to) {
      if (hops.of[to.value] != unasked) return;
      hops.of.set(to.value, endless);
      asked.push_back(to);
    });
  std::sort(asked.begin(), asked.end(), [&](DeviceId a, DeviceId b) {
    const auto of_a = reach(a).cost, of_b = reach(b).cost;
    return of_a != of_b ? of_a < of_b : a.value < b.value;
  });
  for (bool changes = true; changes;) {
    changes = false;
    for (const DeviceId device : asked) {
      auto fewest = hops.of[device.value];
      for_each_wide(device, [&](DeviceId to) { fewest = std::min(fewest, hops.of[to.value] + 1); });
      if (fewest >= hops.of[device.value]) continue;
      hops.of.set(device.value, fewest);
      changes = true;
    }
  }
}

void RouteTree::ways_on(DeviceId device, const Reach& best, std::vector<LinkId>& ways) {
  Hops& hops = hops_at(best.width);
  auto fewest = endless;
  ways.clear();
  const auto consider = [&](LinkId id) {
    const Link& link = junctions_.topology()[id];
    if (link.bandwidth < best.width) return;
    count(hops, link.to);
    const auto left = hops.of[link.to.value];
    if (left >= endless) return;
    if (left < fewest) ways.clear();
    fewest = std::min(fewest, left);
    if (left == fewest) ways.push_back(id);
  };
  if (passes(device)) {
    for_each_onward(device, consider);
  } else {  // the source
    for (const LinkId id : junctions_.leaving(device))
      if (over(id).cost == best.cost) consider(id);
  }
  std::sort(ways.begin(), ways.end());
}

}  // namespace ringside::sim
