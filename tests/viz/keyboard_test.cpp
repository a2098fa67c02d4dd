// step in a terminal of its own: keys, frames, and the terminal as it was afterwards.

#include "viz/terminal/keyboard.hpp"

#include <gmock/gmock.h>
#include <poll.h>
#include <pty.h>
#include <termios.h>
#include <utmp.h>

#include <csignal>

#include "tests/viz/command.hpp"

namespace ringside::terminal {
namespace {

using ::testing::HasSubstr;

TEST(KeyOf, KnowsBothWaysTerminalsSayArrows) {
  EXPECT_EQ(key_of("\033[C"), Key::right);
  EXPECT_EQ(key_of("\033OC"), Key::right);
  EXPECT_EQ(key_of("\033[D"), Key::left);
  EXPECT_EQ(key_of("\033[A"), Key::up);
  EXPECT_EQ(key_of("\033[B"), Key::down);
  EXPECT_EQ(key_of("\033[5~"), Key::page_up) << "a clicker's back";
  EXPECT_EQ(key_of("\033[6~"), Key::page_down) << "a clicker's forward";
  EXPECT_EQ(key_of("\033[1~"), Key::home);
  EXPECT_EQ(key_of("\033[F"), Key::end);
  EXPECT_EQ(key_of(" "), Key::space);
  EXPECT_EQ(key_of("q"), Key::quit);
  EXPECT_EQ(key_of("\033"), Key::quit);
  EXPECT_EQ(key_of("\004"), Key::quit);
  EXPECT_EQ(key_of("Q"), Key::other);
  EXPECT_EQ(key_of(""), Key::other);
  EXPECT_EQ(key_of("\033[1;5C"), Key::other);
}

TEST(KeyLength, CutsKeysThatCameTogether) {
  EXPECT_EQ(key_length(""), 0u);
  EXPECT_EQ(key_length("q"), 1u);
  EXPECT_EQ(key_length("qq"), 1u);
  EXPECT_EQ(key_length("\033[C\033[C"), 3u);
  EXPECT_EQ(key_length("\033OC\033OC"), 3u);
  EXPECT_EQ(key_length("\033[6~\033[5~"), 4u);
  EXPECT_EQ(key_length("\033[1;5Cq"), 6u);
  EXPECT_EQ(key_length("\033"), 1u);
  EXPECT_EQ(key_length("\033\033[C"), 1u);
  EXPECT_EQ(key_length("\033["), 2u);
  EXPECT_EQ(key_length("\033xq"), 2u);
  EXPECT_EQ(key_length(" \033[C"), 1u);
}

/// `ringside WORDS` in a pseudo-terminal of its own.
class Terminal {
 public:
  explicit Terminal(const std::string& words) {
    winsize size{50, 120, 0, 0};
    char slave[64] = "";
    EXPECT_EQ(openpty(&master_, &slave_, slave, nullptr, &size), 0);
    before_ = mode();
    std::fflush(nullptr);
    child_ = fork();
    if (child_ != 0) return;
    alarm(hung_seconds);
    login_tty(slave_);
    std::vector<const char*> argv{"ringside"};
    const auto list = split(words);
    for (const auto& word : list) argv.push_back(word.c_str());
    const int status = run_command_line(static_cast<int>(argv.size()), argv.data());
    std::fflush(nullptr);
    _exit(status);
  }
  ~Terminal() {
    close(master_);
    close(slave_);
  }

  void type(std::string_view keys) {
    EXPECT_EQ(write(master_, keys.data(), keys.size()), static_cast<ssize_t>(keys.size()));
  }
  /// The next frame: from clearing the screen to the line of keys.
  std::string frame() {
    const std::string clear = "\033[H\033[2J", last = "q: quit\r\n";
    for (;;) {
      const auto end = shown_.find(last);
      if (end != std::string::npos) {
        auto text = shown_.substr(0, end);
        shown_.erase(0, end + last.size());
        return text.substr(std::min(text.size(), text.rfind(clear)));
      }
      pollfd output{master_, POLLIN, 0};
      char bytes[4096];
      const bool more = poll(&output, 1, 1000 * static_cast<int>(hung_seconds)) > 0;
      const auto length = more ? read(master_, bytes, sizeof bytes) : 0;
      if (length <= 0) return "no frame; so far: " + shown_;
      shown_.append(bytes, static_cast<std::size_t>(length));
    }
  }
  std::vector<std::string> frames(std::string_view key, int times) {
    std::vector<std::string> all;
    for (int i = 0; i < times; ++i) {
      type(key);
      all.push_back(frame());
    }
    return all;
  }
  int wait() {
    int status = 0;
    waitpid(child_, &status, 0);
    return status;
  }
  tcflag_t mode() const {
    termios now{};
    EXPECT_EQ(tcgetattr(slave_, &now), 0);
    return now.c_lflag & (ICANON | ECHO | ISIG);
  }
  tcflag_t before() const { return before_; }

