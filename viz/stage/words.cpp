#include "viz/stage/words.hpp"

#include "core/assert.hpp"

namespace ringside::stage {

const char* say(Word word, Language language) {
  static constexpr const char* said[][2] = {
#define RINGSIDE_WORD(id, english, chinese) {english, chinese},
#include "viz/stage/words/all.def"
#undef RINGSIDE_WORD
  };
  RS_ASSERT(word < Word::count, "a word of the table");
  return said[static_cast<std::size_t>(word)][static_cast<std::size_t>(language)];
}

}  // namespace ringside::stage
