#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>

#include "core/suggest.hpp"
#include "lessons/course/check_parts.hpp"
#include "lessons/course/markdown.hpp"

namespace ringside::lessons {

std::vector<Piece> pieces(const BeatText& beat) {
  std::vector<Piece> all{{beat, beat.body, "text"}};
  for (const auto& [id, text] : beat.choices) all.push_back({beat, text, "choice " + id});
  for (std::size_t i = 0; i < hint_count; ++i)
    all.push_back({beat, beat.hints[i], fmt::format("hint {}", i + 1)});
  all.push_back({beat, beat.right, "right", true});
  all.push_back({beat, beat.wrong, "wrong", true});
  for (const auto& [id, text] : beat.misled) all.push_back({beat, text, "wrong " + id, true});
  all.push_back({beat, beat.notes, "notes", true});
  return all;
}

namespace {

constexpr std::size_t most_words = 110, most_characters = 220;

/// A text with the same for every mention.
std::string with_all(const std::string& mention, const std::string& text) {
  return *filled(text, [&](const Mention&) -> Result<std::string> { return mention; });
}
/// A text with its mentions out of the way.
std::string bare(const std::string& text) {
  return with_all("_", text);
}

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

/// The numbers that are typed in a text: not those in names (`L2`, `ZeRO-3`, `x86`).
std::set<std::string> typed_numbers(const std::string& markdown) {
  const auto text = bare(markdown);
  std::set<std::string> numbers;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (!is_digit(text[i])) continue;
    const bool in_name = i > 0 && (is_letter(text[i - 1]) ||
                                   (text[i - 1] == '-' && i > 1 && is_letter(text[i - 2])));
    const auto begin = i;
    while (i < text.size() &&
           (is_digit(text[i]) || (text[i] == '.' && i + 1 < text.size() && is_digit(text[i + 1]))))
      ++i;
    if (!in_name) numbers.insert(text.substr(begin, i - begin));
  }
  return numbers;
}

/// Small numbers are words in one language and digits in the other, as it reads better.
bool is_said(const std::string& number, const std::string& text, Language language) {
  static const std::map<std::string, std::array<std::vector<std::string>, 2>> words = {
      {"0", {{{"zero", "no ", "nothing", "none"}, {"零", "无", "没"}}}},
      {"1", {{{"one", "once", "first", "single", " a "}, {"一", "单"}}}},
      {"2",
       {{{"two", "twice", "second", "both", "double", "half", "pair"}, {"二", "两", "双", "半"}}}},
      {"3", {{{"three", "third"}, {"三"}}}},
      {"4", {{{"four", "quarter"}, {"四"}}}},
      {"5", {{{"five", "fifth"}, {"五"}}}},
      {"6", {{{"six"}, {"六"}}}},
      {"7", {{{"seven"}, {"七"}}}},
      {"8", {{{"eight"}, {"八"}}}},
      {"9", {{{"nine", "ninth"}, {"九"}}}},
      {"10", {{{"ten"}, {"十"}}}},
      {"12", {{{"twelve"}, {"十二"}}}},
      {"16", {{{"sixteen"}, {"十六"}}}},
      {"100", {{{"hundred"}, {"百"}}}},
      {"1000", {{{"thousand"}, {"千"}}}}};
  const auto found = words.find(number);
  if (found == words.end()) return false;
  std::string lower = text;
  for (char& c : lower) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
  const auto& forms = found->second[static_cast<std::size_t>(language)];
  return std::any_of(forms.begin(), forms.end(), [&](const std::string& form) {
    return lower.find(form) != std::string::npos;
  });
}

std::set<std::string> names_in(const Markdown& text) {
  std::set<std::string> names;
  for (const Mention& mention : mentions(text.text)) names.insert(mention.name);
  return names;
}

/// Both languages have the same numbers, be they typed or worked out.
class Twins {
 public:
  Twins(const Lesson& lesson, Findings& findings) : lesson_(lesson), findings_(findings) {}

  void check() const {
    for (const BeatText& en : lesson_.text(Language::en).beats) {
      const auto* zh = lesson_.text(Language::zh).find(en.id);
      if (zh == nullptr) continue;
      const auto english = pieces(en), chinese = pieces(*zh);
      for (const Piece& a : english)
        for (const Piece& b : chinese)
          if (a.what == b.what && a.what != "notes") compare(a, b);
    }
  }

 private:
  void compare(const Piece& en, const Piece& zh) const {
    const auto one_way = [&](const Piece& a, const Piece& b, Language of_b) {
      const auto& file = lesson_.text(of_b).file;
      for (const std::string& name : names_in(a.text))
        if (!names_in(b.text).contains(name))
          findings_.add(file, b.text.line,
                        fmt::format("the {} of {} does not have {{{}}}, as the other language's "
                                    "has",
                                    b.what, b.beat.id, name));
      const auto numbers = typed_numbers(b.text.text);
      for (const std::string& number : typed_numbers(a.text.text))
        if (!numbers.contains(number) && !is_said(number, b.text.text, of_b))
          findings_.add(file, b.text.line,
                        fmt::format("the {} of {} does not have the number {}, as the other "
                                    "language's has",
                                    b.what, b.beat.id, number));
    };
    if (en.text.text.empty() || zh.text.text.empty()) return;
    one_way(en, zh, Language::zh);
    one_way(zh, en, Language::en);
  }

