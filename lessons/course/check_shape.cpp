#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "core/suggest.hpp"
#include "lessons/course/check_parts.hpp"
#include "lessons/course/markdown.hpp"

namespace ringside::lessons {
namespace {

constexpr std::size_t fewest_beats = 9, most_beats = 14;
constexpr Part needed_parts[] = {Part::hook,    Part::predict, Part::observe,  Part::explain,
                                 Part::example, Part::task,    Part::transfer, Part::summary};

/// Misconceptions that wrong answers to this question name.
std::set<std::string> named(const Question& question) {
  std::set<std::string> names;
  for (const ChoiceRule& choice : question.choices) names.insert(choice.misconception);
  for (const KnownWrong& wrong : question.wrong) names.insert(wrong.misconception);
  for (const Sought& sought : question.sought)
    for (const KnownWrong& wrong : sought.wrong) names.insert(wrong.misconception);
  names.erase("");
  return names;
}

/// The ids of all `[[id]]`.
std::vector<std::string> blanks_in(const std::string& markdown) {
  std::vector<std::string> ids;
  const auto collect = [&](const TextLine& line) {
    for (const TextSpan& span : line)
      if (!span.blank.empty()) ids.push_back(span.blank);
  };
  for (const Block& block : parse_markdown(markdown)) {
    collect(block.line);
    for (const auto& row : block.rows)
      for (const TextLine& cell : row) collect(cell);
  }
  return ids;
}

/// One language of a lesson, and what must be in it.
class Shape {
 public:
  Shape(const Lesson& lesson, const LessonText& text, Findings& findings)
      : lesson_(lesson), text_(text), findings_(findings) {}

  void check() const;

 private:
  void check_beat(const Beat& beat, const BeatText& text) const;
  void check_question(const Question& question, const BeatText& text) const;
  void check_choices(const Question& question, const BeatText& text) const;
  void check_blanks(const Question& question, const BeatText& text) const;
  void add(std::uint32_t line, const std::string& sentence) const {
    findings_.add(text_.file, line, sentence);
  }
  void want(const Markdown& markdown, const BeatText& text, const std::string& what) const {
    if (markdown.text.empty())
      add(text.line, fmt::format("the beat {} needs `### {}`", text.id, what));
  }

  const Lesson& lesson_;
  const LessonText& text_;
  Findings& findings_;
};

void Shape::check() const {
  if (text_.goal.empty()) add(1, "below the title stands what one can do after the lesson");
  for (const Beat& beat : lesson_.beats) {
    const auto* text = text_.find(beat.id);
    if (text == nullptr)
      add(1, fmt::format("the beat {} is missing: write `## {}`", beat.id, beat.id));
    else
      check_beat(beat, *text);
  }
  std::size_t expected = 0;
  for (const BeatText& text : text_.beats) {
    const auto at = std::find_if(lesson_.beats.begin(), lesson_.beats.end(),
                                 [&](const Beat& beat) { return beat.id == text.id; });
    if (at == lesson_.beats.end()) {
      add(text.line, fmt::format("lesson.toml has no beat {}", in_quotes(text.id)));
      continue;
    }
    const auto place = static_cast<std::size_t>(at - lesson_.beats.begin());
    if (place < expected)
      add(text.line, fmt::format("the beat {} stands before this one in lesson.toml", text.id));
    expected = place + 1;
  }
}

void Shape::check_beat(const Beat& beat, const BeatText& text) const {
  if (text.body.text.empty()) add(text.line, fmt::format("the beat {} says nothing", text.id));
  if (beat.ask) {
    check_question(*beat.ask, text);
    return;
  }
  const bool has_answers = !text.choices.empty() || !text.misled.empty() ||
                           text.right.is_written() || text.wrong.is_written();
  if (has_answers)
    add(text.line, fmt::format("the beat {} has answers but lesson.toml asks nothing", text.id));
}

void Shape::check_question(const Question& question, const BeatText& text) const {
  for (std::size_t i = 0; i < hint_count; ++i)
    want(text.hints[i], text, fmt::format("hint {}", i + 1));
  want(text.right, text, "right");
  want(text.wrong, text, "wrong");
  const auto names = named(question);
  for (const std::string& name : names) {
    const auto found = text.misled.find(name);
    want(found == text.misled.end() ? Markdown{} : found->second, text, "wrong " + name);
  }
  for (const auto& [name, markdown] : text.misled)
    if (!names.contains(name))
      add(markdown.line,
          fmt::format("no wrong answer to {} is due to {}: lesson.toml must name it, "
                      "or this goes",
                      text.id, in_quotes(name)));
  check_choices(question, text);
  check_blanks(question, text);
}

void Shape::check_choices(const Question& question, const BeatText& text) const {
  for (const ChoiceRule& choice : question.choices)
    if (const auto found = text.choices.find(choice.id); found == text.choices.end())
      want({}, text, "choice " + choice.id);
    else
      want(found->second, text, "choice " + choice.id);
  for (const auto& [id, markdown] : text.choices)
    if (std::none_of(question.choices.begin(), question.choices.end(),
                     [&name = id](const ChoiceRule& choice) { return choice.id == name; }))
      add(markdown.line, fmt::format("lesson.toml has no choice {} here", in_quotes(id)));
}

void Shape::check_blanks(const Question& question, const BeatText& text) const {
  for (const std::string& id : blanks_in(text.body.text))
    if (std::none_of(question.sought.begin(), question.sought.end(),
                     [&](const Sought& sought) { return sought.id == id; }))
      add(text.body.line, fmt::format("lesson.toml has no blank {} here", in_quotes(id)));
  if (question.kind != QuestionKind::blanks) return;
  for (const Sought& blank : question.sought)
    if (text.body.text.find("[[" + blank.id + "]]") == std::string::npos)
      add(text.body.line, fmt::format("the blank [[{}]] is nowhere in {}", blank.id, text.id));
}

}  // namespace

void check_shape(const Lesson& lesson, const Course& course, Findings& findings) {
  for (const Language language : languages) Shape(lesson, lesson.text(language), findings).check();
  const auto count = lesson.beats.size();
  if (count < fewest_beats || count > most_beats)
    findings.add(lesson.file, 1,
                 fmt::format("a lesson has {} to {} beats, and this one {}", fewest_beats,
                             most_beats, count));
  for (const Part part : needed_parts)
    if (std::none_of(lesson.beats.begin(), lesson.beats.end(),
                     [part](const Beat& beat) { return beat.part == part; }))
      findings.add(lesson.file, 1, fmt::format("no beat is its {}", name(part)));
  for (const Beat& beat : lesson.beats) {
    const bool must_ask = beat.part == Part::predict || beat.part == Part::explain;
    if (must_ask && !beat.ask)
      findings.add(
          lesson.file, beat.line,
          fmt::format("{} is to {} something, but asks nothing", beat.id, name(beat.part)));
    if (!beat.ask) continue;
    for (const std::string& id : named(*beat.ask))
      if (course.misconception(id) == nullptr)
        findings.add(lesson.file, beat.ask->line,
                     fmt::format("misconceptions.toml has no {}", in_quotes(id)));
  }
}

}  // namespace ringside::lessons
