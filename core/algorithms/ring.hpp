#pragma once

#include <cstdint>

#include "core/algorithm.hpp"
#include "core/algorithms/wrapped.hpp"

namespace ringside::algorithms {

/// The ranks of one channel in ring order: position p is rank at(p); positions count modulo N.
class Ring {
 public:
  Ring(const CollectiveSpec& spec, const Options& options, std::uint32_t channel = 0)
      : size_(spec.ranks),
        order_(options.rank_order.empty()
                   ? nullptr
                   : &options.rank_order[channel % options.rank_order.size()]) {}

  std::uint32_t size() const { return size_; }
  /// `position` may be any integer: it counts modulo N.
  std::uint32_t at(std::int64_t position) const {
    const auto p = wrapped(position, size_);
    return order_ ? (*order_)[p].value : p;
  }
  /// Calls visit(position) for those of ranks [0, heard), where `heard` is a multiple of
  /// ring_orbit()'s ranks.
  template <typename Visit>
  void for_each_heard(std::uint32_t heard, Visit visit) const {
    for (std::uint32_t p = 0; p < heard; ++p) {
      const auto rank = at(p);
      visit(wrapped(std::int64_t{p} - (rank - rank % heard), size_));
    }
  }

 private:
  std::int64_t size_;
  const std::vector<Rank>* order_;
};

/// Calls visit(position) for every rank that `sink` hears.
template <typename Visit>
void for_each_position(const Ring& ring, const TransferSink& sink, Visit visit) {
  if (!sink.hears_all()) return ring.for_each_heard(sink.heard(ring.size()), visit);
  for (std::int64_t p = 0; p < ring.size(); ++p) visit(p);
}

/// After how many positions, and as many ranks, every ring goes on as it began; N if never.
inline std::uint32_t period(const std::vector<std::vector<Rank>>& rings, std::uint32_t ranks) {
  const auto repeats_after = [&](std::uint32_t g) {
    for (const auto& ring : rings)
      for (std::uint32_t p = 0; p < ranks; ++p)
        if (ring[(p + g) % ranks].value != (ring[p].value + g) % ranks) return false;
    return true;
  };
  std::uint32_t g = 1;
  while (g < ranks && (ranks % g != 0 || !repeats_after(g))) ++g;
  return g;
}

/// A story of rings through all ranks: each row of the vector is one ring's, with a block a rank.
inline Orbit ring_orbit(const CollectiveSpec& spec, const Options& options,
                        std::uint32_t rows = 1) {
  const auto n = spec.ranks, ranks = period(options.rank_order, n);
  return {.ranks = ranks,
          .groups = n / ranks,
          .blocks = n,
          .width = options.chunks / (rows * n),
          .turn = ranks,
          .in_order = options.rank_order.empty()};
}

}  // namespace ringside::algorithms
