#pragma once

#include <nlohmann/json.hpp>

#include "tests/window/window.hpp"
#include "viz/panels/arrangement.hpp"

namespace ringside::window {

using Json = nlohmann::ordered_json;

/// Scripts in the window itself, 1280 x 720: keys and mouse reach the panels that are drawn there.
class Scripted : public Window {
 protected:
  /// Performs the lines; `flags` say what is run.
  Ran play(const std::string& lines, const std::string& flags = "--ranks 4") const {
    std::ofstream(at("script")) << lines;
    auto ran = run("view --size 1280x720 --script script --exit " + flags);
    EXPECT_EQ(ran.status, 0) << ran.err << lines;
    EXPECT_EQ(ran.out + ran.err, "") << lines;
    return ran;
  }
  Json state(const std::string& name) const {
    const auto text = contents(at(name));
    EXPECT_FALSE(text.empty()) << name << " was not dumped";
    return text.empty() ? Json{} : Json::parse(text);
  }
  static panels::Arrangement places() {
    const ImVec2 size{1280, 720};
    return panels::arrange(size, 8 * panels::fit(size), stage::Model::Side::curves);
  }
};

/// `wheel 800 650 3`: a line about the point so far from the left and the top of an area, 0..1.
inline std::string mouse(const std::string& verb, const panels::Corner& area, float u, float v) {
  const auto round = [](float x) { return std::to_string(static_cast<int>(x)); };
  return verb + " " + round(area.min.x + u * (area.max.x - area.min.x)) + " " +
         round(area.min.y + v * (area.max.y - area.min.y));
}

}  // namespace ringside::window
