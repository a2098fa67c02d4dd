#include "lessons/course/homework.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/mix.hpp"
#include "sim/utf8.hpp"

namespace ringside::lessons {
namespace {

/// Sums up texts and numbers, in order; where one ends and the next begins counts.
class Digest {
 public:
  void add(std::string_view text) {
    add(std::uint64_t{text.size()});
    for (const char c : text) add(std::uint64_t{static_cast<unsigned char>(c)});
  }
  void add(std::uint64_t number) {
    high_ = mix(high_, number);
    low_ = mix(low_ ^ number, high_);
  }
  std::uint64_t high() const { return high_; }
  std::string text() const { return fmt::format("{:016x}{:016x}", high_, low_); }

 private:
  std::uint64_t high_ = 0x52696e6773696465, low_ = 0x686f6d65776f726b;
};

std::string words(Language language, std::string_view en, std::string_view zh) {
  return std::string(language == Language::zh ? zh : en);
}

std::string how_number(Unit unit, Language language) {
  switch (unit) {
    case Unit::bytes:
      return words(language, "a size with its unit, such as 96 MB", "带单位的数据量，例如 96 MB");
    case Unit::time:
      return words(language, "a time with its unit, such as 1.5 ms", "带单位的时间，例如 1.5 ms");
    case Unit::bandwidth:
      return words(language, "a bandwidth with its unit, such as 25 GB/s",
                   "带单位的带宽，例如 25 GB/s");
    case Unit::percent:
      return words(language, "in percent, such as 65.6 %", "百分数，例如 65.6 %");
    case Unit::times:
      return words(language, "a factor, such as 1.75x", "倍数，例如 1.75x");
    case Unit::steps:
    case Unit::whole:
      return words(language, "a whole number", "一个整数");
    case Unit::none:
      break;
  }
  return words(language, "a number", "一个数");
}

std::string joined(const std::vector<std::string>& parts, std::string_view mark) {
  return fmt::format("{}", fmt::join(parts, mark));
}

std::string how(const Asked& asked, Language language) {
  std::vector<std::string> parts;
  switch (asked.kind) {
    case QuestionKind::number:
      return how_number(asked.expected.front().unit, language);
    case QuestionKind::vector:
      return fmt::format(
          fmt::runtime(words(language, "{} numbers, commas between them", "{} 个数，用逗号隔开")),
          asked.expected.size());
    case QuestionKind::blanks:
      for (const Expected& blank : asked.expected)
        parts.push_back(blank.id + ": " + how_number(blank.unit, language));
      return words(language, "semicolons between them; ", "用分号隔开；") + joined(parts, "; ");
    case QuestionKind::pick:
      if (asked.what == Picked::link)
        return words(language, "two ranks, such as 0->1", "两个 rank，例如 0->1");
      return asked.what == Picked::rank ? words(language, "a rank's number", "rank 的编号")
                                        : words(language, "a chunk's number", "数据块的编号");
    case QuestionKind::choice:
      return words(language, "the number of your choice", "所选项的编号");
    case QuestionKind::sort:
      return fmt::format(
          fmt::runtime(words(language,
                             "{} collectives by name (all_reduce ...), commas between them",
                             "{} 个集合通信的名字（all_reduce ……），用逗号隔开")),
          asked.cards.size());
    case QuestionKind::draw:
      for (const CurvePoint& point : asked.curve) parts.push_back(fmt::format("{:g}", point.x));
      return words(language, "a value each, commas between them, for x = ",
                   "每个 x 一个值，用逗号隔开，x = ") +
             joined(parts, ", ");
    case QuestionKind::schedule:
      break;
  }
  return words(language, "a schedule, a line of it in each line here", "一份传输计划，每行一行");
}

/// The values that were drawn, not those worked out from them, which may be answers.
std::string given(const Instance& instance, std::size_t beat) {
  std::vector<std::string> parts;
  const auto add = [&](const Numbers& numbers) {
    for (const Variable& one : numbers.vars) {
      const auto found = instance.asked(beat)->values.find(one.name);
      if (found != instance.asked(beat)->values.end())
        parts.push_back(one.name + " = " + show(found->second.value, found->second.unit));
    }
  };
  add(instance.lesson().numbers);
  add(instance.beat(beat).ask->own);
  return joined(parts, ", ");
}

HomeworkItem item(const Instance& instance, std::size_t beat, Language language) {
  const Asked& asked = *instance.asked(beat);
  HomeworkItem item{.beat = instance.beat(beat).id,
                    .question = instance.body(beat, language),
                    .given = given(instance, beat),
                    .how = how(asked, language)};
  if (!item.question.ends_with('\n')) item.question += '\n';
  for (std::size_t i = 0; i < asked.options.size(); ++i)
    item.choices.push_back(
        fmt::format("{}: {}", i + 1, instance.choice(beat, asked.options[i].id, language)));
  item.is_schedule = asked.kind == QuestionKind::schedule;
  if (asked.puzzle) item.answer = asked.puzzle->start;
  return item;
}

}  // namespace

std::uint64_t own_seed(std::string_view student, std::string_view lesson) {
  Digest digest;
  digest.add(student);
  digest.add(lesson);
  return digest.high() % ((std::uint64_t{1} << 53) - 1) + 1;
}

Result<void> check_student(std::string_view student) {
  const bool is_printable = std::all_of(student.begin(), student.end(), [](char c) {
    return static_cast<unsigned char>(c) >= 32 && c != 127;
  });
  if (is_printable && !student.empty() && student.size() <= 64 &&
      sim::first_not_utf8(student) == student.size())
    return {};
  return bad_request(
      "a student is named by 1 to 64 bytes of text without control characters, such "
      "as s1234567");
}

Result<Instance> homework_instance(const Lesson& lesson, std::uint64_t seed,
                                   const Laboratory& laboratory) {
  constexpr std::uint64_t salt = 0x686f6d65776f726b;
  return Instance::make(lesson, mix(seed, salt), laboratory);
}

Result<Homework> assign(const Instance& instance, const Assignee& assignee) {
  RS_TRY(check_student(assignee.student));
  Homework homework{.lesson = instance.lesson().name,
                    .student = assignee.student,
                    .seed = assignee.seed,
                    .language = assignee.language};
  for (std::size_t i = 0; i < instance.size(); ++i)
    if (instance.asked(i) != nullptr && instance.beat(i).ask->homework)
      homework.items.push_back(item(instance, i, assignee.language));
  if (homework.items.empty())
    return bad_request("lesson " + homework.lesson +
                       " has no question for homework: lesson.toml "
                       "says homework = true at those it has");
  homework.seal = seal_of(homework);
  return homework;
}

std::string seal_of(const Homework& homework) {
  Digest digest;
  digest.add(homework.lesson);
  digest.add(homework.student);
  digest.add(homework.seed);
  digest.add(name(homework.language));
  for (const HomeworkItem& item : homework.items) {
    digest.add(item.beat);
    digest.add(item.question);
    digest.add(item.given);
    for (const auto& list : {item.choices, item.attempts}) {
      digest.add(std::uint64_t{list.size()});
      for (const auto& text : list) digest.add(text);
    }
    digest.add(item.how);
    digest.add(item.hints);
    digest.add(std::uint64_t{item.is_schedule});
  }
  return digest.text();
}

}  // namespace ringside::lessons
