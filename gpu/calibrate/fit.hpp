#pragma once

#include <string>
#include <vector>

#include "gpu/calibrate/calibration.hpp"

namespace ringside::calibrate {

/// A machine as its measured pairs show it: every rank has a port out and a port in, and all ports
/// meet in one place. A message takes both ports' latencies and the narrower one's bandwidth; what
/// a rank gets when it sends and receives bounds what its port carries both ways together, and what
/// pairs get when all move data at once bounds what the meeting place carries. Pairs nobody
/// measured have the figures of their ports.
///
/// Where pairs inside a node and pairs between nodes are two classes, ports meet inside their node,
/// and every node has a port out and a port in to where the nodes meet: a message between nodes
/// goes through four ports. Where nodes meet is taken to be wide enough.
struct Ports {
  struct Port {
    Bandwidth out, in;
    Bandwidth duplex;  ///< of both ways at once, added; 0 if neither way slows the other down
    Duration latency;  ///< of either way
  };
  std::vector<Port> ranks;
  Bandwidth middle;           ///< of all messages at once; 0 if it never was the narrowest
  std::vector<Port> nodes{};  ///< empty where there is one class of pairs
  std::vector<std::uint32_t> node_of{};  ///< by rank; empty like `nodes`

  /// What the narrowest port on the way carries.
  Bandwidth carried(const Pair& pair) const;
};

/// The ports that explain the figures: a port is as wide as the fastest message that went through
/// it, and has half of the median latency of its pairs; a node's port is as wide as all messages
/// that went through it at once, and has half of what its pairs' latencies are longer than those of
/// their ranks' ports. Where there are two classes, a rank that no pair inside a node has measured
/// has a port like the other ranks'. Error if a rank, or a node, has no figure else.
Result<Ports> fit(const Calibration& calibration);

/// A pair, or a rank, that is slower than the others of its kind by more than `tolerance` (0.2: 20
/// %), in one sentence: `rank 3 -> rank 1: 38 % below what their ports carry (...)`. Nothing that
/// the spread of its samples explains as well, nothing at all where there is noise(), and nothing
/// of fewer than four ranks: who has no three peers is not unlike them.
std::vector<std::string> outliers(const Calibration& calibration, const Ports& ports,
                                  double tolerance);

/// One sentence if half of a typical pair's samples were slower than the fastest one by more than
/// `tolerance`; else empty.
std::string noise(const Calibration& calibration, double tolerance);

}  // namespace ringside::calibrate
