#pragma once

#include <span>
#include <string>
#include <vector>

#include "viz/panels/look.hpp"

namespace ringside::panels {

/// A stretch of a paragraph in one hand.
struct Stretch {
  std::string text;
  bool is_strong = false, is_emphasis = false, is_code = false;
};

/// Writes a paragraph into a box's width from its top, broken where write_lines() would break it,
/// whatever hands it is written in. Returns its height. Nothing is drawn into a null list.
float write_prose(ImDrawList* list, const Look& look, const Corner& box, ImU32 ink,
                  std::span<const Stretch> paragraph);
/// The width that it takes on one line.
float width_of_prose(const Look& look, std::span<const Stretch> paragraph);

}  // namespace ringside::panels
