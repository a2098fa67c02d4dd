#include "viz/window/shell.hpp"

#include <imgui.h>
#include <imgui_impl_opengl3.h>

#include <SFML/OpenGL.hpp>
#include <algorithm>

#include "viz/panels/arrangement.hpp"
#include "viz/panels/palette.hpp"
#include "viz/panels/view.hpp"
#include "viz/window/events.hpp"

namespace ringside::window {
namespace {

constexpr float projector_scale = 1.5f;  // 24 pixels where the dark theme has 16
constexpr float base_unit = 8;

sf::ContextSettings opengl() {
  sf::ContextSettings wish;
  wish.majorVersion = 3;
  wish.minorVersion = 2;
  return wish;
}

}  // namespace

Shell::Shell(stage::Model& model, stage::Director& director, sf::Vector2u size)
    : model_(model),
      director_(director),
      window_(sf::VideoMode(size.x, size.y), "Ringside", sf::Style::Default, opengl()) {
  ImGui::CreateContext();
  ImGui::GetIO().IniFilename = nullptr;
  ImGui::GetIO().LogFilename = nullptr;
  prepare_input();
  ImGui_ImplOpenGL3_Init("#version 150");
  look_.texture = [this](const panels::Picture& picture) { return textures_.get(picture); };
}

Shell::~Shell() {
  ImGui_ImplOpenGL3_Shutdown();
  ImGui::DestroyContext();
}

bool Shell::listen() {
  sf::Event event{};
  bool any = !actions_.empty();
  while (window_.pollEvent(event)) {
    any = true;
    if (event.type == sf::Event::Closed) actions_.emplace_back(stage::Command::quit);
    feed(event);
  }
  return any;
}

/// Fonts are made anew when the scale changes, colours when the theme does.
void Shell::adjust_look() {
  const auto size = window_.getSize();
  const ImVec2 pixels{static_cast<float>(size.x), static_cast<float>(size.y)};
  const bool projected = model_.theme == stage::Theme::projector;
  const float scale =
      panels::fit(pixels) * static_cast<float>(model_.scale) * (projected ? projector_scale : 1.f);
  look_.language = model_.language;
  if (look_.body != nullptr && look_.scale == scale && look_.colour.is_dark != projected) return;
  look_.colour = panels::palette(model_.theme);
  if (look_.body == nullptr || look_.scale != scale) {
    look_.scale = scale;
    look_.unit = base_unit * scale;
    panels::build_fonts(*ImGui::GetIO().Fonts, fonts_, look_);
#if IMGUI_VERSION_NUM < 19200
    ImGui_ImplOpenGL3_DestroyFontsTexture();
    ImGui_ImplOpenGL3_CreateFontsTexture();
#endif
  }
  panels::style_widgets(look_);
}

void Shell::draw() {
  ImGui_ImplOpenGL3_NewFrame();
  ImGui::NewFrame();
  panels::draw_view(model_, look_, actions_);
  ImGui::Render();
}

/// Onto the back buffer, as often as needed.
void Shell::render() {
  const auto size = window_.getSize();
  glViewport(0, 0, static_cast<int>(size.x), static_cast<int>(size.y));
  glClearColor(0, 0, 0, 1);
  glClear(GL_COLOR_BUFFER_BIT);
  ImGui_ImplOpenGL3_RenderDrawData(ImGui::GetDrawData());
}

void Shell::frame(double seconds) {
  listen();
  actions_.emplace_back(stage::Tick{seconds});
  for (const stage::Action& action : actions_) stage::apply(model_, action, director_);
  actions_.clear();
  stage::receive(model_, director_);
  adjust_look();
  const auto size = window_.getSize();
  ImGui::GetIO().DisplaySize = {static_cast<float>(size.x), static_cast<float>(size.y)};
  ImGui::GetIO().DeltaTime = std::max(1e-4f, static_cast<float>(seconds));
  draw();
  render();
  window_.display();
}

Pixels Shell::pixels() {
  Pixels picture{window_.getSize(), {}};
  const auto [width, height] = picture.size;
  const std::size_t row = 4 * std::size_t{width};
  std::vector<std::uint8_t> upside_down(row * height);
  render();
  glPixelStorei(GL_PACK_ALIGNMENT, 1);
  glReadPixels(0, 0, static_cast<int>(width), static_cast<int>(height), GL_RGBA, GL_UNSIGNED_BYTE,
               upside_down.data());
  picture.rgba.reserve(upside_down.size());
  for (std::size_t y = height; y-- > 0;)
    picture.rgba.insert(picture.rgba.end(),
                        upside_down.begin() + static_cast<std::ptrdiff_t>(y * row),
                        upside_down.begin() + static_cast<std::ptrdiff_t>((y + 1) * row));
  for (std::size_t i = 3; i < picture.rgba.size(); i += 4) picture.rgba[i] = 255;
  return picture;
}

}  // namespace ringside::window
