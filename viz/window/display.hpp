#pragma once

#include "core/result.hpp"

namespace ringside::window {

/// Whether a window with OpenGL can be opened here. Tried in a child process, because the window
/// library aborts or prints where it cannot. Call before anything else touches the display.
/// Errors (machine): one sentence, what is missing and what would do instead.
Result<void> probe_display();

/// Starts an X server without a screen, for pictures where there is no display, and points DISPLAY
/// to it. It ends with this process. Errors (machine): Xvfb is not installed, or did not start.
Result<void> start_virtual_display(unsigned width, unsigned height);

}  // namespace ringside::window
