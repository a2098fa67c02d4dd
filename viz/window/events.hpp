#pragma once

#include <SFML/Window/Event.hpp>
#include <string>

namespace ringside::window {

/// Makes Dear ImGui use this window system's keys and clipboard, whatever its version (1.87 changed
/// how). Needs a current ImGui context. Call once after making it.
void prepare_input();
/// Tells it about keys, mouse and text.
void feed(const sf::Event& event);

// The same without an event of the window system: for scripts.
void feed_mouse_position(float x, float y);
void feed_mouse_button(int button, bool is_down);  ///< 0 left, 1 right, 2 middle
void feed_wheel(float steps);
void feed_shift(bool is_down);
void feed_enter(bool is_down);
void feed_text(const char* utf8);

// The clipboard, in UTF-8.
void copy_text(const char* text);
const char* pasted_text();  ///< valid until the next call

/// `Space`, `Right`, `PageUp`, `F5`, `.`, `Ctrl+=`, `Shift+A`: how the key table names what an
/// event pressed. Empty for what it does not name.
std::string key_name(const sf::Event& event);

}  // namespace ringside::window
