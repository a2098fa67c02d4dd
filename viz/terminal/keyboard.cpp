#include "viz/terminal/keyboard.hpp"

#include <poll.h>
#include <termios.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <string_view>

namespace ringside::terminal {
namespace {

constexpr char escape = '\033';
constexpr int sequence_ms =
    50;  // a slow line may split an arrow key; Esc alone is followed by none

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

Key key_of(std::string_view bytes) {
  for (const auto& sequence : sequences)
    if (sequence.bytes == bytes) return sequence.key;
  return Key::other;
}

std::size_t key_length(std::string_view typed) {
  if (typed.size() < 2 || typed[0] != escape) return typed.empty() ? 0 : 1;
  if (typed[1] == escape) return 1;
  if (typed[1] != '[' && typed[1] != 'O') return 2;
  std::size_t at = 2;  // ECMA-48: parameters, then one final byte
  while (at < typed.size() && (typed[at] < '@' || typed[at] > '~')) ++at;
  return std::min(at + 1, typed.size());
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
  if (typed_.empty() && !fill(-1)) return Key::quit;
  if (typed_.size() < 3 && typed_[0] == escape) fill(sequence_ms);
  const auto length = key_length(typed_);
  const Key key = key_of(std::string_view(typed_).substr(0, length));
  typed_.erase(0, length);
  return key;
}

/// Reads what is there, waiting for it that long (-1: for ever). False at the end of input.
bool Keyboard::fill(int timeout_ms) {
  pollfd input{STDIN_FILENO, POLLIN, 0};
  if (poll(&input, 1, timeout_ms) <= 0) return false;
  std::array<char, 64> bytes{};
  const auto length = read(STDIN_FILENO, bytes.data(), bytes.size());
  if (length > 0) typed_.append(bytes.data(), static_cast<std::size_t>(length));
  return length > 0;
}

}  // namespace ringside::terminal
