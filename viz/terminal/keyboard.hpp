#pragma once

#include <optional>

namespace ringside::terminal {

enum class Key { right, left, down, up, page_down, page_up, home, end, space, help, quit, other };

/// Reads single keys from the terminal on standard input while it lives, and puts the terminal back
/// as it was, even after Ctrl-C.
class Keyboard {
 public:
  Keyboard();
  ~Keyboard();
  Keyboard(const Keyboard&) = delete;
  Keyboard& operator=(const Keyboard&) = delete;

  /// Waits for a key; quit at the end of input.
  Key next();
};

/// The key that these bytes of a terminal mean (`\033[C` is right).
Key key_of(const char* bytes, int length);

}  // namespace ringside::terminal
