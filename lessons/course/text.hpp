#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.hpp"

namespace ringside::lessons {

enum class Language : std::uint8_t { en, zh };
inline constexpr std::array languages{Language::en, Language::zh};
std::string_view name(Language language);  ///< `en`, `zh`
Result<Language> parse_language(std::string_view text);

inline constexpr std::size_t hint_count = 3;

/// Markdown, with `{names}` in it, and the line of its file that it starts on.
struct Markdown {
  std::string text{};
  std::uint32_t line = 0;  ///< 0: not written
  bool is_written() const { return line != 0; }
};

/// What one beat says in one language.
struct BeatText {
  std::string id{};
  std::uint32_t line = 0;
  Markdown body{};
  std::map<std::string, Markdown> choices{};
  std::array<Markdown, hint_count> hints{};  ///< where to look; which rule; all but the last step
  Markdown right{}, wrong{};
  std::map<std::string, Markdown> misled{};  ///< by misconception: instead of `wrong`
  Markdown notes{};                          ///< for the lecturer's eyes
};

/// en.md or zh.md.
struct LessonText {
  std::string file{};
  std::string title{}, goal{};
  std::vector<BeatText> beats{};
  const BeatText* find(std::string_view beat) const;  ///< null: it says nothing there
};

/// Errors start `file:line: `, and say what was expected.
Result<LessonText> parse_lesson_text(std::string_view text, std::string_view file);

/// A name between braces, and how to write its number: `{share:bytes}`.
struct Mention {
  std::string name{}, format{};
  std::uint32_t line = 0;  ///< from 0, in the text
  friend bool operator==(const Mention&, const Mention&) = default;
};
/// In order. What is no name is no mention: `{`, `{1,2}`.
std::vector<Mention> mentions(std::string_view text);
/// The text with every mention replaced; the error is the first of `word`'s.
Result<std::string> filled(std::string_view text,
                           const std::function<Result<std::string>(const Mention&)>& word);

}  // namespace ringside::lessons
