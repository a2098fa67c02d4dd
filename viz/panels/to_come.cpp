// Empty bodies, weak and linked last, until the real ones are here; then this file goes.

#include "viz/panels/panel.hpp"

#define RINGSIDE_TO_COME __attribute__((weak))

namespace ringside::panels {
RINGSIDE_TO_COME void draw_help(const Panel&) {}
}  // namespace ringside::panels
