#pragma once

#include <string>
#include <string_view>

#include "core/result.hpp"
#include "viz/figure/theme.hpp"

namespace ringside::figure {

/// What a picture of a trace still tells apart.
inline constexpr std::size_t most_tracks = 96, most_slices = 4096, most_counters = 12;

struct TracksOptions {
  const Theme* theme = nullptr;
  std::string command;  ///< how to make this picture again; written into it
};

/// A trace as Perfetto lays it out, as an SVG document: a band for each process, a track for each
/// of its threads with the slices on it, arrows from send to receive, and the counters of what
/// links carry as areas. `events` is what write_trace_events() or sim::step_events() wrote, and all
/// of the picture is read from it. Slices are `<rect class="slice">`, arrows `<path
/// class="arrow">`, counters `<path class="counter">`; a slice's colour is its step's, or its
/// name's where it has no step. Errors: more tracks or slices than a picture shows; of the
/// counters, the first `most_counters` are drawn and the others counted.
Result<std::string> draw_tracks(std::string_view events, const TracksOptions& options);

}  // namespace ringside::figure
