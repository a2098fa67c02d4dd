#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "viz/scenario/contest.hpp"

namespace ringside::scenario {

/// A contest at many sizes on several threads. What comes out does not depend on their number.
class Sweep {
 public:
  /// What is kept of a run, which itself is too large to keep.
  struct Kept {
    Row row;
    std::string explanation;
    std::string note{};  ///< Contest::Run's
  };
  /// Called by all threads at once; empty: leaves no row.
  using Keep = std::function<Result<std::optional<Kept>>(Contest::Run&)>;

  struct Conduct {
    unsigned threads = 0;  ///< 0: one a core
    /// Asked by all threads while they work; true ends the sweep with what is finished.
    std::function<bool()> is_stopped = [] { return false; };
    /// After each part, by one thread at a time.
    std::function<void(std::size_t done, std::size_t of, Bytes size)> progress = [](auto...) {};
  };
  struct Outcome {
    std::vector<Kept> kept;          ///< as Contest::run() shows them, size by size
    std::vector<std::string> notes;  ///< what was left out at which size, and why
    std::size_t done = 0, of = 0;    ///< parts: fewer done than there are where it was stopped
  };

  /// Errors: of an algorithm asked for by name, and of `keep`; the first in order of size.
  static Result<Outcome> run(Contest& contest, std::span<const Bytes> sizes, const Keep& keep,
                             const Conduct& conduct);
};

}  // namespace ringside::scenario
