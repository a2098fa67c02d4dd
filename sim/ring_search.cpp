#include "sim/ring_search.hpp"

#include <algorithm>

namespace ringside::sim {
namespace {

constexpr std::size_t exact_up_to = 16, local_up_to = 256;
constexpr std::size_t most_steps = 200'000;    // of branch and bound
constexpr std::size_t most_edges = 5'000'000;  // laid by local exchanges

using Ring = std::vector<Rank>;

/// What one more edge on a link adds to RingScore::sharing, per edge already there and one more.
std::uint64_t weight(Bandwidth bandwidth) {
  constexpr std::uint64_t slowest = 1'000'000'000, scale = 1'000'000'000'000'000;
  return scale / std::max(bandwidth.bytes_per_second, slowest);
}

/// A ring and what it scores.
struct Scored {
  Ring ring;
  RingScore score;
};

class Search {
 public:
  Search(RingLoad& load, const Ring& ranks) : load_(load), ranks_(ranks) {}

  Result<Ring> run() {
    RS_TRY(consider(ranks_));
    if (ranks_.size() < 3 || ranks_.size() > local_up_to) return best_.ring;
    RS_ASSIGN(const Ring greedy, nearest_neighbours());
    RS_TRY(consider(greedy));
    RS_TRY(find_bounds());
    if (hopeless()) return best_.ring;  // to better it
    RS_TRY(exchange());
    if (ranks_.size() <= exact_up_to) RS_TRY(branch_and_bound());
    return best_.ring;
  }

 private:
  Result<RingScore> score(const Ring& ring) {
    RS_TRY(load_.add(ring));
    const RingScore score = load_.score();
    load_.take_off(ring.size());
    return score;
  }

  /// True if it is the best so far.
  Result<bool> consider(const Ring& ring) {
    RS_ASSIGN(const RingScore score, this->score(ring));
    if (!best_.ring.empty() && score <= best_.score) return false;
    best_ = {ring, score};
    return true;
  }

  Result<Ring> nearest_neighbours() {
    Ring ring{ranks_[0]}, left(ranks_.begin() + 1, ranks_.end());
    while (!left.empty()) {
      auto next = left.begin();
      RS_ASSIGN(RingScore nearest, load_.with(ring.back(), *next));
      for (auto it = next + 1; it != left.end(); ++it) {
        RS_ASSIGN(const RingScore score, load_.with(ring.back(), *it));
        if (score > nearest) nearest = score, next = it;
      }
      RS_TRY(load_.add(ring.back(), *next));
      ring.push_back(*next);
      left.erase(next);
    }
    load_.take_off(ring.size() - 1);
    return ring;
  }

  /// Reverses or moves parts of the best ring as long as that betters it.
  Result<void> exchange() {
    std::size_t edges = 0;
    const std::size_t n = ranks_.size();
    for (bool better = true; better && edges < most_edges;) {
      better = false;
      for (std::size_t i = 1; i < n && edges < most_edges; ++i)
        for (std::size_t j = i + 1; j < n; ++j) {
          for (const bool reverse : {true, false}) {
            Ring ring = best_.ring;
            const auto at = [&](std::size_t k) { return ring.begin() + static_cast<long>(k); };
            if (reverse)
              std::reverse(at(i), at(j + 1));
            else
              std::rotate(at(i), at(i + 1), at(j + 1));
            RS_ASSIGN(const bool improved, consider(ring));
            better = better || improved;
            edges += n;
          }
        }
    }
    return {};
  }

  /// The least that any edge into a rank can still cost, whatever comes before it.
  Result<void> find_bounds() {
    const RingScore base = load_.score();
    rest_ = {};
    for (const Rank to : ranks_) {
      RingScore least{0, UINT64_MAX, INT64_MAX};
      for (const Rank from : ranks_) {
        if (from == to) continue;
        RS_ASSIGN(const RingScore with, load_.with(from, to));
        least.bottleneck = std::max(least.bottleneck, with.bottleneck);
        least.sharing = std::min(least.sharing, with.sharing - base.sharing);
        least.latency = std::min(least.latency, with.latency - base.latency);
      }
      into_.push_back(least);
      rest_.bottleneck = std::min(rest_.bottleneck, least.bottleneck);
      rest_.sharing += least.sharing;
      rest_.latency += least.latency;
    }
    return {};
  }

