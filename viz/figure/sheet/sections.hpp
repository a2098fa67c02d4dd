#pragma once

#include "viz/figure/sheet/page.hpp"

namespace ringside::figure {

// The sheet's sections, from its top to its foot. Each draws itself into `area`.

/// What every collective makes of the ranks' buffers, of four ranks.
void draw_collectives(Page& page, const Box& area);
/// The ring's eight steps on five ranks.
void draw_ring(Page& page, const Box& area);
/// The algorithms' costs as formulas, and as curves.
void draw_costs(Page& page, const Box& area);
/// What wires carry, one way.
Result<void> draw_wires(Page& page, const Box& area);
/// From a model that is too large to the collectives, NCCL and the wires.
void draw_map(Page& page, const Box& area);

}  // namespace ringside::figure
