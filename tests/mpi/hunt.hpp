#pragma once

#include <span>
#include <string>
#include <string_view>

#include "core/collective.hpp"
#include "gpu/mpi/tampering.hpp"

namespace ringside::mpi {

/// A mistake that an executor could make; or none, where a slow rank must change nothing.
struct Mistake {
  std::string_view name;
  Tampering tampering;
  bool is_wrong = true;
};

/// Where a mistake is looked for: a collective, and an algorithm of it.
struct Ground {
  CollectiveKind kind;
  std::string_view algorithm;
};

/// Under mpirun: makes each mistake in turn and runs every ground with it, twice, in place and not,
/// as a sum and as an average. Says on rank 0 which were found: `counter_not_reset: found`. Exit
/// status 1 if one was not, or if right ones were.
int report_hunt(std::span<const Mistake> mistakes, std::span<const Ground> grounds,
                const std::string& executor);

}  // namespace ringside::mpi
