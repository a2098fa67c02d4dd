#include "sim/workload/group_times.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "core/suggest.hpp"

namespace ringside::sim {
namespace {

constexpr std::string_view best = "best", two_levels = "hierarchical";

/// What `best` tries: what needs least wire time or least latency. Not those whose pieces must be
/// tuned, nor those in switches.
constexpr std::array<std::string_view, 6> tried{
    "halving_doubling", "recursive_halving", "recursive_doubling", "ring", "direct", "pairwise",
};

/// Whether `best` leaves an algorithm out. Reductions of all with all are for GPUs behind one
/// switch: latencies that all overlap are what no library reaches over a network. Where two levels
/// are known, or another algorithm, what takes long to simulate would not have been faster.
struct Judge {
  const Groups& groups;
  bool is_exchange, is_one_domain, has_two_levels, has_another;

  bool leaves_out(std::string_view algorithm) const {
    constexpr std::uint64_t most_told = 1u << 22, most_pairs = 1u << 19, most_flat = 1u << 14;
    const auto pairs = std::uint64_t{groups.size} * groups.extent;
    if (algorithm == "direct" && !is_exchange && !is_one_domain) return true;
    if (has_two_levels && pairs > most_flat) return true;
    return has_another && pairs > (is_exchange ? most_pairs : most_told);
  }
};

/// Switches join GPUs before any network does; without one, a node.
std::vector<std::uint32_t> domains(const Topology& topology) {
  std::vector<std::uint32_t> of_device(topology.devices.size());
  for (std::size_t d = 0; d < of_device.size(); ++d)
    of_device[d] = static_cast<std::uint32_t>(topology.devices.size()) + topology.devices[d].node;
  for (const Link& link : topology.links)
    if (topology[link.to].kind == DeviceKind::nvswitch) of_device[link.from.value] = link.to.value;
  std::vector<std::uint32_t> of_rank;
  of_rank.reserve(topology.ranks.size());
  for (const DeviceId device : topology.ranks) of_rank.push_back(of_device[device.value]);
  return of_rank;
}

/// One phase after the other.
GroupTime then(const GroupTime& a, const GroupTime& b) {
  GroupTime both{a.time + b.time, a.sent + b.sent, {}, a.algorithm};
  if (!b.algorithm.empty()) both.algorithm += (a.algorithm.empty() ? "" : ", ") + b.algorithm;
  const auto total = static_cast<double>(both.time.picoseconds);
  for (std::size_t k = 0; total > 0 && k < link_kind_count; ++k)
    both.busy.of_kind[k] =
        static_cast<std::uint32_t>((static_cast<double>(a.time.picoseconds) * a.busy.of_kind[k] +
                                    static_cast<double>(b.time.picoseconds) * b.busy.of_kind[k]) /
                                   total);
  return both;
}

bool exists(std::string_view algorithm) {
  return std::ranges::any_of(all_algorithms(),
                             [&](const Algorithm& a) { return a.name == algorithm; });
}

}  // namespace

GroupTimes::GroupTimes(const Topology& topology, std::string algorithm)
    : topology_(&topology),
      algorithm_(std::move(algorithm)),
      domain_of_(domains(topology)),
      router_(std::make_unique<Router>(topology)) {}

Result<GroupTimes> GroupTimes::make(const Topology& topology, std::string algorithm) {
  RS_TRY(check(topology));
  if (algorithm != best && !exists(algorithm))
    RS_TRY(find_algorithm(CollectiveKind::all_reduce, algorithm));
  return GroupTimes(topology, std::move(algorithm));
}

std::uint32_t GroupTimes::inner_size(const Groups& groups) const {
  std::uint32_t size = 0;
  for (std::uint32_t g = 0; g < groups.count(); ++g) {
    const auto domain = [&](std::uint32_t member) {
      return domain_of_[groups.rank(g, member).value];
    };
    std::uint32_t run = 1;
    for (std::uint32_t m = 1; m <= groups.size; ++m, ++run) {
      if (m < groups.size && domain(m) == domain(m - 1)) continue;
      if (size != 0 && run != size) return 1;
      size = run;
      run = 0;
    }
  }
  return size;
}

Result<GroupTime> GroupTimes::collective(CollectiveKind kind, const Groups& groups, Bytes bytes) {
  const auto ranks = std::uint64_t{groups.first} + groups.extent;
  if (ranks > topology_->ranks.size())
    return bad_request(topology_->name + " has " + counted(topology_->ranks.size(), "GPU") +
                       ", but " + std::to_string(ranks) + " take part");
  return of({kind, groups, bytes}, algorithm_);
}

Result<GroupTime> GroupTimes::of(const Ask& ask, std::string_view algorithm) {
  if (ask.groups.size == 1 || ask.bytes == Bytes{}) return GroupTime{};
  const std::tuple key{ask, algorithm == best};
  if (const auto known = known_.find(key); known != known_.end()) return known->second;
  RS_ASSIGN(auto time, fastest(ask, algorithm));
  return known_.emplace(key, std::move(time)).first->second;
}

Result<GroupTime> GroupTimes::fastest(const Ask& ask, std::string_view algorithm) {
  const bool is_open = algorithm == best;
  std::optional<GroupTime> found;
  std::string refused;
  const auto consider = [&](Result<GroupTime> time) {
    if (!time)
      refused = time.error().message;
    else if (!found || time->time < found->time)
      found = *std::move(time);
  };
  const auto inner = inner_size(ask.groups);
  if ((is_open || algorithm == two_levels) && inner > 1 && inner < ask.groups.size)
    consider(in_two_levels(ask));
  if (found && !is_open) return *found;
  const bool has_two_levels = found.has_value();
  for (const auto name :
       is_open ? std::span<const std::string_view>(tried) : std::span(&algorithm, 1)) {
    const auto one = find_algorithm(ask.kind, name);
    const Judge judge{ask.groups, ask.kind == CollectiveKind::all_to_all, inner == ask.groups.size,
                      has_two_levels, found.has_value()};
    if (one && !(is_open && judge.leaves_out(name))) consider(flat(ask, **one));
  }
  if (found) return *found;
  if (!is_open && (algorithm == two_levels || refused.empty())) return of(ask, best);
  return bad_request("no " + std::string(name(ask.kind)) + " serves " +
                     counted(ask.groups.size, "rank") + ": " + refused);
}

Result<GroupTime> GroupTimes::in_two_levels(const Ask& ask) {
  using enum CollectiveKind;
  Groups inner = ask.groups, outer = ask.groups;
  inner.size = inner_size(ask.groups);
  outer.size /= inner.size;
  outer.stride *= inner.size;
  const Bytes share{(ask.bytes.count + inner.size - 1) / inner.size};
  const bool is_exchange = ask.kind == all_to_all;
  GroupTime all;
  if (ask.kind == all_reduce || ask.kind == reduce_scatter) {
    RS_ASSIGN(const auto inside, of({reduce_scatter, inner, ask.bytes}, best));
    all = then(all, inside);
  }
  RS_ASSIGN(const auto across, of({ask.kind, outer, is_exchange ? ask.bytes : share}, best));
  all = then(all, across);
  if (ask.kind != reduce_scatter) {
    RS_ASSIGN(const auto inside,
              of({is_exchange ? all_to_all : all_gather, inner, ask.bytes}, best));
    all = then(all, inside);
  }
  all.algorithm = std::string(two_levels) + ": " + all.algorithm;
  return all;
}

Result<GroupTime> GroupTimes::flat(const Ask& ask, const Algorithm& algorithm) {
  const std::tuple key{ask.kind, ask.groups, algorithm.name};
  auto at = streamers_.find(key);
  if (at == streamers_.end()) {
    const CollectiveSpec spec{
        .kind = ask.kind, .ranks = ask.groups.size, .in_place = may_be_in_place(ask.kind)};
    Options options;
    if (const auto inner = inner_size(ask.groups); inner < spec.ranks)
      options.ranks_per_node = inner;
    RS_ASSIGN(const Plan plan, make_plan(algorithm, spec, options));
    if (plan.options.agents > 0)
      return bad_request(std::string(algorithm.name) + " reduces in switches");
    RS_ASSIGN(auto streamer, Streamer::prepare(siblings(plan, ask.groups), *topology_, *router_));
    at = streamers_.emplace(key, std::move(streamer)).first;
  }
  RS_ASSIGN(auto time, run(at->second, ask.bytes, ask.groups.extent));
  time.algorithm = algorithm.name;
  return time;
}

Result<GroupTime> GroupTimes::send(const Shift& shift, Bytes bytes) {
  if (bytes == Bytes{}) return GroupTime{};
  const std::tuple key{shift, bytes};
  if (const auto known = known_sends_.find(key); known != known_sends_.end()) return known->second;
  RS_ASSIGN(auto streamer, Streamer::prepare(all_send(shift), *topology_, *router_));
  RS_ASSIGN(auto time, run(streamer, bytes, shift.count));
  time.algorithm = "send";
  return known_sends_.emplace(key, std::move(time)).first->second;
}

Result<GroupTime> GroupTimes::run(Streamer& streamer, Bytes bytes, std::uint32_t senders) const {
  RS_ASSIGN(const auto simulation, streamer.run({bytes.count, ElementType::uint8}));
  GroupTime time{.time = simulation.time};
  std::uint64_t sent = 0;
  for (std::size_t l = 0; l < simulation.links.size(); ++l) {
    const Link& link = topology_->links[l];
    const LinkUse& use = simulation.links[l];
    if ((*topology_)[link.from].kind == DeviceKind::gpu) sent += use.bytes.count;
    if (time.time == Duration{}) continue;
    auto& busy = time.busy.of_kind[static_cast<std::size_t>(link.kind)];
    busy = std::max(busy, static_cast<std::uint32_t>(use.busy.seconds() / time.time.seconds() *
                                                     WireShares::whole));
  }
  time.sent = Bytes{sent / senders};
  return time;
}

}  // namespace ringside::sim
