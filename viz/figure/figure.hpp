#pragma once

#include <optional>
#include <string>

#include "core/engine.hpp"
#include "core/report.hpp"
#include "sim/simulate.hpp"
#include "viz/figure/theme.hpp"

namespace ringside::figure {

/// One simulated run, as a picture needs it.
struct PicturedRun {
  const Row& row;
  const Plan& plan;
  const Schedule& schedule;
  const sim::Topology& topology;  ///< agents seated
  const sim::Simulation& simulation;
};

/// A figure with more participants would be a smear.
inline constexpr std::uint32_t most_pictured = 64;
inline constexpr std::uint32_t most_bars = 1u << 15;

struct FigureOptions {
  /// Which moment the circle shows; at most one of both. Neither: the middle of the run.
  std::optional<TimePoint> at;
  std::optional<Step> at_step;  ///< while its first transfer is on its way
  const Theme* theme = nullptr;
  std::string command;  ///< how to make this figure again; written into it unless empty
};

/// An SVG document: ranks on a circle with the chunks on their way at one moment, what every slot
/// holds, the results, and the whole run as bars over time. All of it is computed from the run; a
/// check mark stands there only if verify() finds no fault. Same run, same bytes.
///
/// Bars are `<rect class="bar" id="t7" .../>`, one a transfer that takes time: x is the time its
/// first byte left, the width lasts until the last one did, `<rect class="latency">` until it
/// arrived. Errors: more than `most_pictured` participants or
/// `most_bars` transfers, a moment outside the run.
Result<std::string> draw_figure(const PicturedRun& run, const FigureOptions& options);

/// The moment that draw_figure would show.
Result<TimePoint> chosen_moment(const PicturedRun& run, const FigureOptions& options);

}  // namespace ringside::figure
