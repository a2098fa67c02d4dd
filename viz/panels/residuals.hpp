#pragma once

#include <string>
#include <vector>

#include "viz/panels/look.hpp"
#include "viz/stage/measured.hpp"

namespace ringside::panels {

/// A dot of a log takes the colour of what it says beside its prediction.
ImU32 badge_colour(const Look& look, scenario::Badge badge);
/// `below the prediction: 38 % slower`.
std::string badge_words(const Look& look, const scenario::Residual& residual,
                        const scenario::Limits& limits);

/// What a log's dots are, the most telling line first: the badges that occur, each with how many
/// dots have it; the line through them; where and when they were measured.
struct LogLegend {
  struct Line {
    std::string text;
    ImU32 dot = 0;  ///< before the text; 0: none
  };
  std::vector<Line> lines;
};
LogLegend legend_of(const Look& look, const stage::Measured& log);
/// From the top left corner of `area` on, on a plate that lets the picture shine through; lines
/// that would fill more than most of its height are left out.
void draw_log_legend(const Look& look, const LogLegend& legend, const Corner& area);

}  // namespace ringside::panels