  Result<void> branch_and_bound() {
    path_ = {0};
    used_.assign(ranks_.size(), false);
    used_[0] = true;
    return extend();
  }

  /// No ring that goes on from here can be better than the best one.
  bool hopeless() const {
    const RingScore& now = load_.score();
    return RingScore{std::min(now.bottleneck, rest_.bottleneck), now.sharing + rest_.sharing,
                     now.latency + rest_.latency} <= best_.score;
  }

  Result<void> extend() {
    if (path_.size() == ranks_.size()) {
      Ring ring;
      for (const std::size_t i : path_) ring.push_back(ranks_[i]);
      RS_TRY(load_.add(ring.back(), ring.front()));
      if (load_.score() > best_.score) best_ = {ring, load_.score()};
      load_.take_off(1);
      return {};
    }
    struct Way {
      std::size_t away, to;  // ties go to the nearest in the order given
      RingScore score;
    };
    std::vector<Way> ways;
    const std::size_t here = path_.back(), n = ranks_.size();
    for (std::size_t i = 1; i < n; ++i) {
      const std::size_t to = (here + i) % n;
      if (used_[to]) continue;
      RS_ASSIGN(const RingScore with, load_.with(ranks_[here], ranks_[to]));
      ways.push_back({i, to, with});
    }
    std::sort(ways.begin(), ways.end(), [](const Way& a, const Way& b) {
      return a.score == b.score ? a.away < b.away : a.score > b.score;
    });
    for (const Way& way : ways) {
      if (++steps_ > most_steps) return {};
      RS_TRY(load_.add(ranks_[here], ranks_[way.to]));
      path_.push_back(way.to);
      used_[way.to] = true;
      const RingScore& bound = into_[way.to];
      rest_.sharing -= bound.sharing;
      rest_.latency -= bound.latency;
      if (!hopeless()) RS_TRY(extend());
      rest_.sharing += bound.sharing;
      rest_.latency += bound.latency;
      used_[way.to] = false;
      path_.pop_back();
      load_.take_off(1);
    }
    return {};
  }

  RingLoad& load_;
  const Ring& ranks_;
  Scored best_;
  // Branch and bound: places in ranks_, and what the ranks not on the path must still cost.
  std::vector<std::size_t> path_;
  std::vector<bool> used_;
  std::vector<RingScore> into_;
  RingScore rest_;
  std::size_t steps_ = 0;
};

}  // namespace

Result<void> RingLoad::add(Rank from, Rank to) {
  RS_ASSIGN(const auto route, router_.route(from, to, channel_));
  laid_.push_back({route, score_});
  for (const LinkId id : route) {
    const Link& link = topology_[id];
    const std::uint64_t edges = ++edges_on_[id.value];
    score_.bottleneck = std::min(score_.bottleneck, link.bandwidth.bytes_per_second / edges);
    score_.sharing += (2 * edges - 1) * weight(link.bandwidth);
    score_.latency += link.latency.picoseconds;
  }
  return {};
}

Result<void> RingLoad::add(const std::vector<Rank>& ring) {
  for (std::size_t i = 0; i < ring.size(); ++i) RS_TRY(add(ring[i], ring[(i + 1) % ring.size()]));
  return {};
}

void RingLoad::take_off(std::size_t edges) {
  for (; edges > 0; --edges) {
    for (const LinkId id : laid_.back().route) --edges_on_[id.value];
    score_ = laid_.back().before;
    laid_.pop_back();
  }
}

Result<RingScore> RingLoad::with(Rank from, Rank to) {
  RS_TRY(add(from, to));
  const RingScore score = score_;
  take_off(1);
  return score;
}

Result<std::vector<Rank>> best_ring(RingLoad& load, const std::vector<Rank>& ranks) {
  return Search(load, ranks).run();
}

}  // namespace ringside::sim
