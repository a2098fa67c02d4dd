#include "viz/window/shell.hpp"

#include <fmt/format.h>
#include <imgui.h>
#include <imgui_impl_opengl3.h>

#include <SFML/OpenGL.hpp>
#include <algorithm>
#include <filesystem>
#include <utility>

#include "core/file.hpp"
#include "core/suggest.hpp"
#include "viz/panels/arrangement.hpp"
#include "viz/panels/palette.hpp"
#include "viz/panels/view.hpp"
#include "viz/scenario/scenario.hpp"
#include "viz/stage/classroom.hpp"
#include "viz/stage/here.hpp"
#include "viz/stage/keys.hpp"
#include "viz/stage/share.hpp"
#include "viz/window/events.hpp"

namespace ringside::window {
namespace {

constexpr float projector_scale = 1.5f;  // 24 pixels where the dark theme has 16
constexpr float base_unit = 8;
constexpr unsigned screen_rate = 60;

sf::ContextSettings opengl() {
  sf::ContextSettings wish;
  wish.majorVersion = 3;
  wish.minorVersion = 2;
  return wish;
}

/// What typing needs; function keys and a clicker's keys stay what they are.
bool is_for_text(std::string_view key) {
  static constexpr std::string_view others[] = {
      "PageUp", "PageDown", "Ctrl+=", "Ctrl++", "Ctrl+-", "Ctrl+Q"};
  const bool is_function = key.size() > 1 && key.starts_with('F');
  return !is_function && std::ranges::count(others, key) == 0;
}

/// The first name of its kind that is free where the program was started.
std::string free_name(const char* extension) {
  std::error_code ignored;
  for (int n = 1;; ++n)
    if (auto name = fmt::format("ringside-{}.{}", n, extension);
        !std::filesystem::exists(name, ignored))
      return name;
}

/// The monitor that a window's middle is on.
Monitor monitor_of(const sf::Window& window) {
  const auto all = monitors();
  const sf::Vector2i middle = window.getPosition() + sf::Vector2i(window.getSize() / 2u);
  for (const Monitor& monitor : all) {
    const sf::Vector2i at = middle - monitor.corner;
    if (at.x >= 0 && at.y >= 0 && at.x < static_cast<int>(monitor.size.x) &&
        at.y < static_cast<int>(monitor.size.y))
      return monitor;
  }
  return all.front();
}

}  // namespace

Shell::Shell(stage::Model& model, stage::Director& director, sf::Vector2u size,
             const std::optional<Monitor>& home, const std::string& ledger)
    : model_(model),
      director_(director),
      usual_size_(size),
      home_(home),
      ledger_(ledger),
      glyphs_(stage::texts_of(model.classroom)) {
  if (home_) model_.is_full_screen = true;
  is_full_screen_ = model_.is_full_screen;
  open();
  ImGui::CreateContext();
  ImGui::GetIO().IniFilename = nullptr;
  ImGui::GetIO().LogFilename = nullptr;
  ImGui::GetIO().UserData = &drawn_;
  prepare_input();
  ImGui_ImplOpenGL3_Init("#version 150");
  look_.texture = [this](const panels::Picture& picture) { return textures_.get(picture); };
}

/// Full screen is a window without a frame that covers one monitor: the others stay usable. What
/// OpenGL has (textures, shaders) outlives the window, because SFML's contexts share it.
void Shell::open() {
  if (!is_full_screen_) {
    window_.create(sf::VideoMode(usual_size_.x, usual_size_.y), "Ringside", sf::Style::Default,
                   opengl());
    return;
  }
  const Monitor monitor = home_              ? *home_
                          : window_.isOpen() ? monitor_of(window_)
                                             : monitors().front();
  window_.create(sf::VideoMode(monitor.size.x, monitor.size.y), "Ringside", sf::Style::None,
                 opengl());
  window_.setPosition(monitor.corner);
}

void Shell::pace() {
  is_paced_ = true;
  window_.setFramerateLimit(screen_rate);
}

void Shell::adjust_window() {
  if (is_full_screen_ == model_.is_full_screen) return;
  is_full_screen_ = model_.is_full_screen;
  open();
  if (is_paced_) pace();  // a new window knows no pace
}

Shell::~Shell() {
  ImGui_ImplOpenGL3_Shutdown();
  ImGui::DestroyContext();
}

bool Shell::listen() {
  sf::Event event{};
  bool any = tend_worker() || !actions_.empty();
  any |= tend_question();
  while (window_.pollEvent(event)) {
    any = true;
    if (event.type == sf::Event::Resized && !is_full_screen_)
      usual_size_ = {event.size.width, event.size.height};
    if (event.type == sf::Event::Closed) actions_.emplace_back(stage::Command::quit);
    if (!is_deaf_) hear(event);
  }
  return any;
}

/// A key goes to the text that is being typed, if any, and else does what the key table says.
void Shell::hear(const sf::Event& event) {
  feed(event);
  const std::string name = key_name(event);
  if (name.empty() || (ImGui::GetIO().WantTextInput && is_for_text(name))) return;
  if (auto action = stage::meaning(model_, name)) actions_.push_back(*std::move(action));
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
    panels::build_fonts(*ImGui::GetIO().Fonts, fonts_, glyphs_, look_);
#if IMGUI_VERSION_NUM < 19200
    ImGui_ImplOpenGL3_DestroyFontsTexture();
    ImGui_ImplOpenGL3_CreateFontsTexture();
#endif
  }
  panels::style_widgets(look_);
}

