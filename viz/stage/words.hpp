#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace ringside::stage {

enum class Language : std::uint8_t { english, chinese };

/// Everything the window says: one line a word in words/PANEL.def, both languages side by side, so
/// that nothing is ever said in one alone.
enum class Word : std::uint16_t {
#define RINGSIDE_WORD(id, english, chinese) id,
#include "viz/stage/words/all.def"
#undef RINGSIDE_WORD
  count,
};

/// UTF-8. Texts with `{}` are fmt formats; both languages take the same arguments in the same
/// order.
const char* say(Word word, Language language);

}  // namespace ringside::stage
