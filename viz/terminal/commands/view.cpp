// `ringside view`: the same run in the window, which is a program of its own beside this one.

#include <sys/wait.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <memory>

#include "viz/scenario/view_options.hpp"
#include "viz/stage/opening.hpp"
#include "viz/terminal/command.hpp"

namespace ringside::terminal {
namespace {

namespace fs = std::filesystem;

fs::path window_program() {
  std::error_code unknown;
  return fs::read_symlink("/proc/self/exe", unknown).replace_filename("ringside-window");
}

bool is_built() {
  return access(window_program().c_str(), X_OK) == 0;
}

/// The arguments that say the same again. `=` keeps a value that looks like a flag a value.
std::vector<std::string> arguments(const CLI::App& command) {
  std::vector<std::string> all;
  for (const CLI::Option* option : command.get_options()) {
    if (option->count() == 0 || option->get_lnames().empty()) continue;
    const std::string name = "--" + option->get_lnames().front();
    if (option->get_items_expected_max() == 0) {
      all.push_back(name);
      continue;
    }
    for (const auto& value : option->results()) all.push_back(name + "=" + value);
  }
  all.emplace_back("--");
  for (const CLI::Option* option : command.get_options())
    if (option->get_positional() && option->count() > 0)
      for (const auto& value : option->results()) all.push_back(value);
  return all;
}

/// Becomes the window's program. Returns only if that fails.
tl::unexpected<Error> become_window(const std::vector<std::string>& given) {
  const std::string program = window_program().string();
  std::vector<std::string> words{program};
  words.insert(words.end(), given.begin(), given.end());
  std::vector<char*> argv;
  for (auto& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  execv(program.c_str(), argv.data());
  return machine_lacks("could not start " + program + ": " + std::strerror(errno));
}

Result<int> view(const CLI::App& command, scenario::ViewOptions& options) {
  RS_TRY(options.read_share(command));
  RS_TRY(stage::read(options, {}, true));
  if (!is_built())
    return machine_lacks(
        "the window was not built; run ./ringside view in the source folder, "
        "which installs what it needs (libsfml-dev libimgui-dev) and builds it");
  return become_window(arguments(command));
}

}  // namespace

bool can_open_window() {
  const char* display = std::getenv("DISPLAY");
  if (display == nullptr || *display == 0 || !is_built()) return false;
  const std::string program = window_program().string();
  const pid_t child = fork();
  if (child == 0) {
    execl(program.c_str(), program.c_str(), "--probe", static_cast<char*>(nullptr));
    _exit(127);
  }
  int status = 1;
  while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return child > 0 && status == 0;
}

Result<int> open_window() {
  return become_window({});
}

void add_view(CLI::App& app, Job& chosen) {
  auto* command = app.add_subcommand("view", "A run in the window: chunks on their way, in time");
  command->footer(
      "In the window, ? lists all keys.\n"
      "Example: ringside view --system dgx-a100 --algorithm ring --t 40% --shot ring.png");
  const auto options = std::make_shared<scenario::ViewOptions>();
  options->add_to(*command);
  command->callback(
      [options, command, &chosen] { chosen = [=] { return view(*command, *options); }; });
}

}  // namespace ringside::terminal
