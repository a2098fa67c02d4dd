#pragma once

#include <vector>

#include "viz/panels/look.hpp"
#include "viz/stage/action.hpp"
#include "viz/stage/model.hpp"

namespace ringside::panels {

/// The whole window, cleared with Palette::panel: every panel at its place. Call between
/// ImGui::NewFrame() and Render(); what the user did is appended to `actions`.
void draw_view(const stage::Model& model, const Look& look, std::vector<stage::Action>& actions);

}  // namespace ringside::panels
