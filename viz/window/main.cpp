// `ringside-window`: what `ringside view` executes. It takes the same command line.

#include <CLI/CLI.hpp>
#include <SFML/System/Err.hpp>
#include <algorithm>
#include <cstdio>
#include <iterator>
#include <utility>

#include "core/file.hpp"
#include "viz/scenario/flags.hpp"
#include "viz/scenario/settings.hpp"
#include "viz/scenario/view_options.hpp"
#include "viz/window/display.hpp"
#include "viz/window/picture.hpp"
#include "viz/window/session.hpp"
#include "viz/window/x_display.hpp"

namespace ringside::window {
namespace {

void say(const std::string& sentence) {
  std::fprintf(stderr, "ringside: %s\n", sentence.c_str());
}

/// What is to be written can be, and each in a place of its own: known before the work is done.
Result<void> check_outputs(const scenario::ViewOptions& options) {
  const std::pair<const char*, const std::string&> files[] = {{"--script", options.script},
                                                              {"--dump-state", options.dump_state},
                                                              {"--shot", options.shot},
                                                              {"--record", options.record}};
  for (std::size_t b = 0; b < std::size(files); ++b)
    for (std::size_t a = 0; a < b; ++a)
      if (is_same_file(files[a].second, files[b].second))
        return bad_request(std::string(files[a].first) + " and " + files[b].first +
                           " are the same file: " + files[b].second);
  if (!options.dump_state.empty())
    RS_TRY(scenario::of_flag("--dump-state", check_writable(options.dump_state)));
  if (!options.shot.empty()) RS_TRY(scenario::of_flag("--shot", check_picture(options.shot)));
  if (!options.record.empty())
    RS_TRY(scenario::of_flag("--record", Recorder::check(options.record)));
  return {};
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
  RS_TRY(check_outputs(options));
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
