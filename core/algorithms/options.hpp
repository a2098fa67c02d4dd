#pragma once

#include <cstdint>
#include <string>

#include "core/algorithm.hpp"
#include "core/suggest.hpp"

namespace ringside::algorithms {

/// Complete options of an algorithm that knows chunks only. What it does not know is left out, so
/// that a result row never names an option that had no effect.
inline Options chunks_only(const Options& given, std::uint32_t by_default) {
  Options options;
  options.chunks = given.chunks == 0 ? by_default : given.chunks;
  options.channels = 1;
  return options;
}

/// `who` ("ring all_reduce") works with exactly this many chunks.
inline Result<void> needs_chunks(const Options& options, std::uint32_t wanted, std::string who) {
  if (options.chunks == wanted) return {};
  return bad_request(std::move(who) + " needs --chunks " + std::to_string(wanted) + ", not " +
                     std::to_string(options.chunks));
}

/// `who` works with 1, 2, 3, ... times this many chunks.
inline Result<void> needs_multiple(const Options& options, std::uint32_t unit, std::string who) {
  if (options.chunks > 0 && options.chunks % unit == 0) return {};
  return bad_request(std::move(who) + " needs a multiple of " + counted(unit, "chunk") +
                     " (--chunks " + std::to_string(unit) + ", for one), not " +
                     std::to_string(options.chunks));
}

/// Ranks a node. Where nobody said: the largest number that divides N and is no larger than most
/// machines.
inline std::uint32_t node_size(const Options& given, std::uint32_t ranks) {
  if (given.ranks_per_node != 0) return given.ranks_per_node;
  std::uint32_t node = 8;
  while (ranks % node != 0) --node;
  return node;
}

/// `who` works where all nodes have the same number of ranks.
inline Result<void> needs_equal_nodes(const CollectiveSpec& spec, const Options& options,
                                      std::string who) {
  if (spec.ranks % options.ranks_per_node == 0) return {};
  return bad_request(std::move(who) +
                     " needs nodes of equal size: " + counted(options.ranks_per_node, "rank") +
                     " a node do not divide " + std::to_string(spec.ranks));
}

}  // namespace ringside::algorithms
