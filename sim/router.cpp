#include "sim/router.hpp"

#include <algorithm>
#include <optional>
#include <queue>
#include <string>

#include "core/assert.hpp"
#include "core/suggest.hpp"
#include "sim/sparse.hpp"

namespace ringside::sim {
namespace {

constexpr std::uint32_t unreached = UINT32_MAX;

/// Links grouped by one of their ends; those without one are left out.
struct Grouped {
  std::vector<LinkId> links;
  std::vector<std::uint32_t> at;
};
template <typename End>
Grouped grouped(const Topology& topology, End end) {
  Grouped g;
  g.at.assign(topology.devices.size() + 1, 0);
  for (const Link& link : topology.links)
    if (const auto device = end(link)) ++g.at[device->value + 1];
  for (std::size_t d = 1; d < g.at.size(); ++d) g.at[d] += g.at[d - 1];
  g.links.resize(g.at.back());
  auto next = g.at;
  for (std::uint32_t id = 0; id < topology.links.size(); ++id)
    if (const auto device = end(topology.links[id])) g.links[next[device->value]++] = {id};
  return g;
}

std::uint64_t key_of(Rank from, Rank to, ChannelId channel) {
  return std::uint64_t{channel.value} << 40 | std::uint64_t{from.value} << 20 | to.value;
}

/// What a way costs, compared in this order: software picks a path by what it is made of before it
/// looks at latency. So no traffic inside a node goes out to the network, a wire between GPUs goes
/// before PCIe, and the NIC beside a GPU before another one behind a CPU.
struct Cost {
  std::uint32_t adapters = 0;    ///< links between a NIC and the network
  std::uint32_t host_links = 0;  ///< pcie, c2c, socket, memory
  Duration latency;
  friend auto operator<=>(const Cost&, const Cost&) = default;
  friend Cost operator-(Cost a, Cost b) {
    return {a.adapters - b.adapters, a.host_links - b.host_links, a.latency - b.latency};
  }
};
constexpr Cost no_way{UINT32_MAX, UINT32_MAX, forever};

/// Of two ways in a row; longer than the clock is no way.
Cost operator+(Cost a, Cost b) {
  const auto latency = in_a_row(a.latency, b.latency);
  if (latency == forever) return no_way;
  return {a.adapters + b.adapters, a.host_links + b.host_links, latency};
}

Cost cost_of(const Topology& topology, const Link& link) {
  Cost cost{.latency = link.latency};
  switch (link.kind) {
    case LinkKind::pcie:
    case LinkKind::c2c:
    case LinkKind::socket:
    case LinkKind::memory:
      cost.host_links = 1;
      break;
    case LinkKind::ib:
    case LinkKind::roce:
    case LinkKind::ethernet:
      cost.adapters =
          topology[link.from].kind == DeviceKind::nic || topology[link.to].kind == DeviceKind::nic;
      break;
    default:
      break;
  }
  return cost;
}

}  // namespace

/// Cost and width (bottleneck bandwidth) of the best way. "Cost, then width" survives appending a
/// link, so Dijkstra may use it; "then hops" does not (a narrow last link makes a
/// shorter way equal again), so hops are counted afterwards, for one width at a time.
struct Router::Reach {
  Cost cost = no_way;
  Bandwidth width{};
  bool better_than(const Reach& other) const {
    return cost != other.cost ? cost < other.cost : width > other.width;
  }
  Reach before(const Link& link, Cost of_link) const {
    return {of_link + cost, std::min(link.bandwidth, width)};
  }
};

class Router::Tree {
 public:
  Tree(Router& router, DeviceId destination) : router_(router), destination_(destination) {
    reach_.set(destination.value, {Cost{}, Bandwidth{UINT64_MAX}});
    queue_.push({reach_[destination.value], destination.value});
  }

  /// The best way from `from`; unreached if its cost is `no_way`. Grows the tree no further
  /// than that.
  Reach from(DeviceId from) {
    auto best = seen_from(from);
    while (!queue_.empty() && queue_.top().reach.cost <= best.cost) {
      const auto level = queue_.top().reach.cost;
      while (!queue_.empty() && queue_.top().reach.cost == level) settle_next();
      best = seen_from(from);
    }
    return best;
  }

  /// Links from `device` that begin a best way: fewest links among those as fast and as wide.
  void ways_on(DeviceId device, const Reach& rest, Bandwidth width, std::vector<LinkId>& ways) {
    const auto& hops = hops_at(width);
    auto fewest = unreached;
    ways.clear();
    const auto consider = [&](LinkId id) {
      const Link& link = router_.topology_[id];
      const auto left = hops[link.to.value];
      if (left == unreached || link.bandwidth < width) return;
      if (reach_[link.to.value].cost + cost_of(router_.topology_, link) != rest.cost) return;
      if (left < fewest) ways.clear();
      fewest = std::min(fewest, left);
      if (left == fewest) ways.push_back(id);
    };
    const auto leaving = router_.leaving(device);
    if (leaving.size() <= 64 || leaving.size() <= hops.size() || !can_pass(device)) {
      for (const LinkId id : leaving) consider(id);
      return;
    }
    hops.for_each([&](std::uint32_t on_a_way) {  // a switch of thousands of ports: look back at it
      for (const LinkId id : router_.entering({on_a_way}))
        if (router_.topology_[id].from == device) consider(id);
    });
    std::sort(ways.begin(), ways.end());
  }

 private:
  bool can_pass(DeviceId d) const { return d == destination_ || router_.topology_[d].forwards; }
  bool reached(DeviceId d) const { return reach_[d.value].cost != no_way; }

