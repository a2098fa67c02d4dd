#pragma once

#include "sim/simulate.hpp"

namespace ringside::sim {

/// No schedule beats the largest of three bounds, in either model; reductions inside a switch are
/// exempt (they add without a rank's port). alpha: the least latency between two ranks.
///
/// Bandwidth: the bytes that a rank must send (receive) over the sum of its links' bandwidths out
/// (in), the worst rank; and the bytes that all ranks together must move over all their links, as
/// in an all-reduce, where N ranks send each element at least 2(N-1) times (P. Patarasuk & X. Yuan,
/// JPDC 69 (2009); one-way gossip, F. Harary & A. Schwenk 1974). The last of them has alpha ahead.
///
/// Distance: alpha * ceil(log_(D+1) N), D the most ranks that any one reaches without passing
/// another: its links on a ring, torus or mesh, but N-1 behind a switch, where messages too short
/// to count leave one after the other in no time.
///
/// Ports: alpha + w * ceil(log_(d+1) N), d the most links out of (into) a rank: 1 on a star. It
/// bounds the schedules whose every message keeps a link out of (into) a rank busy for w =
/// `shortest` or longer; if that is alpha or more, no such schedule beats the textbook's
/// alpha * ceil(log_(d+1) N) (d = 1: E. Chan et al., CCPE 19 (2007)), which shorter messages do.
/// Proof: a rank's j-th message on one link ends no sooner than j w after the rank heard itself, so
/// by induction at most F(m) = 1 + d (F(m-1) + ... + F(0)) = (d+1)^m ranks have been called by time
/// m w. All N are after ceil(log_(d+1) N) times w, and the last of them hears alpha later; the
/// same, backwards in time, for what a root must hear.
///
/// `topology.ranks` must cover the spec's ranks. Zero for one rank, and where two ranks
/// sit on one device, as no wire joins them.
Duration lower_bound(const CollectiveSpec& spec, const Payload& payload, const Topology& topology,
                     Duration shortest = {});

/// No schedule lets the rank that sends and receives most, both counted together, do with fewer
/// bytes, whatever the wires: what a single rank must move, or its share of what all must move
/// together (see Bandwidth). An all-reduce of S bytes on N ranks: 4(N-1)/N S.
Bytes least_port_bytes(const CollectiveSpec& spec, const Payload& payload);

}  // namespace ringside::sim
