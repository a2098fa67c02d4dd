// `ringside-window`: what `ringside view` executes. It takes the same command line.

#include <CLI/CLI.hpp>
#include <SFML/System/Err.hpp>
#include <algorithm>
#include <cstdio>

#include "viz/scenario/settings.hpp"
#include "viz/scenario/view_options.hpp"
#include "viz/window/display.hpp"
#include "viz/window/session.hpp"
#include "viz/window/x_display.hpp"

namespace ringside::window {
namespace {

void say(const std::string& sentence) {
  std::fprintf(stderr, "ringside: %s\n", sentence.c_str());
}

/// One is made up where nobody needs to look.
Result<void> find_display(const scenario::ViewOptions& options, const stage::Opening& opening) {
  const auto display = probe_display();
  if (display || !options.is_unattended()) return display;
  RS_TRY(start_virtual_display(std::max(opening.width, 1920u), std::max(opening.height, 1080u)));
  return probe_display();
}

Result<int> view(const CLI::App& command, scenario::ViewOptions& options) {
  RS_TRY(options.read_share(command));
  scenario::KeptSettings kept;
  if (!options.makes_something()) kept = scenario::load_settings(scenario::settings_path());
  if (!kept.complaint.empty()) say(kept.complaint);
  RS_ASSIGN(auto opening, stage::read(options, kept.settings, false));
  // A server that begins anew when its last client leaves (Xvfb without -noreset) would do so
  // between the probe and the window, and SFML aborts where it is refused.
  const XDisplay held;
  RS_TRY(find_display(options, opening));
  sf::err().rdbuf(nullptr);  // what SFML has to say, the probe has found out
  return run_session(options, std::move(opening));
}

int exit_status(ErrorKind kind) {
  return kind == ErrorKind::wrong ? 1 : kind == ErrorKind::request ? 2 : 3;
}

}  // namespace
}  // namespace ringside::window

int main(int argc, char** argv) {
  using namespace ringside;
  CLI::App app{"Ringside's window; 'ringside view --help' says what it takes."};
  scenario::ViewOptions options;
  bool probe = false;
  options.add_to(app);
  app.add_flag("--probe", probe, "Exit 0 if a window can be opened here, else 3");
  CLI11_PARSE(app, argc, argv);
  if (probe) return window::probe_display() ? 0 : 3;
  const auto status = window::view(app, options);
  if (status) return *status;
  window::say(status.error().message);
  return window::exit_status(status.error().kind);
}