 private:
  int master_ = -1, slave_ = -1;
  pid_t child_ = 0;
  tcflag_t before_ = 0;
  std::string shown_;
};

constexpr const char* right = "\033[C";
constexpr const char* left = "\033[D";
constexpr const char* down = "\033[B";
constexpr const char* up = "\033[A";
constexpr const char* home = "\033[H";
constexpr const char* end = "\033[F";

TEST(StepInATerminal, WalksBackTheWayItCame) {
  Terminal terminal("step --algorithm ring --ranks 3");
  const int length = 12;  // 4 steps of 3 transfers
  std::vector<std::string> there{terminal.frame()};
  for (auto& frame : terminal.frames(right, length)) there.push_back(frame);
  EXPECT_THAT(there.front(), HasSubstr("start"));
  EXPECT_THAT(there.back(), HasSubstr("transfer 12 of 12"));
  for (std::size_t i = 1; i < there.size(); ++i) EXPECT_NE(there[i], there[i - 1]);
  auto back = terminal.frames(left, length);
  for (int i = 0; i < length; ++i)
    EXPECT_EQ(back[static_cast<std::size_t>(i)], there[static_cast<std::size_t>(length - 1 - i)]);
  EXPECT_EQ(terminal.frames(left, 1)[0], there[0]) << "before the start is the start";
  EXPECT_EQ(terminal.frames(end, 1)[0], there.back());
  EXPECT_EQ(terminal.frames(right, 1)[0], there.back()) << "after the end is the end";
  EXPECT_EQ(terminal.frames(home, 1)[0], there[0]);
  const auto steps = terminal.frames(down, 4);
  for (std::size_t s = 0; s < 4; ++s) EXPECT_EQ(steps[s], there[3 * (s + 1)]);
  const auto steps_back = terminal.frames(up, 4);
  for (std::size_t s = 0; s < 4; ++s) EXPECT_EQ(steps_back[s], there[3 * (3 - s)]);
  terminal.type("q");
  EXPECT_EQ(terminal.wait(), 0);
}

TEST(StepInATerminal, LosesNoKeyOfAHeldArrow) {
  Terminal terminal("step --algorithm ring --ranks 3");
  terminal.frame();
  std::string held;
  for (int i = 0; i < 7; ++i) held += right;
  terminal.type(held);
  std::string last;
  for (int i = 0; i < 7; ++i) last = terminal.frame();
  EXPECT_THAT(last, HasSubstr("transfer 7 of 12"));
  terminal.type("q");
  EXPECT_EQ(terminal.wait(), 0);
}

TEST(StepInATerminal, PutsTheTerminalBack) {
  for (const char* way_out : {"q", "\033", "\004", "\003"}) {
    Terminal terminal("step --ranks 2");
    terminal.frame();
    EXPECT_NE(terminal.mode(), terminal.before()) << "keys come one by one, unseen";
    terminal.type(way_out);
    const int status = terminal.wait();
    EXPECT_EQ(terminal.mode(), terminal.before());
    const bool killed = WIFSIGNALED(status) && WTERMSIG(status) == SIGINT;
    const bool ended = WIFEXITED(status) && WEXITSTATUS(status) == 0;
    EXPECT_TRUE(*way_out == '\003' ? killed : ended) << "a shell must see the Ctrl-C";
  }
}

TEST(StepInAPipe, PrintsEverythingAndWaitsForNobody) {
  const auto piped = run("step --ranks 3"), all = run("step --ranks 3 --all");
  EXPECT_EQ(piped.out, all.out);
  EXPECT_THAT(piped.out, HasSubstr("proven"));
  EXPECT_THAT(piped.out, testing::Not(HasSubstr("\033")));
}

}  // namespace
}  // namespace ringside::terminal
