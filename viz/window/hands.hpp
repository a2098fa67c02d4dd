#pragma once

#include <functional>

#include "viz/stage/script.hpp"

namespace ringside::window {

/// Does with mouse and keyboard what a script says, through Dear ImGui's input, so that the panels
/// themselves are what answers. `frame` draws one: a hand is slower than that. Not for Shot, Read
/// or PressThing: only who draws knows where things are.
void act(const stage::script::OnScreen& deed, const std::function<void()>& frame);

}  // namespace ringside::window
