#pragma once

#include <cstdint>
#include <vector>

#include "core/engine.hpp"
#include "core/report.hpp"

namespace ringside::terminal {

/// How much was tried.
struct Tried {
  std::uint64_t runs = 0, elements = 0;  ///< elements compared
  std::uint64_t refused = 0;             ///< runs that an executor said it does not do
  bool has_stopped = false;              ///< a run did not end, so nothing was tried after it
};

/// How much is to be tried of: type, op, count (none, one, about the number of ranks, primes), kind
/// of data, misaligned starts, and executor.
enum class Thoroughness : std::uint8_t {
  pairs,    ///< every pair of their values, and every type and op on one vector of a prime length
  product,  ///< all with all
};

struct Trying {
  Thoroughness how = Thoroughness::pairs;
  Duration timeout = RunOptions{}.timeout;  ///< of each wait of a run
};

/// Runs an algorithm on `ranks` ranks with real data: every root that matters, in place and not.
/// Random reals run twice and must give the same bits; and it is made sure that no rank's input
/// could be left out unseen. A row for each placement, type and op: `wrong` counts elements,
/// `violation` is the first fault. A run that does not end is the last: who does not answer once
/// will not answer the next time. Empty where the algorithm serves no such number of ranks, or
/// needs what the backend lacks.
std::vector<Row> try_out(Backend& backend, const Algorithm& algorithm, std::uint32_t ranks,
                         const Trying& trying, Tried& tried);

}  // namespace ringside::terminal
