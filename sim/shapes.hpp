#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "sim/topology.hpp"

namespace ringside::sim {

/// Textbook wirings, to think with: every wire alike, nothing but the collective on them.
enum class ShapeKind : std::uint8_t {
  ring,       ///< rank r joined both ways to r+1 mod N
  star,       ///< every rank has one full-duplex link to the one switch `sw0`
  mesh,       ///< every ordered pair of ranks has its own link
  torus,      ///< a grid of any number of dimensions whose every row is a ring
  hypercube,  ///< ranks that differ in one bit are joined; N is a power of two
  fattree,    ///< ranks under leaf switches, the leaves under one spine
};

/// All names, in the order of ShapeKind: `ring` ... `fattree`.
std::span<const std::string_view> shape_names();
bool is_shape(std::string_view name);
Result<ShapeKind> parse_shape(std::string_view name);

struct ShapeRequest {
  ShapeKind kind = ShapeKind::ring;
  std::uint64_t ranks = 0;        ///< N >= 1; wide, so that 10^9 gets its sentence
  Bandwidth bandwidth = 25_GBps;  ///< of each link, one direction
  Duration latency = 1_us;        ///< of each link
  /// Torus: its sides, product N, row-major (the last side varies fastest); empty = two sides as
  /// near to square as N allows. Fat tree: one number, ranks a leaf; empty = the smallest divisor
  /// of N that is at least its square root. Empty for all others.
  std::vector<std::uint32_t> dims = {};
  /// Fat tree: what a leaf's ranks can send at once over what its uplink carries. 1 = non-blocking.
  std::uint32_t oversubscription = 1;
};

/// Devices `gpu0`..., then switches; links of kind generic; rank r on gpu r. Neighbours are joined
/// once each way even where both ways round lead to the same one: a ring of two has two links, as
/// has a torus side of two. A leaf's uplink is one fat wire of (ranks a leaf) x bandwidth /
/// oversubscription (C. E. Leiserson, "Fat-trees", IEEE ToC 34 (1985)), so that only a real lack of
/// bandwidth, never an unlucky hash, makes transfers wait. Error, one sentence, if N is 0 or more
/// than the simulator holds (2^20 ranks, 2^24 links), is no power of two (hypercube), or does not
/// fit `dims`.
Result<Topology> make_shape(const ShapeRequest& request);

}  // namespace ringside::sim
