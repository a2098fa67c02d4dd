#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/backend.hpp"
#include "core/result.hpp"
#include "core/units.hpp"
#include "gpu/calibrate/rounds.hpp"

namespace ringside::calibrate {

/// How to measure a machine.
struct Plan {
  std::uint32_t ranks = 2;
  Bytes message{1u << 20};  ///< what bandwidth is measured with
  int samples = 7;          ///< of each figure, the fastest of which counts
  /// When it is spent, pairs not yet measured stay so.
  Duration budget = microseconds(300'000'000);
  RunOptions run{};  ///< the executor; its timeout
  /// By rank: the number of its node, from 0; empty where all are on one.
  std::vector<std::uint32_t> node_of{};
};

/// What one ordered pair of ranks showed. A message of b bytes between them, alone on the machine,
/// takes latency + b / alone.
struct PairFigures {
  Pair pair{};
  Duration latency{};    ///< half of a round trip: the same both ways
  Bandwidth alone{};     ///< while nothing else moved
  Bandwidth together{};  ///< while all pairs of its round moved data both ways: the slowest
  double spread = 0;     ///< by how much the median sample of `alone` was slower than the fastest
  double latency_spread = 0;  ///< the same of `latency`: both are shares of the fastest
};

/// What a rank's port showed while the rank received from the one before it (N - 1 before 0) and
/// sent to the one behind it, and nothing else moved.
struct PortFigures {
  Rank rank{};
  Bandwidth duplex{};  ///< of either way: the slower
};

struct Calibration {
  std::uint32_t ranks = 0;
  std::vector<std::uint32_t> node_of{};  ///< as in the plan
  std::string executor{};                ///< `host/ranks`
  std::vector<PairFigures> figures{};    ///< by pair
  std::vector<PortFigures> ports{};      ///< by rank; fewer were measured if time ran out
  std::uint64_t pairs = 0;    ///< ordered pairs there are; fewer were measured if time ran out
  std::uint64_t unclear = 0;  ///< measured, but drowned in noise: more data took less time

  /// Pairs inside a node and pairs between nodes are two classes, where there are both.
  bool has_classes() const;
  bool is_inside(const Pair& pair) const {
    return node_of.empty() || node_of[pair.from.value] == node_of[pair.to.value];
  }
};

/// What the buffers of so many ranks of one process take at most, where nothing drowns in noise.
Bytes memory_of(const Plan& plan, std::size_t owned_ranks);

/// Measures by running schedules of plain copies, so that every backend can: the figures are
/// differences between long and short ones, and what it costs to start and end a run drops out.
/// Streams give bandwidth, ping-pongs latency. `progress` hears how many pairs are done.
/// Where ranks are processes, all call it alike and get the same.
Result<Calibration> calibrate(Backend& backend, const Plan& plan,
                              const std::function<void(std::uint64_t)>& progress);

}  // namespace ringside::calibrate
