#include "sim/rank_order.hpp"

#include <algorithm>
#include <charconv>
#include <map>
#include <string>

#include "core/suggest.hpp"
#include "sim/ring_search.hpp"

namespace ringside::sim {
namespace {

constexpr std::uint32_t most_channels = 16;
constexpr std::uint32_t most_scored = 4096;  // ranks; beyond, rings over nodes are not compared

using Ring = std::vector<Rank>;

Ring identity(std::uint32_t ranks) {
  Ring ring(ranks);
  for (std::uint32_t r = 0; r < ranks; ++r) ring[r] = {r};
  return ring;
}

/// The ranks of each node, in order.
std::vector<Ring> ranks_by_node(const Topology& topology, std::uint32_t ranks) {
  std::map<std::uint32_t, Ring> nodes;
  for (std::uint32_t r = 0; r < ranks; ++r) nodes[topology[topology.ranks[r]].node].push_back({r});
  std::vector<Ring> out;
  for (auto& [node, members] : nodes) out.push_back(std::move(members));
  return out;
}

/// Node by node along `local` (a ring through the first node, as places in it), entered at place
/// `entry`. There and back: every second node is passed the other way round, so that a ring enters
/// a node by the rail that it left the last one by.
Ring over_nodes(const std::vector<Ring>& nodes, const std::vector<std::size_t>& local,
                std::size_t entry, bool there_and_back) {
  Ring ring;
  for (std::size_t node = 0; node < nodes.size(); ++node) {
    const Ring& members = nodes[node];
    Ring part = members;
    if (members.size() == local.size())
      for (std::size_t i = 0; i < local.size(); ++i)
        part[i] = members[local[(entry + i) % local.size()]];
    if (there_and_back && node % 2 == 1) std::reverse(part.begin(), part.end());
    ring.insert(ring.end(), part.begin(), part.end());
  }
  return ring;
}

class RingFinder {
 public:
  RingFinder(const Topology& topology, std::uint32_t ranks)
      : router_(topology),
        load_(topology, router_),
        ranks_(ranks),
        nodes_(ranks_by_node(topology, ranks)) {}

  /// The next ring, on what the ones before it left free.
  Result<Ring> next(std::uint32_t channel) {
    load_.use_channel(channel);
    Ring ring = identity(ranks_);
    if (nodes_.size() == 1) {
      RS_ASSIGN(ring, best_ring(load_, nodes_[0]));
    } else if (nodes_.size() < ranks_) {
      RS_ASSIGN(ring, best_over_nodes(channel));
    }
    if (ranks_ > 1 && ranks_ <= most_scored) RS_TRY(load_.add(ring));
    return ring;
  }

  Bandwidth bottleneck() const { return {load_.score().bottleneck}; }

 private:
  Result<Ring> best_over_nodes(std::uint32_t channel) {
    RS_ASSIGN(const Ring first, best_ring(load_, nodes_[0]));
    std::vector<std::size_t> local;
    for (const Rank rank : first)
      local.push_back(static_cast<std::size_t>(std::find(nodes_[0].begin(), nodes_[0].end(), rank) -
                                               nodes_[0].begin()));
    if (ranks_ > most_scored) return over_nodes(nodes_, local, channel % local.size(), true);
    Ring best = identity(ranks_);
    RS_TRY(load_.add(best));
    RingScore best_score = load_.score();
    load_.take_off(best.size());
    for (const bool there_and_back : {true, false})
      for (std::size_t entry = 0; entry < local.size(); ++entry) {
        Ring ring = over_nodes(nodes_, local, entry, there_and_back);
        RS_TRY(load_.add(ring));
        const RingScore score = load_.score();
        load_.take_off(ring.size());
        if (score > best_score) best_score = score, best = std::move(ring);
      }
    return best;
  }

  Router router_;
  RingLoad load_;
  std::uint32_t ranks_;
  std::vector<Ring> nodes_;
};

Result<Ring> parse_ring(std::string_view text, std::uint32_t ranks) {
  const auto wrong = [&](const std::string& what) {
    return bad_request("--rank-order: " + what + "; expected each of the ranks 0 to " +
                       std::to_string(ranks - 1) + " once, such as 0,2,1 for three");
  };
  Ring ring;
  std::vector<bool> seen(ranks);
  while (true) {
    const std::size_t end = text.find(',');
    std::string_view word = text.substr(0, end);
    while (word.starts_with(' ')) word.remove_prefix(1);
    while (word.ends_with(' ')) word.remove_suffix(1);
    std::uint32_t rank = 0;
    const auto [stop, error] = std::from_chars(word.data(), word.data() + word.size(), rank);
    if (error != std::errc{} || stop != word.data() + word.size())
      return wrong("`" + std::string(word.substr(0, 32)) + "` is no rank");
    if (rank >= ranks) return wrong("there is no rank " + std::to_string(rank));
    if (seen[rank]) return wrong("rank " + std::to_string(rank) + " comes twice");
    seen[rank] = true;
    ring.push_back({rank});
    if (end == text.npos) break;
    text.remove_prefix(end + 1);
  }
  const auto missing = std::find(seen.begin(), seen.end(), false);
  if (missing != seen.end())
    return wrong("rank " + std::to_string(missing - seen.begin()) + " is missing");
  return ring;
}

}  // namespace

Result<Bandwidth> bottleneck(const Topology& topology, const Rings& rings) {
  Router router(topology);
  RingLoad load(topology, router);
  for (std::uint32_t channel = 0; channel < rings.size(); ++channel) {
    load.use_channel(channel);
    if (rings[channel].size() > 1) RS_TRY(load.add(rings[channel]));
  }
  return Bandwidth{load.score().bottleneck};
}

Result<Rings> find_rings(const Topology& topology, std::uint32_t ranks, std::uint32_t channels) {
  if (ranks == 0 || ranks > topology.ranks.size())
    return bad_request(topology.name + " has " + counted(topology.ranks.size(), "GPU") +
                       ", so no rings of " + counted(ranks, "rank"));
  RingFinder finder(topology, ranks);
  Rings rings;
  std::size_t best_count = 1;
  double most = 0;
  const std::uint32_t wanted = channels == 0 ? most_channels : channels;
  for (std::uint32_t channel = 0; channel < wanted; ++channel) {
    RS_ASSIGN(Ring ring, finder.next(channel));
    rings.push_back(std::move(ring));
    const double all = static_cast<double>(rings.size()) *
                       static_cast<double>(finder.bottleneck().bytes_per_second);
    if (all > most * 1.001) most = all, best_count = rings.size();  // not for a rounded byte
    if (channels == 0 && (ranks == 1 || ranks > most_scored)) break;
  }
  if (channels == 0) rings.resize(best_count);
  return rings;
}

Result<Rings> parse_rank_order(std::string_view text, const Topology& topology, std::uint32_t ranks,
                               std::uint32_t channels) {
  if (text == "auto") return find_rings(topology, ranks, channels);
  if (text == "identity") return Rings{};
  if (text.empty() || text.find_first_of("0123456789") == text.npos)
    return bad_request("--rank-order " + std::string(text.substr(0, 32)) +
                       ": expected auto, identity or a list of ranks such as 0,3,2,1");
  Rings rings;
  while (true) {
    const std::size_t end = text.find(';');
    RS_ASSIGN(Ring ring, parse_ring(text.substr(0, end), ranks));
    rings.push_back(std::move(ring));
    if (end == text.npos) return rings;
    text.remove_prefix(end + 1);
  }
}

}  // namespace ringside::sim
