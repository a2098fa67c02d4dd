#pragma once

#include <SFML/System/Vector2.hpp>
#include <vector>

namespace ringside::window {

/// A monitor's place on the desktop, in pixels.
struct Monitor {
  sf::Vector2i corner;
  sf::Vector2u size;
};
/// At least one; the primary first, the others as the X server lists them.
std::vector<Monitor> monitors();

}  // namespace ringside::window
