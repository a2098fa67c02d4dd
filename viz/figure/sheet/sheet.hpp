#pragma once

#include <string>

#include "core/result.hpp"
#include "viz/stage/words.hpp"

namespace ringside::figure {

/// Collective communication on one page of A4, portrait, as an SVG document to be printed: the
/// collectives before and after, the ring step by step, costs, wires, and which collectives the
/// ways to train a large model need. What slots hold comes from proven schedules, times from
/// predict(), bandwidths from sim's machines and networks: no figure is typed. `command` makes the
/// page again and is written into it. Same language, same bytes.
Result<std::string> draw_sheet(stage::Language language, const std::string& command);

}  // namespace ringside::figure
