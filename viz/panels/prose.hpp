#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "viz/panels/look.hpp"

namespace ringside::panels {

/// A stretch of a paragraph in one hand.
struct Stretch {
  std::string text;
  bool is_strong = false, is_emphasis = false, is_code = false;
  std::string blank{};  ///< its id: room to write into, and no text
};
/// Fills in the blank of that id.
using FillBlank = std::function<void(const std::string& id, const Corner& at)>;

/// Writes a paragraph into a box's width from its top, broken where write_lines() would break it,
/// whatever hands it is written in. Returns its height. Nothing is drawn into a null list.
struct ProseStyle {
  ImU32 ink;
  FillBlank fill{};
};
float write_prose(ImDrawList* list, const Look& look, const Corner& box, const ProseStyle& style,
                  std::span<const Stretch> paragraph);
/// The width that it takes on one line.
float width_of_prose(const Look& look, std::span<const Stretch> paragraph);
float blank_width(const Look& look);

}  // namespace ringside::panels
