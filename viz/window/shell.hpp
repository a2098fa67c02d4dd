#pragma once

#include <SFML/Window/Window.hpp>
#include <vector>

#include "viz/panels/fonts.hpp"
#include "viz/panels/look.hpp"
#include "viz/stage/action.hpp"
#include "viz/stage/director.hpp"
#include "viz/stage/model.hpp"
#include "viz/window/picture.hpp"
#include "viz/window/textures.hpp"

namespace ringside::window {

/// The window: turns what happens to it into actions, and draws the model after each frame's.
class Shell {
 public:
  /// Opens it on the display, which must be usable (probe_display).
  Shell(stage::Model& model, stage::Director& director, sf::Vector2u size);
  ~Shell();
  Shell(const Shell&) = delete;
  Shell& operator=(const Shell&) = delete;

  /// Takes in what has happened to the window. True if anything has: it is worth a frame.
  bool listen();
  /// What has happened since the last frame, and `seconds` of time; then draws.
  void frame(double seconds);
  /// What is on the screen.
  Pixels pixels();
  sf::Vector2u size() const { return window_.getSize(); }
  void do_later(stage::Action action) { actions_.push_back(std::move(action)); }

 private:
  void adjust_look();
  void draw();
  void render();

  stage::Model& model_;
  stage::Director& director_;
  std::vector<stage::Action> actions_;
  sf::Window window_;
  panels::Look look_;
  panels::FontFiles fonts_ = panels::find_fonts();
  Textures textures_;
};

}  // namespace ringside::window
