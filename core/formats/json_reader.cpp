#include "core/formats/json_reader.hpp"

namespace ringside {

bool nests_deeper_than(std::size_t most, std::string_view text) {
  std::size_t depth = 0;
  bool in_string = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '"') in_string = !in_string;
    if (in_string && c == '\\') ++i;  // whatever it escapes
    if (in_string) continue;
    if (c == ']' || c == '}') depth -= depth > 0 ? 1 : 0;
    if ((c == '[' || c == '{') && ++depth > most) return true;
  }
  return false;
}

}  // namespace ringside
