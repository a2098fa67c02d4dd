#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "viz/panels/look.hpp"

namespace ringside::panels {

/// What the mouse does to a rectangle that reacts to it.
struct Touch {
  bool is_hovered = false, is_held = false, is_clicked = false;
};
/// A rectangle of the current window that reacts to the mouse; nothing is drawn. `id` is unique in
/// the window.
Touch touch(std::string_view id, const Corner& box);

/// A button: its label in the middle. `is_on`: what it switches is on.
struct Button {
  std::string_view id;
  const char* label;
  bool is_on = false, is_main = false;
  ImU32 on_colour = 0;  ///< of one that is on; 0: the accent
};
bool draw_button(const Look& look, const Corner& box, const Button& button);
float button_width(const Look& look, const char* label);

/// A track from 0 to 1 with a handle at `place`. While it is held, returns where the mouse has it;
/// else a negative number.
struct Slider {
  std::string_view id;
  double place = 0;
  bool is_dim = false;
};
double draw_slider(const Look& look, const Corner& box, const Slider& slider);

/// Text within a width, broken between words (Chinese: anywhere). Returns its height.
float write_lines(ImDrawList& list, const Corner& box, const Text& how, const std::string& text);
float height_of_lines(ImFont* font, float width, const std::string& text);
/// What may be broken after: each word with the space behind it, each Chinese sign, and nothing
/// that punctuation holds together. Together the whole text.
std::vector<std::string_view> breakable(std::string_view text);
/// The text, cut with an ellipsis where it is wider.
std::string shortened(ImFont* font, float width, const std::string& text);

/// `Halving doubling` for `halving_doubling`.
std::string as_title(std::string_view name);

}  // namespace ringside::panels
