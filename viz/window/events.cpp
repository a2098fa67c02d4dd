#include "viz/window/events.hpp"

#include <imgui.h>

#include <SFML/System/String.hpp>
#include <SFML/Window/Clipboard.hpp>
#include <cfloat>
#include <cstdint>
#include <string_view>

namespace ringside::window {
namespace {

/// A key by its three names.
struct Key {
  sf::Keyboard::Key sfml;
  ImGuiKey imgui;
  const char* name;
};
using K = sf::Keyboard;
constexpr Key keys[] = {{K::Tab, ImGuiKey_Tab, "Tab"},
                        {K::Left, ImGuiKey_LeftArrow, "Left"},
                        {K::Right, ImGuiKey_RightArrow, "Right"},
                        {K::Up, ImGuiKey_UpArrow, "Up"},
                        {K::Down, ImGuiKey_DownArrow, "Down"},
                        {K::PageUp, ImGuiKey_PageUp, "PageUp"},
                        {K::PageDown, ImGuiKey_PageDown, "PageDown"},
                        {K::Home, ImGuiKey_Home, "Home"},
                        {K::End, ImGuiKey_End, "End"},
                        {K::Insert, ImGuiKey_Insert, "Insert"},
                        {K::Delete, ImGuiKey_Delete, "Delete"},
                        {K::Backspace, ImGuiKey_Backspace, "Backspace"},
                        {K::Space, ImGuiKey_Space, "Space"},
                        {K::Enter, ImGuiKey_Enter, "Enter"},
                        {K::Escape, ImGuiKey_Escape, "Escape"}};

/// With Ctrl held no text comes with a key, so these are told by their place.
struct Sign {
  sf::Keyboard::Key sfml;
  const char* name;
};
constexpr Sign signs[] = {{K::Equal, "="}, {K::Add, "="},    {K::Hyphen, "-"}, {K::Subtract, "-"},
                          {K::Slash, "/"}, {K::Period, "."}, {K::Comma, ","}};

std::string bare_name(const sf::Event::KeyEvent& key) {
  for (const Key& known : keys)
    if (known.sfml == key.code) return known.name;
  if (key.code >= K::A && key.code <= K::Z)
    return std::string(1, static_cast<char>('A' + (key.code - K::A)));
  if (key.code >= K::F1 && key.code <= K::F15) return "F" + std::to_string(key.code - K::F1 + 1);
  if (!key.control) return {};
  if (key.code >= K::Num0 && key.code <= K::Num9)
    return std::string(1, static_cast<char>('0' + (key.code - K::Num0)));
  for (const Sign& sign : signs)
    if (sign.sfml == key.code) return sign.name;
  return {};
}

/// Signs and digits are where the keyboard's layout has them: the text says which, not the key.
bool is_sign(std::uint32_t point) {
  return point > ' ' && point <= '~' && !(point >= 'a' && point <= 'z') &&
         !(point >= 'A' && point <= 'Z');
}

/// Ctrl and + is no +: the key has been named already.
bool is_with_control() {
  return K::isKeyPressed(K::LControl) || K::isKeyPressed(K::RControl);
}

#if IMGUI_VERSION_NUM < 18700

// Dear ImGui up to 1.86 reads arrays that the program fills in.
void feed_key(const sf::Event::KeyEvent& key, bool is_down) {
  ImGuiIO& io = ImGui::GetIO();
  if (key.code >= 0 && key.code < IM_ARRAYSIZE(io.KeysDown)) io.KeysDown[key.code] = is_down;
  io.KeyCtrl = key.control;
  io.KeyShift = key.shift;
  io.KeyAlt = key.alt;
}

#else

ImGuiKey imgui_key(sf::Keyboard::Key code) {
  for (const Key& known : keys)
    if (known.sfml == code) return known.imgui;
  if (code >= K::A && code <= K::Z) return static_cast<ImGuiKey>(ImGuiKey_A + (code - K::A));
  return ImGuiKey_None;
}

void feed_key(const sf::Event::KeyEvent& key, bool is_down) {
  ImGuiIO& io = ImGui::GetIO();
  io.AddKeyEvent(ImGuiMod_Ctrl, key.control);
  io.AddKeyEvent(ImGuiMod_Shift, key.shift);
  io.AddKeyEvent(ImGuiMod_Alt, key.alt);
  if (const ImGuiKey known = imgui_key(key.code); known != ImGuiKey_None)
    io.AddKeyEvent(known, is_down);
}

#endif

int imgui_button(sf::Mouse::Button button) {
  return button == sf::Mouse::Left ? 0 : button == sf::Mouse::Right ? 1 : 2;
}

}  // namespace

void copy_text(const char* text) {
  const std::string_view utf8(text);
  sf::Clipboard::setString(sf::String::fromUtf8(utf8.begin(), utf8.end()));
}

const char* pasted_text() {
  static std::string kept;
  const auto utf8 = sf::Clipboard::getString().toUtf8();
  kept.assign(utf8.begin(), utf8.end());
  return kept.c_str();
}

static void prepare_clipboard() {
  ImGuiIO& io = ImGui::GetIO();
  io.SetClipboardTextFn = [](void*, const char* text) { copy_text(text); };
  io.GetClipboardTextFn = [](void*) { return pasted_text(); };
}

#if IMGUI_VERSION_NUM < 18700

void prepare_input() {
  prepare_clipboard();
  ImGuiIO& io = ImGui::GetIO();
  for (const Key& key : keys) io.KeyMap[key.imgui] = key.sfml;
  io.KeyMap[ImGuiKey_A] = K::A;
  io.KeyMap[ImGuiKey_C] = K::C;
  io.KeyMap[ImGuiKey_V] = K::V;
  io.KeyMap[ImGuiKey_X] = K::X;
  io.KeyMap[ImGuiKey_Y] = K::Y;
  io.KeyMap[ImGuiKey_Z] = K::Z;
}
void feed_mouse_position(float x, float y) {
  ImGui::GetIO().MousePos = {x, y};
}
void feed_mouse_button(int button, bool is_down) {
  ImGui::GetIO().MouseDown[button] = is_down;
}
void feed_wheel(float steps) {
  ImGui::GetIO().MouseWheel += steps;
}
void feed_shift(bool is_down) {
  ImGui::GetIO().KeyShift = is_down;
}
void feed_enter(bool is_down) {
  ImGui::GetIO().KeysDown[K::Enter] = is_down;
}

#else

void prepare_input() {
  prepare_clipboard();
}
void feed_mouse_position(float x, float y) {
  ImGui::GetIO().AddMousePosEvent(x, y);
}
void feed_mouse_button(int button, bool is_down) {
  ImGui::GetIO().AddMouseButtonEvent(button, is_down);
}
void feed_wheel(float steps) {
  ImGui::GetIO().AddMouseWheelEvent(0, steps);
}
void feed_shift(bool is_down) {
  ImGui::GetIO().AddKeyEvent(ImGuiMod_Shift, is_down);
}
void feed_enter(bool is_down) {
  ImGui::GetIO().AddKeyEvent(ImGuiKey_Enter, is_down);
}

#endif

void feed_text(const char* utf8) {
  ImGui::GetIO().AddInputCharactersUTF8(utf8);
}

void feed(const sf::Event& event) {
  switch (event.type) {
    case sf::Event::KeyPressed:
    case sf::Event::KeyReleased:
      feed_key(event.key, event.type == sf::Event::KeyPressed);
      break;
    case sf::Event::TextEntered:
      if (event.text.unicode >= ' ' && event.text.unicode != 127)
        ImGui::GetIO().AddInputCharacter(event.text.unicode);
      break;
    case sf::Event::MouseMoved:
      feed_mouse_position(static_cast<float>(event.mouseMove.x),
                          static_cast<float>(event.mouseMove.y));
      break;
    case sf::Event::MouseButtonPressed:
    case sf::Event::MouseButtonReleased:
      feed_mouse_button(imgui_button(event.mouseButton.button),
                        event.type == sf::Event::MouseButtonPressed);
      break;
    case sf::Event::MouseWheelScrolled:
      if (event.mouseWheelScroll.wheel == sf::Mouse::VerticalWheel)
        feed_wheel(event.mouseWheelScroll.delta);
      break;
    case sf::Event::MouseLeft:
      feed_mouse_position(-FLT_MAX, -FLT_MAX);
      break;
    case sf::Event::LostFocus:
    case sf::Event::GainedFocus:
      ImGui::GetIO().AddFocusEvent(event.type == sf::Event::GainedFocus);
      break;
    default:
      break;
  }
}

std::string key_name(const sf::Event& event) {
  if (event.type == sf::Event::TextEntered && is_with_control()) return {};
  if (event.type == sf::Event::TextEntered)
    return is_sign(event.text.unicode) ? std::string(1, static_cast<char>(event.text.unicode)) : "";
  if (event.type != sf::Event::KeyPressed) return {};
  const std::string name = bare_name(event.key);
  if (name.empty()) return {};
  const bool is_plus = name == "=" && event.key.shift;
  return std::string(event.key.control ? "Ctrl+" : "") + (event.key.alt ? "Alt+" : "") +
         (event.key.shift && !is_plus ? "Shift+" : "") + (is_plus ? "+" : name);
}

}  // namespace ringside::window
