#pragma once

#include "sim/simulate.hpp"

namespace ringside::sim {

/// No schedule can beat the larger of two bounds, in either model; reductions inside a switch are
/// exempt (they add without a rank's port).
///
/// Bandwidth: the bytes that a rank must send (receive) over the sum of its links' bandwidths out
/// (in), the worst rank; and the bytes that all ranks together must move over all their links, as
/// in an all-reduce, where N ranks send each element at least 2(N-1) times (P. Patarasuk & X. Yuan,
/// JPDC 69 (2009); one-way gossip, F. Harary & A. Schwenk 1974). The last of them has alpha ahead.
///
/// Latency: alpha * ceil(log_(d+1) N). alpha is the least latency between two ranks; d the most
/// ranks that any one reaches without passing another: its links on a ring, torus or mesh. (With d
/// = 1: E. Chan et al., "Collective communication: theory, practice, and experience", CCPE 19
/// (2007).) A link into a switch reaches all ranks behind it: a message costs no time but its bytes
/// there, so d is N-1 on a star.
///
/// `topology.ranks` must cover the spec's ranks. Zero for one rank, and where two ranks
/// sit on one device, as no wire joins them.
Duration lower_bound(const CollectiveSpec& spec, const Payload& payload, const Topology& topology);

}  // namespace ringside::sim
