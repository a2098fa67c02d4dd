#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/units.hpp"
#include "viz/scenario/scenario.hpp"

namespace ringside::stage {

/// What one algorithm takes, by size or by ranks, as `simulate --algorithm all` would print it.
struct Curve {
  struct Point {
    double x = 0;  ///< bytes, or ranks
    Duration time;
    std::optional<double> busbw;  ///< GB/s; empty where it took no time
  };
  std::string algorithm;
  std::vector<Point> points;  ///< by x
};

/// Where another algorithm becomes the fastest: between two sizes that were run, where straight
/// lines in the log-log picture cross.
struct Crossover {
  double x = 0;
  std::string before, after;
};

struct Curves {
  std::vector<Curve> by_size;   ///< in the registry's order
  std::vector<Curve> by_ranks;  ///< at the scenario's size; generic shapes alone can be any size
  std::vector<Crossover> crossovers;    ///< of by_size, by x
  std::vector<std::string> notes;       ///< what was left out of by_size, and why
  std::vector<std::string> rank_notes;  ///< and of by_ranks
  bool is_complete = false;             ///< false while more is to come
};

/// The effort of a run that who closes the window may have to wait for.
inline constexpr std::uint64_t half_a_second = 40'000'000;

/// Computes all curves of a scenario's collective on its system; `publish` gets what is there after
/// every size, and says whether to go on; it is asked before every run, too, with nothing to show.
/// An algorithm whose run costs more than `most_effort` (sim/simulate.hpp) has no points from there
/// on, and a note says so. Where `known` has curves by size, they are taken over, and those by
/// ranks alone are new. Errors: the scenario makes no sense.
Result<void> plot(const scenario::Scenario& scenario,
                  const std::function<bool(const Curves&)>& publish, Curves known = {},
                  std::uint64_t most_effort = half_a_second);

/// What curves do not depend on is left out: two scenarios with the same text have the same curves,
/// or the same by_size.
std::string curves_key(const scenario::Scenario& scenario);
std::string by_size_key(const scenario::Scenario& scenario);

/// `size_bytes,algorithm,time_us,busbw_GBps`, a line a point.
std::string to_csv(const Curves& curves);

/// Plots on a thread of its own; a new request ends the one at work.
class Plotter {
 public:
  Plotter();
  ~Plotter();
  Plotter(const Plotter&) = delete;
  Plotter& operator=(const Plotter&) = delete;

  /// Nothing happens where the curves would stay the same. Of the same collective the old curves
  /// stay, no longer complete, until all new ones are there: a slider does not make them flicker.
  void request(const scenario::Scenario& scenario);
  /// The latest; null until there are any. The same pointer until there is more to show.
  std::shared_ptr<const Curves> latest() const;
  void wait();  ///< until they are complete

 private:
  struct Work;
  std::unique_ptr<Work> work_;
};

}  // namespace ringside::stage