void Shell::draw() {
  drawn_.clear();
  ImGui_ImplOpenGL3_NewFrame();
  ImGui::NewFrame();
  panels::draw_view(model_, look_, actions_);
  draw_notice();
  ImGui::Render();
}

/// Onto the back buffer, as often as needed.
void Shell::render() {
  const auto size = window_.getSize();
  glViewport(0, 0, static_cast<int>(size.x), static_cast<int>(size.y));
  const ImVec4 ground = ImGui::ColorConvertU32ToFloat4(look_.colour.panel);
  glClearColor(ground.x, ground.y, ground.z, 1);
  glClear(GL_COLOR_BUFFER_BIT);
  ImGui_ImplOpenGL3_RenderDrawData(ImGui::GetDrawData());
}

void Shell::say(std::string notice) {
  constexpr double seconds_to_read = 4;
  notice_ = std::move(notice);
  notice_left_ = seconds_to_read;
}

/// Over the stage's foot, for a moment.
void Shell::draw_notice() {
  if (notice_left_ <= 0) return;
  ImDrawList& list = *ImGui::GetForegroundDrawList();
  const ImVec2 window = ImGui::GetIO().DisplaySize;
  const ImVec2 text = panels::measure(look_.body, notice_.c_str());
  const float u = look_.unit;
  const ImVec2 middle{window.x / 2, window.y * 0.72f};
  const ImVec2 min{middle.x - text.x / 2 - 2 * u, middle.y - text.y / 2 - u};
  const ImVec2 max{middle.x + text.x / 2 + 2 * u, middle.y + text.y / 2 + u};
  list.AddRectFilled(min, max, look_.colour.box, u);
  list.AddRect(min, max, look_.colour.edge, u);
  panels::write(list, {middle.x, min.y + u}, {look_.body, look_.colour.ink, 0.5f}, notice_.c_str());
}

void Shell::carry_out(const stage::Action& action) {
  if (const auto* command = std::get_if<stage::Command>(&action)) {
    if (!stage::backend_of(*command).empty()) run_here(*command);
    if (*command == stage::Command::picture) wants_picture_ = true;
    if (*command == stage::Command::csv) save_curves();
    if (*command == stage::Command::share) copy_share_string();
    if (*command == stage::Command::paste) paste_share_string();
  }
  stage::apply(model_, action, director_);
  if (model_.shows_menu) ask_for_executors();  // the menu offers what they can do
}

void Shell::copy_share_string() {
  const auto text = scenario::to_share_string(stage::share_of(model_));
  copy_text(text.c_str());
  say(fmt::format(fmt::runtime(look_.say(stage::Word::share_copied)), text));
}

void Shell::paste_share_string() {
  const std::string text = pasted_text();
  if (text.empty())
    say(look_.say(stage::Word::clipboard_empty));
  else
    stage::apply(model_, stage::Open{text}, director_);
}

void Shell::save_picture() {
  const auto name = free_name("png");
  say_saved(name, save_png(name, pixels()));
}

void Shell::save_curves() {
  if (!model_.curves) return;
  const auto name = free_name("csv");
  say_saved(name, write_file(name, stage::to_csv(*model_.curves)));
}

void Shell::say_saved(const std::string& name, const Result<void>& saved) {
  say(saved ? fmt::format(fmt::runtime(look_.say(stage::Word::saved_as)), name)
            : fmt::format(fmt::runtime(look_.say(stage::Word::not_saved)), saved.error().message));
}

void Shell::frame(double seconds) {
  listen();
  actions_.emplace_back(stage::Tick{seconds});
  for (const stage::Action& action : std::exchange(actions_, {})) carry_out(action);
  stage::receive(model_, director_);
  prompter_.follow(model_);
  ledger_.follow(model_);
  notice_left_ -= seconds;
  adjust_window();
  adjust_look();
  const auto size = window_.getSize();
  ImGui::GetIO().DisplaySize = {static_cast<float>(size.x), static_cast<float>(size.y)};
  constexpr double shortest = 1 / 240.;  // widgets divide by it
  ImGui::GetIO().DeltaTime = static_cast<float>(std::max(seconds, shortest));
  draw();
  render();
  window_.display();
  if (std::exchange(wants_picture_, false)) save_picture();
}

Result<ImVec2> Shell::place_of(std::string_view name, float at) const {
  const auto found = drawn_.places.find(name);
  if (found != drawn_.places.end()) {
    const auto& [min, max] = found->second;
    return ImVec2{min.x + at * (max.x - min.x), (min.y + max.y) / 2};
  }
  std::vector<std::string_view> names;
  for (const auto& [known, where] : drawn_.places) names.push_back(known);
  return bad_request(unknown("thing on the screen", name, names));
}

std::string Shell::texts() {
  drawn_.keeps_texts = true;
  frame(0);
  drawn_.keeps_texts = false;
  std::string lines;
  for (const auto& [at, text] : drawn_.texts)
    lines += fmt::format("{:.0f} {:.0f} {:.0f} {:.0f} {}\n", at.min.x, at.min.y,
                         at.max.x - at.min.x, at.max.y - at.min.y, text);
  return lines;
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
