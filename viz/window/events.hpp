#pragma once

#include <SFML/Window/Event.hpp>
#include <string>

namespace ringside::window {

/// Tells Dear ImGui's input about keys, mouse and text, whatever its version (1.87 changed how).
/// Needs a current ImGui context. Call once after making it.
void prepare_input();
void feed(const sf::Event& event);

// The same without an event of the window system: for scripts.
void feed_mouse_position(float x, float y);
void feed_mouse_button(int button, bool is_down);  ///< 0 left, 1 right, 2 middle
void feed_wheel(float steps);

/// `Space`, `Right`, `PageUp`, `F5`, `.`, `Ctrl+=`, `Shift+A`: how the key table names what an
/// event pressed. Empty for what it does not name.
std::string key_name(const sf::Event& event);

}  // namespace ringside::window
