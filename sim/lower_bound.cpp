#include "sim/lower_bound.hpp"

#include <algorithm>
#include <queue>

#include "core/assert.hpp"

namespace ringside::sim {
namespace {

using Wide = unsigned __int128;
constexpr Duration longest_alpha{INT64_MAX / 64};  // so that no sum below overflows

/// Bytes that a rank must at least send and receive.
struct Needs {
  Wide out = 0, in = 0;
};
/// Its links' bandwidths summed, bytes/s.
struct Ports {
  Wide out = 0, in = 0;
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

Duration bandwidth_bound(const CollectiveSpec& spec, const Payload& payload,
                         const Topology& topology) {
  std::vector<Ports> ports(topology.devices.size());
  for (const Link& link : topology.links) {
    ports[link.from.value].out += link.bandwidth.bytes_per_second;
    ports[link.to.value].in += link.bandwidth.bytes_per_second;
  }
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

/// alpha, and how often it must be paid.
struct Rounds {
  Duration alpha;
  std::int64_t count = 0;
};

Rounds rounds_of(const CollectiveSpec& spec, const Topology& topology) {
  Neighbourhood neighbourhood(spec, topology);
  Near near;  // the nearest pair, the widest neighbourhood
  for (std::uint32_t r = 0; r < spec.ranks; ++r) {
    const auto device = topology.ranks[r];
    const auto mine = neighbourhood.of(device);
    near.nearest = std::min(near.nearest, mine.nearest);
    near.ranks = std::max(near.ranks, mine.ranks);
  }
  near.ranks = std::max(near.ranks, neighbourhood.most_heard());
  if (near.ranks == 0) return {};
  if (spec.kind == CollectiveKind::send_recv) return {std::min(near.nearest, longest_alpha), 1};
  Rounds rounds{std::min(near.nearest, longest_alpha)};
  for (std::uint64_t informed = 1; informed < spec.ranks; informed *= near.ranks + 1)
    ++rounds.count;
  return rounds;
}

}  // namespace

Duration lower_bound(const CollectiveSpec& spec, const Payload& payload, const Topology& topology) {
  RS_ASSERT(topology.ranks.size() >= spec.ranks, "every rank of the spec sits on a device");
  std::vector<DeviceId> seats(topology.ranks.begin(), topology.ranks.begin() + spec.ranks);
  std::sort(seats.begin(), seats.end());
  const bool shared = std::adjacent_find(seats.begin(), seats.end()) != seats.end();
  if (spec.ranks == 1 || shared) return {};
  const auto rounds = rounds_of(spec, topology);
  return std::max(bandwidth_bound(spec, payload, topology) + rounds.alpha,
                  rounds.count * rounds.alpha);
}

}  // namespace ringside::sim
