#pragma once

namespace ringside::terminal {

/// While it lives, Ctrl-C (and SIGTERM) is a request to end with what is finished; a second one
/// ends the program at once. One at a time.
class Interruption {
 public:
  Interruption();
  ~Interruption();
  Interruption(const Interruption&) = delete;
  Interruption& operator=(const Interruption&) = delete;

  /// Any thread may ask.
  bool is_asked_for() const;
};

}  // namespace ringside::terminal
