#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "lessons/course/check_parts.hpp"

namespace ringside::lessons {
namespace {

constexpr std::size_t bracket_size = 80;  // bytes in which the English must follow

std::string lower(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
  return text;
}

/// Whether `**归约**（Reduce，...` stands there.
bool introduces(std::string_view text, std::size_t after, const std::string& english) {
  while (after < text.size() && text[after] == '*') ++after;
  const auto rest = text.substr(after, bracket_size);
  const auto end = rest.find("）");
  return (rest.starts_with("（") || rest.starts_with("，")) &&
         lower(std::string(rest.substr(0, end))).find(english) != std::string::npos;
}

struct Use {
  bool is_used = false, is_introduced = false;
};

void look(const std::string& text, const Term& term, Use& use) {
  const auto& chinese = term.words[static_cast<std::size_t>(Language::zh)];
  const auto english = lower(term.words[static_cast<std::size_t>(Language::en)]);
  for (auto at = text.find(chinese); at != std::string::npos; at = text.find(chinese, at + 1)) {
    use.is_used = true;
    use.is_introduced = use.is_introduced || introduces(text, at + chinese.size(), english);
  }
}

}  // namespace

void check_introductions(const Course& course, Findings& findings) {
  const auto file = (std::filesystem::path(course.folder) / "glossary.toml").string();
  for (const Term& term : course.terms) {
    if (term.words[0] == term.words[1]) continue;
    Use use;
    for (const Lesson& lesson : course.lessons)
      for (const BeatText& beat : lesson.text(Language::zh).beats)
        for (const Piece& piece : pieces(beat)) look(piece.text.text, term, use);
    if (use.is_used && !use.is_introduced)
      findings.add(file, term.line,
                   fmt::format("no lesson in Chinese introduces {0}: write {0}（{1}） where it is "
                               "first met",
                               term.words[1], term.words[0]));
  }
}

}  // namespace ringside::lessons
