#pragma once

#include <imgui.h>

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace ringside::panels {

/// A rectangle on the screen, in pixels.
struct Corner {
  ImVec2 min, max;
};

/// What was drawn in this frame, for who acts or reads by name: tests, scripts. Whoever wants to
/// know puts one into ImGui::GetIO().UserData, and clears it before each frame.
struct Drawn {
  /// Where things that react to the mouse are, by their ids.
  std::map<std::string, Corner, std::less<>> places;
  struct Words {
    Corner at;
    std::string text;
  };
  std::vector<Words> texts;  ///< that can be seen, in the order of drawing
  bool keeps_texts = false;  ///< set by who wants them: there are thousands
  void clear() {
    places.clear();
    texts.clear();
  }
};
inline Drawn* drawn() {
  return static_cast<Drawn*>(ImGui::GetIO().UserData);
}

}  // namespace ringside::panels
