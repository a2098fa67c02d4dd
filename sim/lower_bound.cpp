#include "sim/lower_bound.hpp"

#include <algorithm>
#include <queue>

#include "core/assert.hpp"

namespace ringside::sim {
namespace {

using Wide = unsigned __int128;
constexpr Duration longest{INT64_MAX / 64};  // so that no sum below overflows

/// Bytes that a rank must at least send and receive.
struct Needs {
  Wide out = 0, in = 0;
};
/// Its links' bandwidths summed, bytes/s; and how many there are.
struct Ports {
  Wide out = 0, in = 0;
  std::uint64_t links_out = 0, links_in = 0;
};

Needs needs_of(const CollectiveSpec& spec, Wide count_bytes, std::uint32_t rank) {
  const Wide others = spec.ranks - 1;
  const bool root = rank == spec.root.value;
  switch (spec.kind) {
    case CollectiveKind::all_reduce:
    case CollectiveKind::send_recv:
      return {count_bytes, count_bytes};
    case CollectiveKind::reduce_scatter:
      return {others * count_bytes, count_bytes};
    case CollectiveKind::all_gather:
      return {count_bytes, others * count_bytes};
    case CollectiveKind::all_to_all:
      return {others * count_bytes, others * count_bytes};
    case CollectiveKind::broadcast:
      return root ? Needs{count_bytes, 0} : Needs{0, count_bytes};
    case CollectiveKind::reduce:
      return root ? Needs{0, count_bytes} : Needs{count_bytes, 0};
    case CollectiveKind::gather:
      return root ? Needs{0, others * count_bytes} : Needs{count_bytes, 0};
    case CollectiveKind::scatter:
      return root ? Needs{others * count_bytes, 0} : Needs{0, count_bytes};
    case CollectiveKind::barrier:
      return {};
  }
  return {};
}

/// Bytes that all ranks together must send, and receive: more than their single needs where
/// partial results have to be handed on.
Wide needs_of_all(const CollectiveSpec& spec, Wide count_bytes) {
  const Wide n = spec.ranks;
  switch (spec.kind) {
    case CollectiveKind::all_reduce:
      return 2 * (n - 1) * count_bytes;
    case CollectiveKind::reduce_scatter:
    case CollectiveKind::all_gather:
    case CollectiveKind::all_to_all:
      return n * (n - 1) * count_bytes;
    case CollectiveKind::broadcast:
    case CollectiveKind::reduce:
    case CollectiveKind::gather:
    case CollectiveKind::scatter:
      return (n - 1) * count_bytes;
    case CollectiveKind::send_recv:
      return n * count_bytes;
    case CollectiveKind::barrier:
      return 0;
  }
  return 0;
}

Duration at_least(Wide bytes, Wide bandwidth) {
  if (bytes == 0 || bandwidth == 0) return {};
  const Wide time = bytes * 1'000'000'000'000u / bandwidth;
  return {static_cast<std::int64_t>(std::min<Wide>(time, INT64_MAX / 2))};
}

/// By device.
std::vector<Ports> ports_of(const Topology& topology) {
  std::vector<Ports> ports(topology.devices.size());
  for (const Link& link : topology.links) {
    ports[link.from.value].out += link.bandwidth.bytes_per_second;
    ports[link.to.value].in += link.bandwidth.bytes_per_second;
    ++ports[link.from.value].links_out;
    ++ports[link.to.value].links_in;
  }
  return ports;
}

Duration bandwidth_bound(const CollectiveSpec& spec, const Payload& payload,
                         const Topology& topology) {
  const auto ports = ports_of(topology);
  const Wide bytes = Wide{payload.count} * size_of(payload.type).count;
  Duration bound{};
  Ports all;
  for (std::uint32_t r = 0; r < spec.ranks; ++r) {
    const auto needs = needs_of(spec, bytes, r);
    const auto& port = ports[topology.ranks[r].value];
    bound = std::max({bound, at_least(needs.out, port.out), at_least(needs.in, port.in)});
    all.out += port.out;
    all.in += port.in;
  }
  const auto total = needs_of_all(spec, bytes);
  return std::max({bound, at_least(total, all.out), at_least(total, all.in)});
}

/// How far and how wide a rank's direct neighbourhood is.
struct Near {
  Duration nearest = forever;
  std::uint64_t ranks = 0;
};

/// Dijkstra from a rank's device that stops at the devices of other ranks.
class Neighbourhood {
 public:
  Neighbourhood(const CollectiveSpec& spec, const Topology& topology)
      : topology_(topology),
        begin_(topology.devices.size() + 1),
        heard_(topology.devices.size()),
        has_rank_(topology.devices.size()) {
    for (std::uint32_t r = 0; r < spec.ranks; ++r) has_rank_[topology.ranks[r].value] = true;
    for (const Link& link : topology.links) ++begin_[link.from.value + 1];
    for (std::size_t d = 1; d < begin_.size(); ++d) begin_[d] += begin_[d - 1];
    leaving_.resize(topology.links.size());
    auto next = begin_;
    for (const Link& link : topology.links) leaving_[next[link.from.value]++] = &link;
  }

