#include "lessons/course/text.hpp"

#include <algorithm>
#include <utility>

#include "core/suggest.hpp"

namespace ringside::lessons {
namespace {

constexpr std::size_t most_text = 1u << 20;

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view blanks = " \t\r\n";
  const auto begin = text.find_first_not_of(blanks);
  if (begin == text.npos) return {};
  return text.substr(begin, text.find_last_not_of(blanks) - begin + 1);
}

/// Where the text under a heading goes.
class Reader {
 public:
  Reader(std::string_view text, std::string_view file) : text_(text) { lesson_.file = file; }

  Result<LessonText> read();

 private:
  tl::unexpected<Error> fail(const std::string& sentence) const {
    return bad_request(lesson_.file + ":" + std::to_string(line_) + ": " + sentence);
  }
  Result<void> line(std::string_view line);
  Result<void> begin_lesson(std::string_view title);
  Result<void> begin_beat(std::string_view id);
  Result<void> begin_section(std::string_view heading);
  Result<Markdown*> section(std::string_view what, std::string_view which);
  Result<void> end_section();
  void start(Markdown& section) { section_ = &section; }

  std::string_view text_;
  std::uint32_t line_ = 0;
  bool is_code_ = false;
  LessonText lesson_;
  Markdown goal_;
  Markdown* section_ = nullptr;
  std::string body_;  ///< of the section, so far
};

Result<void> Reader::end_section() {
  const auto body = trimmed(body_);
  if (section_ != nullptr && !body.empty()) {
    const auto skipped = std::count(std::as_const(body_).data(), body.data(), '\n');
    section_->text = body;
    section_->line += static_cast<std::uint32_t>(skipped) + 1;
  }
  body_.clear();
  return {};
}

Result<void> Reader::begin_lesson(std::string_view title) {
  if (!lesson_.title.empty()) return fail("a lesson has one title, `# ...`, at its top");
  if (title.empty()) return fail("the title is empty: write `# What the lesson is about`");
  lesson_.title = title;
  goal_.line = line_;
  start(goal_);
  return {};
}

Result<void> Reader::begin_beat(std::string_view id) {
  if (lesson_.title.empty())
    return fail("a beat before the title: begin the file with `# What the lesson is about`");
  if (lesson_.find(id) != nullptr)
    return fail("the beat " + in_quotes(id) + " has been written already");
  lesson_.beats.push_back({.id = std::string(id), .line = line_});
  lesson_.beats.back().body.line = line_;
  start(lesson_.beats.back().body);
  return {};
}

Result<Markdown*> Reader::section(std::string_view what, std::string_view which) {
  BeatText& beat = lesson_.beats.back();
  if (what == "choice" && !which.empty()) return &beat.choices[std::string(which)];
  if (what == "hint" && which.size() == 1 && which[0] >= '1' && which[0] <= '3')
    return &beat.hints[static_cast<std::size_t>(which[0] - '1')];
  if (what == "right" && which.empty()) return &beat.right;
  if (what == "wrong") return which.empty() ? &beat.wrong : &beat.misled[std::string(which)];
  if (what == "notes" && which.empty()) return &beat.notes;
  return fail(in_quotes(std::string(what) + (which.empty() ? "" : " ") + std::string(which)) +
              " is no part of a beat: those are `### choice ID`, `### hint 1` to `### hint 3`, "
              "`### right`, `### wrong`, `### wrong MISCONCEPTION` and `### notes`");
}

Result<void> Reader::begin_section(std::string_view heading) {
  if (lesson_.beats.empty()) return fail("a `###` part before the first beat, `## beat-id`");
  const auto space = heading.find(' ');
  const auto which = space == heading.npos ? "" : trimmed(heading.substr(space));
  RS_ASSIGN(Markdown * into, section(heading.substr(0, space), which));
  if (into->is_written()) return fail("`### " + std::string(heading) + "` is written twice");
  into->line = line_;
  start(*into);
  return {};
}

Result<void> Reader::line(std::string_view line) {
  if (line.starts_with("```") || line.starts_with("~~~")) is_code_ = !is_code_;
  const auto level = line.find_first_not_of('#');
  const bool is_heading =
      !is_code_ && level != line.npos && level > 0 && level <= 3 && line[level] == ' ';
  if (!is_heading) {
    if (section_ == nullptr && !trimmed(line).empty())
      return fail("text before the title: begin the file with `# What the lesson is about`");
    body_ += std::string(line) + "\n";
    return {};
  }
  RS_TRY(end_section());
  const auto heading = trimmed(line.substr(level));
  return level == 1   ? begin_lesson(heading)
         : level == 2 ? begin_beat(heading)
                      : begin_section(heading);
}

Result<LessonText> Reader::read() {
  if (text_.size() > most_text) return fail("more than 1 MiB is too long for a lesson");
  if (text_.starts_with("\xef\xbb\xbf")) text_.remove_prefix(3);
  while (!text_.empty()) {
    const auto end = std::min(text_.find('\n'), text_.size());
    ++line_;
    RS_TRY(line(text_.substr(0, end)));
    text_.remove_prefix(std::min(end + 1, text_.size()));
  }
  RS_TRY(end_section());
  if (lesson_.title.empty()) return fail("a title is missing: begin with `# What it is about`");
  lesson_.goal = goal_.text;
  return std::move(lesson_);
}

bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}
bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

/// The mention that begins at `text[at]` (a brace), and its length; 0: it is none.
std::size_t mention_at(std::string_view text, std::size_t at, Mention& mention) {
  std::size_t end = at + 1;
  const auto word = [&](auto belongs) {
    const auto begin = end;
    while (end < text.size() && belongs(text[end])) ++end;
    return std::string(text.substr(begin, end - begin));
  };
  if (end >= text.size() || !is_letter(text[end])) return 0;
  mention.name = word([](char c) { return is_letter(c) || is_digit(c); });
  mention.format.clear();
  if (end < text.size() && text[end] == ':') {
    ++end;
    mention.format = word([](char c) { return c >= 'a' && c <= 'z'; });
  }
  return end < text.size() && text[end] == '}' ? end + 1 - at : 0;
}

}  // namespace

std::string_view name(Language language) {
  return language == Language::en ? "en" : "zh";
}

Result<Language> parse_language(std::string_view text) {
  static constexpr std::string_view names[] = {"en", "zh"};
  for (const Language language : languages)
    if (text == name(language)) return language;
  return bad_request(unknown("language", text, names));
}

const BeatText* LessonText::find(std::string_view beat) const {
  for (const BeatText& text : beats)
    if (text.id == beat) return &text;
  return nullptr;
}

Result<LessonText> parse_lesson_text(std::string_view text, std::string_view file) {
  return Reader(text, file).read();
}

std::vector<Mention> mentions(std::string_view text) {
  std::vector<Mention> found;
  std::uint32_t line = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\n') ++line;
    Mention mention{.line = line};
    if (text[i] == '{' && mention_at(text, i, mention) > 0) found.push_back(std::move(mention));
  }
  return found;
}

Result<std::string> filled(std::string_view text,
                           const std::function<Result<std::string>(const Mention&)>& word) {
  std::string result;
  std::uint32_t line = 0;
  for (std::size_t i = 0; i < text.size();) {
    Mention mention{.line = line};
    const auto length = text[i] == '{' ? mention_at(text, i, mention) : 0;
    if (length == 0) {
      line += text[i] == '\n' ? 1 : 0;
      result += text[i++];
      continue;
    }
    RS_ASSIGN(const std::string said, word(mention));
    result += said;
    i += length;
  }
  return result;
}

}  // namespace ringside::lessons
