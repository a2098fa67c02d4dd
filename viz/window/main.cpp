// `ringside-window`: what `ringside view` executes. It takes the same command line.

#include <CLI/CLI.hpp>
#include <SFML/Graphics/Image.hpp>
#include <SFML/System/Err.hpp>
#include <chrono>
#include <cstdio>

#include "viz/scenario/view_options.hpp"
#include "viz/window/display.hpp"
#include "viz/window/shell.hpp"

namespace ringside::window {
namespace {

Result<int> view(const scenario::ViewOptions& options) {
  if (auto display = probe_display(); !display) {
    if (!options.is_unattended()) return tl::unexpected(display.error());
    RS_TRY(start_virtual_display(1920, 1080));
    RS_TRY(probe_display());
  }
  sf::err().rdbuf(nullptr);  // what it has to say, the probe has found out
  stage::Model model;
  stage::Director director;
  unsigned width = 1920, height = 1080;
  if (!options.size.empty()) std::sscanf(options.size.c_str(), "%ux%u", &width, &height);
  if (options.theme == "projector") model.theme = stage::Theme::projector;
  if (options.language == "zh") model.language = stage::Language::chinese;
  if (options.scale > 0) model.scale = options.scale;
  model.scenario = options.scenario;
  director.request(stage::Director::Part::lead, model.scenario, nullptr);
  director.wait();
  Shell shell(model, director, {width, height});
  auto last = std::chrono::steady_clock::now();
  for (int frame = 0; !model.has_quit; ++frame) {
    const auto now = std::chrono::steady_clock::now();
    shell.frame(options.frame_dt > 0 ? options.frame_dt
                                     : std::chrono::duration<double>(now - last).count());
    last = now;
    if (options.is_unattended() && frame == 3) break;
  }
  if (!options.shot.empty()) {
    sf::Image image;
    image.create(shell.size().x, shell.size().y, shell.pixels().data());
    image.saveToFile(options.shot);
  }
  return 0;
}

}  // namespace
}  // namespace ringside::window

int main(int argc, char** argv) {
  CLI::App app{"Ringside's window; 'ringside view --help' says what it takes."};
  ringside::scenario::ViewOptions options;
  options.add_to(app);
  CLI11_PARSE(app, argc, argv);
  const auto status = ringside::window::view(options);
  if (status) return *status;
  std::fprintf(stderr, "ringside: %s\n", status.error().message.c_str());
  return static_cast<int>(status.error().kind) + 1;
}
