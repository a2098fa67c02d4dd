#include "sim/models/connections.hpp"

#include <bit>
#include <utility>

#include "core/machine_memory.hpp"

namespace ringside::sim::models {
namespace {

constexpr std::uint32_t most_connections = 1u << 28;
constexpr Bytes for_each_connection{192};  // its route, and the tables that find both, included

}  // namespace

ToldConnection* Connections::find(const Transfer& t, std::uint64_t key, std::uint32_t& latest) {
  const auto known = known_.find(key);
  auto found = static_cast<std::uint32_t>(all_.size());
  if (known != known_.end()) {
    found = known->second;
  } else if (const auto added = add(t, key); !added) {
    error_ = added.error();
    return nullptr;
  }
  if (latest != 0) all_[latest].next = found;
  latest = found;
  return &all_[found];
}

Result<void> Connections::add(const Transfer& t, std::uint64_t key) {
  const auto number = static_cast<std::uint32_t>(all_.size());
  if (std::has_single_bit(number))  // tables double here
    RS_TRY(check_memory(2 * number * for_each_connection,
                        std::to_string(2 * number) + " pairs of ranks that talk"));
  if (number >= most_connections)
    return bad_request("more than " + std::to_string(most_connections) +
                       " pairs of ranks talk: take fewer ranks");
  RS_ASSIGN(const auto route, router_.route(t.src().rank, t.dst().rank, t.channel()));
  ToldConnection c{.key = key, .first_hop = static_cast<std::uint32_t>(hops_.size())};
  c.is_local = t.is_local();
  for (const LinkId id : route) {
    hops_.push_back(id.value);
    c.latency = in_a_row(c.latency, topology_[id].latency);
  }
  const auto device = topology_.ranks[t.src().rank.value];
  if (route.empty() && topology_[device].memory.bytes_per_second > 0)
    hops_.push_back(static_cast<std::uint32_t>(topology_.links.size()) + device.value);
  if (folding_ != nullptr) RS_TRY(fold(t, c.first_hop));
  c.hop_count = static_cast<std::uint32_t>(hops_.size()) - c.first_hop;
  all_.push_back(c);
  known_.emplace(key, number);
  return {};
}

/// Names the wires of a new route by those of group 0.
Result<void> Connections::fold(const Transfer& t, std::size_t first_hop) {
  RS_ASSIGN(const auto branchings, router_.branchings(t.src().rank, t.dst().rank, t.channel()));
  if (!folding_->goes_alike(branchings))
    return bad_request("rank " + std::to_string(t.src().rank.value) + " has several ways to rank " +
                       std::to_string(t.dst().rank.value) +
                       ", and others choose among theirs anew");
  for (auto hop = first_hop; hop < hops_.size(); ++hop) {
    RS_ASSIGN(const auto place, folding_->place_of(hops_[hop], topology_));
    for (auto before = first_hop; before < hop; ++before)
      if (hops_[before] == place.like)
        return bad_request("a message from rank " + std::to_string(t.src().rank.value) +
                           " to rank " + std::to_string(t.dst().rank.value) +
                           " crosses wires of several groups that are like one another");
    hops_[hop] = place.like;
    groups_.push_back(place.group);
  }
  return {};
}

void Connections::forget_traffic() {
  for (auto& c : all_) {
    c.injected = {};
    c.messages = 0;
    c.bytes = 0;
  }
}

}  // namespace ringside::sim::models
