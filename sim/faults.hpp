#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "sim/simulate.hpp"
#include "sim/topology.hpp"

namespace ringside::sim {

/// `--slow 'gpu3->nvsw0=4x'`: the links of that name carry a quarter of their bandwidth.
struct SlowLink {
  std::string link;
  double factor = 1;  ///< bandwidth is divided by it; at least 1
};
/// `--straggler 3=50us`: rank 3 sends and commits nothing before 50 us.
struct Straggler {
  Rank rank;
  Duration start;
};

/// What goes wrong on purpose, as the user said it.
struct Faults {
  std::vector<SlowLink> slow;
  std::vector<std::string> dead;  ///< `--dead 'gpu3->nvsw0'`, as find_links() takes it
  std::vector<Straggler> stragglers;
  double jitter = 0;  ///< `--jitter 5%:SEED`: each wire time is up to 5 % longer
  std::uint64_t jitter_seed = 0;
};

/// `LINK=4x` (or `LINK=4`). The link's name is looked up in apply().
Result<SlowLink> parse_slow(std::string_view text);
/// `RANK=50us`.
Result<Straggler> parse_straggler(std::string_view text);
/// `5%` or `5%:SEED` into faults.jitter and faults.jitter_seed (0 unless given).
Result<void> parse_jitter(std::string_view text, Faults& faults);

/// Slows and removes links. Error if two factors fall on one link. Link ids change where one was
/// removed; routes go another way, or the router says that there is none. Unknown names get a
/// suggestion.
Result<void> apply(const Faults& faults, Topology& topology);
/// What acts on ranks and time. Error if a straggler is no rank below `ranks`, or comes twice.
Result<Disturbance> disturbance(const Faults& faults, std::uint32_t ranks);

}  // namespace ringside::sim
