#include "viz/terminal/keyboard.hpp"

#include <termios.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <string_view>

namespace ringside::terminal {
namespace {

termios before;  // what a signal handler must put back

void restore(int signal) {
  tcsetattr(STDIN_FILENO, TCSANOW, &before);
  std::signal(signal, SIG_DFL);
  std::raise(signal);
}

struct Sequence {
  std::string_view bytes;
  Key key;
};
constexpr std::array<Sequence, 27> sequences{{
    {"\033[C", Key::right},
    {"\033OC", Key::right},
    {"l", Key::right},
    {"\033[D", Key::left},
    {"\033OD", Key::left},
    {"h", Key::left},
    {"\033[B", Key::down},
    {"\033OB", Key::down},
    {"j", Key::down},
    {"\033[A", Key::up},
    {"\033OA", Key::up},
    {"k", Key::up},
    {"\033[6~", Key::page_down},
    {"\033[5~", Key::page_up},
    {" ", Key::space},
    {"\033[H", Key::home},
    {"\033[1~", Key::home},
    {"\033OH", Key::home},
    {"g", Key::home},
    {"\033[F", Key::end},
    {"\033[4~", Key::end},
    {"\033OF", Key::end},
    {"G", Key::end},
    {"?", Key::help},
    {"q", Key::quit},
    {"\033", Key::quit},
    {"\004", Key::quit},
}};

}  // namespace

Key key_of(const char* bytes, int length) {
  const std::string_view text(bytes, static_cast<std::size_t>(length));
  for (const auto& sequence : sequences)
    if (sequence.bytes == text) return sequence.key;
  return Key::other;
}

Keyboard::Keyboard() {
  tcgetattr(STDIN_FILENO, &before);
  termios raw = before;
  raw.c_lflag &= ~static_cast<tcflag_t>(ICANON | ECHO);
  tcsetattr(STDIN_FILENO, TCSANOW, &raw);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) std::signal(signal, restore);
}

Keyboard::~Keyboard() {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) std::signal(signal, SIG_DFL);
  tcsetattr(STDIN_FILENO, TCSANOW, &before);
}

Key Keyboard::next() {
  std::array<char, 8> bytes{};
  const auto length = read(STDIN_FILENO, bytes.data(), bytes.size());
  return length <= 0 ? Key::quit : key_of(bytes.data(), static_cast<int>(length));
}

}  // namespace ringside::terminal
