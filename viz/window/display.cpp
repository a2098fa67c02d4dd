#include "viz/window/display.hpp"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <SFML/Window/Window.hpp>
#include <cerrno>
#include <cstdlib>

namespace ringside::window {
namespace {

constexpr int works = 0, too_old = 7;

void be_silent() {
  const int nowhere = open("/dev/null", O_WRONLY);
  dup2(nowhere, STDOUT_FILENO);
  dup2(nowhere, STDERR_FILENO);
}

[[noreturn]] void try_to_open() {
  be_silent();
  // No core files, no handlers: whatever happens here is an answer.
  for (const int fatal : {SIGABRT, SIGSEGV, SIGBUS, SIGFPE, SIGTRAP}) signal(fatal, SIG_DFL);
  sf::ContextSettings wish;
  wish.majorVersion = 3;
  wish.minorVersion = 2;
  const sf::Window window(sf::VideoMode(64, 64), "", sf::Style::None, wish);
  const unsigned major = window.getSettings().majorVersion;
  _exit(window.isOpen() && major >= 3 ? works : too_old);
}

int wait_for(pid_t child) {
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return status;
}

bool has_display_name() {
  const char* name = std::getenv("DISPLAY");
  return name != nullptr && *name != 0;
}

/// What the server writes when it is ready: its number. Empty after `patience` milliseconds.
std::string read_number(int from, int patience) {
  std::string text;
  pollfd ready{from, POLLIN, 0};
  while (text.find('\n') == std::string::npos && poll(&ready, 1, patience) > 0) {
    char c = 0;
    if (read(from, &c, 1) != 1) return {};
    text += c;
  }
  return text.substr(0, text.find('\n'));
}

}  // namespace

Result<void> probe_display() {
  constexpr const char* instead =
      "; pictures need none (ringside view --shot FILE), and ringside step shows runs in a "
      "terminal";
  if (!has_display_name())
    return machine_lacks(
        std::string("there is no display to open a window on (DISPLAY is not set)") + instead);
  const pid_t child = fork();
  if (child == 0) try_to_open();
  if (child < 0) return machine_lacks("this machine has no process left to open a window with");
  const int status = wait_for(child);
  if (WIFEXITED(status) && WEXITSTATUS(status) == works) return {};
  return machine_lacks("the display " + std::string(std::getenv("DISPLAY")) +
                       " cannot be opened with OpenGL 3.2" + instead);
}

Result<void> start_virtual_display(unsigned width, unsigned height) {
  constexpr int patience = 20'000;
  int pipe_ends[2];
  if (pipe(pipe_ends) != 0) return machine_lacks("this machine has no pipe left for Xvfb");
  const std::string screen = std::to_string(width) + "x" + std::to_string(height) + "x24";
  const std::string number_to = std::to_string(pipe_ends[1]);
  const pid_t parent = getpid();
  const pid_t child = fork();
  if (child == 0) {
    // The window library holds its connection until this process is gone: so does the server.
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    if (getppid() != parent) _exit(0);
    close(pipe_ends[0]);
    be_silent();
    execlp("Xvfb", "Xvfb", "-displayfd", number_to.c_str(), "-screen", "0", screen.c_str(),
           "-nolisten", "tcp", "-noreset", static_cast<char*>(nullptr));
    _exit(127);
  }
  close(pipe_ends[1]);
  const std::string number = child < 0 ? "" : read_number(pipe_ends[0], patience);
  close(pipe_ends[0]);
  if (number.empty()) {
    if (child > 0) {
      kill(child, SIGKILL);
      wait_for(child);
    }
    return machine_lacks(
        "there is no display, and Xvfb, which would do, did not start: as root, "
        "apt-get install xvfb");
  }
  setenv("DISPLAY", (":" + number).c_str(), 1);
  return {};
}

}  // namespace ringside::window
