#pragma once

#include <vector>

#include "core/ids.hpp"
#include "core/units.hpp"

namespace ringside {

/// What happened to one transfer, simulated or measured: ready <= begin <= read <= commit, arrival
/// <= commit.
struct Span {
  TimePoint ready;    ///< its source held the data (raw dependencies met, earlier injections of its
                      ///< connection done)
  TimePoint begin;    ///< its first byte left the source
  TimePoint read;     ///< its last byte left the source
  TimePoint arrival;  ///< its last byte reached the target
  TimePoint commit;   ///< its target holds the result
  friend bool operator==(const Span&, const Span&) = default;
};

/// While a transfer went over a wire at one rate: from <= to.
struct LinkStretch {
  LinkId link;
  TransferId transfer;
  TimePoint from, to;
  Bandwidth rate;
};

}  // namespace ringside
