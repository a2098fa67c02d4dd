#pragma once

#include <vector>

#include "lessons/course/markdown.hpp"
#include "viz/panels/prose.hpp"

namespace ringside::panels {

/// Draws Markdown into a box's width from its top; returns its height. Nothing is drawn into a null
/// list.
float draw_markdown(ImDrawList* list, const Look& look, const Corner& box, const ProseStyle& style,
                    const std::vector<lessons::Block>& blocks);

/// The same from its text, which is parsed once.
float draw_markdown(ImDrawList* list, const Look& look, const Corner& box, const ProseStyle& style,
                    const std::string& text);

}  // namespace ringside::panels