  Near of(DeviceId source) {
    using Item = std::pair<Duration, std::uint32_t>;
    std::priority_queue<Item, std::vector<Item>, std::greater<>> queue;
    std::vector<bool> done(topology_.devices.size());
    Near near;
    queue.push({Duration{}, source.value});
    while (!queue.empty()) {
      const auto [latency, device] = queue.top();
      queue.pop();
      if (done[device]) continue;
      done[device] = true;
      if (device != source.value && has_rank_[device]) {
        near.nearest = std::min(near.nearest, latency);
        ++near.ranks;
        ++heard_[device];
        continue;
      }
      for (auto i = begin_[device]; i < begin_[device + 1]; ++i)
        if (!done[leaving_[i]->to.value])
          queue.push({in_a_row(latency, leaving_[i]->latency), leaving_[i]->to.value});
    }
    return near;
  }

  /// The most ranks that any one device is directly reached from.
  std::uint64_t most_heard() const { return *std::max_element(heard_.begin(), heard_.end()); }

 private:
  const Topology& topology_;
  std::vector<std::uint32_t> begin_, heard_;  // by device
  std::vector<bool> has_rank_;
  std::vector<const Link*> leaving_;
};

/// ceil(log_(degree + 1) ranks): how often what one rank knows must be told on, if in each round
/// everyone who knows tells `degree` others. One message tells all that send_recv has to.
std::int64_t rounds(const CollectiveSpec& spec, std::uint64_t degree) {
  if (spec.kind == CollectiveKind::send_recv) return 1;
  std::int64_t count = 0;
  for (std::uint64_t informed = 1; informed < spec.ranks; informed *= degree + 1) ++count;
  return count;
}

Near nearest(const CollectiveSpec& spec, const Topology& topology) {
  Neighbourhood neighbourhood(spec, topology);
  Near near;  // the nearest pair, the widest neighbourhood
  for (std::uint32_t r = 0; r < spec.ranks; ++r) {
    const auto mine = neighbourhood.of(topology.ranks[r]);
    near.nearest = std::min(near.nearest, mine.nearest);
    near.ranks = std::max(near.ranks, mine.ranks);
  }
  near.ranks = std::max(near.ranks, neighbourhood.most_heard());
  return near;
}

std::uint64_t most_links(const CollectiveSpec& spec, const Topology& topology) {
  const auto ports = ports_of(topology);
  std::uint64_t most = 0;
  for (std::uint32_t r = 0; r < spec.ranks; ++r) {
    const auto& port = ports[topology.ranks[r].value];
    most = std::max({most, port.links_out, port.links_in});
  }
  return most;
}

}  // namespace

Bytes least_port_bytes(const CollectiveSpec& spec, const Payload& payload) {
  const Wide bytes = Wide{payload.count} * size_of(payload.type).count;
  if (spec.ranks == 1) return {};
  // All that is sent is received, so that each moves twice its share of the total.
  Wide least = (2 * needs_of_all(spec, bytes) + spec.ranks - 1) / spec.ranks;
  for (std::uint32_t r = 0; r < spec.ranks; ++r) {
    const auto needs = needs_of(spec, bytes, r);
    least = std::max(least, needs.out + needs.in);
  }
  return {static_cast<std::uint64_t>(std::min<Wide>(least, UINT64_MAX))};
}

Duration lower_bound(const CollectiveSpec& spec, const Payload& payload, const Topology& topology,
                     Duration shortest) {
  RS_ASSERT(topology.ranks.size() >= spec.ranks, "every rank of the spec sits on a device");
  std::vector<DeviceId> seats(topology.ranks.begin(), topology.ranks.begin() + spec.ranks);
  std::sort(seats.begin(), seats.end());
  const bool shared = std::adjacent_find(seats.begin(), seats.end()) != seats.end();
  if (spec.ranks == 1 || shared) return {};
  const auto near = nearest(spec, topology);
  if (near.ranks == 0) return {};
  const Duration alpha = std::min(near.nearest, longest);
  return std::max({bandwidth_bound(spec, payload, topology) + alpha,
                   rounds(spec, near.ranks) * alpha,
                   rounds(spec, most_links(spec, topology)) * std::min(shortest, longest) + alpha});
}

}  // namespace ringside::sim
