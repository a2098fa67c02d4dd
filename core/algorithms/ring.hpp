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

 private:
  std::int64_t size_;
  const std::vector<Rank>* order_;
};

}  // namespace ringside::algorithms
