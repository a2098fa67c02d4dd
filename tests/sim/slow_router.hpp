#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <tuple>
#include <vector>

#include "sim/topology.hpp"

// The slow and obvious routes that sim::Router is held to: every link is looked at again and again
// until nothing gets better.

namespace ringside::sim {

class SlowRouter {
 public:
  explicit SlowRouter(const Topology& topology) : t_(topology) {}

  /// Empty where no way joins the two.
  std::optional<std::vector<LinkId>> route(Rank from, Rank to, ChannelId channel) const {
    const auto a = t_.ranks[from.value], b = t_.ranks[to.value];
    const Spread spread{from.value + to.value + channel.value, to.value + channel.value};
    if (a == b) return std::vector<LinkId>{};
    auto direct = path(a, b, spread);
    const bool crosses_pcie = direct && std::ranges::any_of(*direct, [&](LinkId id) {
                                return t_[id].kind == LinkKind::pcie;
                              });
    if (t_.peer_to_peer || !crosses_pcie || t_[a].node != t_[b].node ||
        t_[a].kind != DeviceKind::gpu || t_[b].kind != DeviceKind::gpu)
      return direct;
    return staged(a, b, spread);
  }

 private:
  struct Spread {
    std::uint32_t at_source, later;
  };
  /// Passages between a NIC and the network, links of the host, latency; none where nothing leads
  /// on. Then the bottleneck, wider first.
  struct Reach {
    std::array<std::int64_t, 3> cost{1 << 30, 0, 0};
    std::uint64_t width = 0;
    bool is_none() const { return cost[0] == 1 << 30; }
    friend bool operator<(const Reach& a, const Reach& b) {
      return a.cost != b.cost ? a.cost < b.cost : a.width > b.width;
    }
  };
  using Reaches = std::vector<Reach>;  // by device

  std::array<std::int64_t, 3> cost(const Link& l, std::array<std::int64_t, 3> rest) const {
    const bool at_nic = t_[l.from].kind == DeviceKind::nic || t_[l.to].kind == DeviceKind::nic;
    const auto is = [&](auto... kinds) { return ((l.kind == kinds) || ...); };
    rest[0] += at_nic && is(LinkKind::ib, LinkKind::roce, LinkKind::ethernet);
    rest[1] += is(LinkKind::pcie, LinkKind::c2c, LinkKind::socket, LinkKind::memory);
    rest[2] += l.latency.picoseconds;
    return rest;
  }
  /// That a way from `from` may go on over `l`.
  bool may_go(const Link& l, DeviceId from, DeviceId to) const {
    return (l.from == from || t_[l.from].forwards) && (l.to == to || t_[l.to].forwards);
  }

  Reaches reaches(DeviceId from, DeviceId to) const {
    Reaches reach(t_.devices.size());
    reach[to.value] = {{0, 0, 0}, UINT64_MAX};
    for (bool changes = true; changes;) {
      changes = false;
      for (const Link& l : t_.links) {
        const Reach& rest = reach[l.to.value];
        if (rest.is_none() || !may_go(l, from, to)) continue;
        const Reach way{cost(l, rest.cost), std::min(rest.width, l.bandwidth.bytes_per_second)};
        if (!(way < reach[l.from.value])) continue;
        reach[l.from.value] = way;
        changes = true;
      }
    }
    return reach;
  }

  std::optional<std::vector<LinkId>> path(DeviceId from, DeviceId to, Spread spread) const {
    const auto reach = reaches(from, to);
    if (reach[from.value].is_none()) return std::nullopt;
    const auto width = reach[from.value].width;
    const auto is_best = [&](const Link& l) {
      const Reach& rest = reach[l.to.value];
      return may_go(l, from, to) && !rest.is_none() && l.bandwidth.bytes_per_second >= width &&
             cost(l, rest.cost) == reach[l.from.value].cost;
    };
    constexpr std::uint32_t endless = 1 << 30;
    std::vector<std::uint32_t> hops(t_.devices.size(), endless);
    hops[to.value] = 0;
    for (bool changes = true; changes;) {
      changes = false;
      for (const Link& l : t_.links) {
        if (!is_best(l) || hops[l.to.value] + 1 >= hops[l.from.value]) continue;
        hops[l.from.value] = hops[l.to.value] + 1;
        changes = true;
      }
    }
    std::vector<LinkId> path;
    for (auto at = from; at != to; at = t_[path.back()].to) {
      std::vector<LinkId> ways;
      for (std::uint32_t id = 0; id < t_.links.size(); ++id) {
        const Link& l = t_.links[id];
        if (l.from == at && is_best(l) && hops[l.to.value] + 1 == hops[at.value])
          ways.push_back({id});
      }
      auto& digits = at == from ? spread.at_source : spread.later;
      path.push_back(ways.at(digits % ways.size()));
      digits /= static_cast<std::uint32_t>(ways.size());
    }
    return path;
  }

  std::optional<std::vector<LinkId>> staged(DeviceId from, DeviceId to, Spread spread) const {
    std::optional<DeviceId> memory;
    Reach nearest;
    for (std::uint32_t d = 0; d < t_.devices.size(); ++d) {
      if (t_.devices[d].kind != DeviceKind::memory || t_.devices[d].node != t_[from].node) continue;
      const Reach reach = reaches(from, {d})[from.value];
      if (reach < nearest) nearest = reach, memory = DeviceId{d};
    }
    if (!memory) return std::nullopt;
    auto down = path(from, *memory, spread);
    const auto up = path(*memory, to, spread);
    if (!down || !up) return std::nullopt;
    down->insert(down->end(), up->begin(), up->end());
    return down;
  }

  const Topology& t_;
};

}  // namespace ringside::sim