  const Lesson& lesson_;
  Findings& findings_;
};

std::uint32_t line_of(const Markdown& text, std::size_t at) {
  return text.line +
         static_cast<std::uint32_t>(std::count(
             text.text.begin(), text.text.begin() + static_cast<std::ptrdiff_t>(at), '\n'));
}

/// Words of the glossary in one text: what is refused, and aliases used more than once.
class Wording {
 public:
  Wording(const Course& course, const LessonText& text, Findings& findings)
      : course_(course), text_(text), findings_(findings) {
    for (const Term& term : course.terms) {
      for (const std::string& word : term.words) allowed_.push_back(word);
      allowed_.insert(allowed_.end(), term.also_zh.begin(), term.also_zh.end());
    }
  }

  void check() {
    for (const BeatText& beat : text_.beats)
      for (const Piece& piece : pieces(beat)) {
        for (const Term& term : course_.terms) {
          for (const std::string& word : term.refused) refuse(piece.text, word, term);
          for (const std::string& alias : term.also_zh) count(piece.text, alias, term);
        }
      }
  }

 private:
  /// Whether a longer word of the glossary stands there.
  bool is_part(const std::string& text, std::size_t at, const std::string& word) const {
    return std::any_of(allowed_.begin(), allowed_.end(), [&](const std::string& longer) {
      if (longer.size() <= word.size()) return false;
      const auto within = longer.find(word);
      return within != std::string::npos && within <= at &&
             text.compare(at - within, longer.size(), longer) == 0;
    });
  }
  template <typename Visit>
  void each(const Markdown& text, const std::string& word, Visit visit) const {
    if (word.empty()) return;
    for (auto at = text.text.find(word); at != std::string::npos;
         at = text.text.find(word, at + word.size()))
      if (!is_part(text.text, at, word)) visit(at);
  }
  void refuse(const Markdown& text, const std::string& word, const Term& term) {
    each(text, word, [&](std::size_t at) {
      findings_.add(text_.file, line_of(text, at),
                    fmt::format("{} is refused by the glossary: {} is {} in Chinese", word,
                                term.words[0], term.words[1]));
    });
  }
  void count(const Markdown& text, const std::string& alias, const Term& term) {
    each(text, alias, [&](std::size_t at) {
      if (++used_[alias] > 1)
        findings_.add(text_.file, line_of(text, at),
                      fmt::format("{} is another name of {}, to be given once: go on with {}",
                                  alias, term.words[0], term.words[1]));
    });
  }

  const Course& course_;
  const LessonText& text_;
  Findings& findings_;
  std::vector<std::string> allowed_;
  std::map<std::string, int> used_;
};

/// Letters, without what Markdown is written with.
std::size_t characters(const std::string& text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xc0) != 0x80 && c != ' ' && c != '\n';
  }));
}
std::size_t words(const std::string& text) {
  std::size_t count = 0;
  bool in_word = false;
  for (const char c : text) {
    const bool is_blank = c == ' ' || c == '\n' || c == '|';
    count += !is_blank && !in_word ? 1 : 0;
    in_word = !is_blank;
  }
  return count;
}

/// A beat stands beside the stage, on a projector.
void check_length(const LessonText& text, Language language, Findings& findings) {
  for (const BeatText& beat : text.beats) {
    const auto plain = plain_text(parse_markdown(with_all("12.5 ms", beat.body.text)));
    const auto size = language == Language::en ? words(plain) : characters(plain);
    const auto most = language == Language::en ? most_words : most_characters;
    if (size > most)
      findings.add(text.file, beat.body.line,
                   fmt::format("{} has {} {}, and {} fit beside the stage", beat.id, size,
                               language == Language::en ? "words" : "characters", most));
  }
}

void check_links(const Lesson& lesson, const LessonText& text, Findings& findings) {
  for (const BeatText& beat : text.beats)
    for (const Piece& piece : pieces(beat))
      for (const Block& block : parse_markdown(piece.text.text))
        for (const TextSpan& span : block.line) {
          const auto& link = span.link;
          if (link.empty() || link.starts_with("https://")) continue;
          const auto target = std::filesystem::path(lesson.folder) / link.substr(0, link.find('#'));
          if (!std::filesystem::exists(target))
            findings.add(text.file, piece.text.line,
                         fmt::format("the link to {} leads nowhere", in_quotes(link)));
        }
}

}  // namespace

void check_words(const Lesson& lesson, const Course& course, Findings& findings) {
  Twins(lesson, findings).check();
  for (const Language language : languages) {
    const LessonText& text = lesson.text(language);
    Wording(course, text, findings).check();
    check_length(text, language, findings);
    check_links(lesson, text, findings);
  }
}

}  // namespace ringside::lessons
