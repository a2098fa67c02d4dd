#include "viz/terminal/interruption.hpp"

#include <array>
#include <atomic>
#include <csignal>

namespace ringside::terminal {
namespace {

constexpr std::array signals{SIGINT, SIGTERM};

std::atomic<bool> asked = false;
static_assert(std::atomic<bool>::is_always_lock_free, "a signal handler may set nothing else");

void ask(int signal) {
  asked = true;
  std::signal(signal, SIG_DFL);
}

}  // namespace

Interruption::Interruption() {
  asked = false;
  for (const int signal : signals)
    if (std::signal(signal, ask) == SIG_IGN) std::signal(signal, SIG_IGN);  // as under nohup
}

Interruption::~Interruption() {
  for (const int signal : signals)
    if (std::signal(signal, SIG_DFL) == SIG_IGN) std::signal(signal, SIG_IGN);
}

bool Interruption::is_asked_for() const {
  return asked;
}

}  // namespace ringside::terminal