  Reach seen_from(DeviceId from) const {
    if (can_pass(from)) return reach_[from.value];
    Reach best;
    for (const LinkId id : router_.leaving(from)) {
      const Link& link = router_.topology_[id];
      if (!reached(link.to)) continue;
      if (const auto way = reach_[link.to.value].before(link, cost_of(router_.topology_, link));
          way.better_than(best))
        best = way;
    }
    return best;
  }

  /// One step of Dijkstra, from the destination backwards, over the devices that pass traffic on.
  void settle_next() {
    const auto [reach, device] = queue_.top();
    queue_.pop();
    if (reach_[device].better_than(reach)) return;
    hops_.clear();  // counted on a smaller tree
    for (const LinkId id : router_.entering({device})) {
      const Link& link = router_.topology_[id];
      const auto way = reach.before(link, cost_of(router_.topology_, link));
      if (!way.better_than(reach_[link.from.value])) continue;
      reach_.set(link.from.value, way);
      ++router_.remembered_;
      queue_.push({way, link.from.value});
    }
  }

  /// Links to the destination on shortest ways of at least this width, by device.
  const Sparse<std::uint32_t>& hops_at(Bandwidth width) {
    for (const auto& [known, hops] : hops_)
      if (known == width) return hops;
    Sparse<std::uint32_t> hops(unreached);
    std::vector<std::uint32_t> front{destination_.value}, next;
    hops.set(destination_.value, 0);
    for (std::uint32_t count = 1; !front.empty(); ++count, front.swap(next)) {
      next.clear();
      for (const auto device : front)
        for (const LinkId id : router_.entering({device})) {
          const Link& link = router_.topology_[id];
          if (hops[link.from.value] != unreached || link.bandwidth < width) continue;
          if (reach_[link.from.value].cost !=
              cost_of(router_.topology_, link) + reach_[device].cost)
            continue;
          hops.set(link.from.value, count);
          ++router_.remembered_;
          next.push_back(link.from.value);
        }
    }
    return hops_.emplace_back(width, std::move(hops)).second;
  }

  struct Item {
    Reach reach;
    std::uint32_t device;
    bool operator<(const Item& other) const { return other.reach.better_than(reach); }
  };

  Router& router_;
  DeviceId destination_;
  Sparse<Reach> reach_{Reach{}};  // by device; final up to the cost of queue_.top()
  std::priority_queue<Item> queue_;
  std::vector<std::pair<Bandwidth, Sparse<std::uint32_t>>> hops_;
};

Router::Router(const Topology& topology) : topology_(topology) {
  using End = std::optional<DeviceId>;
  auto out = grouped(topology, [](const Link& link) -> End { return link.from; });
  auto in = grouped(topology, [&](const Link& link) -> End {  // nobody else is passed through
    return topology[link.from].forwards ? End{link.to} : std::nullopt;
  });
  leaving_ = std::move(out.links), leaving_at_ = std::move(out.at);
  entering_ = std::move(in.links), entering_at_ = std::move(in.at);
}
Router::~Router() = default;

std::span<const LinkId> Router::leaving(DeviceId d) const {
  return {leaving_.data() + leaving_at_[d.value], leaving_.data() + leaving_at_[d.value + 1]};
}
std::span<const LinkId> Router::entering(DeviceId d) const {
  return {entering_.data() + entering_at_[d.value], entering_.data() + entering_at_[d.value + 1]};
}

Router::Tree& Router::towards(DeviceId destination) {
  constexpr std::size_t most_remembered = std::size_t{1} << 21;  // devices: some 200 MB
  if (const auto known = trees_.find(destination.value); known != trees_.end())
    return *known->second;
  if (remembered_ > most_remembered) trees_.clear(), remembered_ = 0;
  return *(trees_[destination.value] = std::make_unique<Tree>(*this, destination));
}

Result<Router::Path> Router::path(DeviceId from, DeviceId to, Spread spread) {
  Path path;
  if (from == to) return path;
  Tree& tree = towards(to);
  auto rest = tree.from(from);
  if (rest.cost == no_way)
    return bad_request(with_dead(topology_) + "there is no way from " + topology_[from].name +
                       " to " + topology_[to].name + " in " + topology_.name);
  const auto width = rest.width;
  std::vector<LinkId> ways;
  for (auto at = from; at != to; at = topology_[path.back()].to) {
    tree.ways_on(at, rest, width, ways);
    RS_ASSERT(!ways.empty(), "every device on a best way knows how to go on");
    const auto count = static_cast<std::uint32_t>(ways.size());
    auto& digits = at == from ? spread.at_source : spread.later;
    path.push_back(ways[digits % count]);
    digits /= count;
    rest.cost = rest.cost - cost_of(topology_, topology_[path.back()]);
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
  Reach nearest;
  for (std::uint32_t d = 0; d < topology_.devices.size(); ++d) {
    const Device& device = topology_.devices[d];
    if (device.kind != DeviceKind::memory || device.node != topology_[from].node) continue;
    const auto reach = towards({d}).from(from);
    if (!reach.better_than(nearest)) continue;
    nearest = reach;
    memory = DeviceId{d};
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
  const Spread spread{from.value + to.value + channel.value, to.value + channel.value};
  RS_ASSIGN(auto links, path(source, destination, spread));
  if (needs_staging(source, destination, links)) {
    RS_ASSIGN(links, staged(source, destination, spread));
  }
  return routes_[key] = keep(links);
}

}  // namespace ringside::sim
