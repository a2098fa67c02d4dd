#pragma once

#include <string>
#include <string_view>

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

 private:
  bool fill(int timeout_ms);
  std::string typed_;  // read, not yet returned: a held key sends faster than frames are drawn
};

/// The key that these bytes of a terminal mean (`\033[C` is right).
Key key_of(std::string_view bytes);
/// How many bytes at the front of `typed` are one key's: an escape sequence, or one byte.
std::size_t key_length(std::string_view typed);

}  // namespace ringside::terminal
