#include "viz/terminal/homework.hpp"

#include <fmt/format.h>

#include <charconv>
#include <istream>
#include <ostream>

#include "core/file.hpp"
#include "core/suggest.hpp"
#include "lessons/course/homework.hpp"
#include "viz/stage/laboratory.hpp"
#include "viz/terminal/prose_view.hpp"
#include "viz/terminal/state_view.hpp"

namespace ringside::terminal {
namespace {

using lessons::Homework;
using lessons::HomeworkItem;
using lessons::Instance;
using lessons::Language;

/// One sitting at a homework, line by line: the same over ssh and in a pipe.
class Desk {
  static constexpr std::size_t columns = 80;

 public:
  Desk(Homework homework, const Instance& instance, const HomeworkDesk& desk)
      : homework_(std::move(homework)), instance_(instance), desk_(desk) {}

  Result<int> work() {
    say(fmt::format(
        "{}, {}: {}\n{}\n", homework_.lesson, homework_.student, desk_.file,
        words("Type an answer, or: hint   next   quit. A schedule ends with a line with only a "
              "dot, or comes from a file: @mine.txt",
              "请作答，也可输入：hint 提示   next 下一题   quit 退出。传输计划以只有一个点的"
              "一行结束，或从文件读入：@mine.txt")));
    for (std::size_t i = 0; i < homework_.items.size() && !is_over_; ++i) RS_TRY(ask(i));
    std::size_t right = 0;
    for (const HomeworkItem& item : homework_.items) right += is_right(item);
    say(fmt::format("\n{} / {} {} {}\n", right, homework_.items.size(),
                    words("right. Hand in", "正确。请上交"), desk_.file));
    return 0;
  }

 private:
  std::string words(const char* en, const char* zh) const {
    return homework_.language == Language::zh ? zh : en;
  }
  void say(const std::string& text) const { desk_.out << text << std::flush; }
  void show(const std::string& markdown) const {
    say(draw_prose(markdown, columns, Style::for_stdout()));
  }
  std::size_t beat_of(const HomeworkItem& item) const { return *instance_.find(item.beat); }

  bool is_right(const HomeworkItem& item) const {
    const auto verdict =
        judge(*instance_.asked(beat_of(item)), item.answer, instance_.laboratory());
    return verdict && verdict->right;
  }

  /// Until it is right, or left for later.
  Result<void> ask(std::size_t number) {
    HomeworkItem& item = homework_.items[number];
    if (is_right(item)) return {};
    say(fmt::format("\n[{}/{}] ", number + 1, homework_.items.size()));
    show(item.question);
    for (const auto& choice : item.choices) show(choice);
    say(fmt::format("({}{}{})\n", item.given, item.given.empty() ? "" : "; ", item.how));
    std::string line;
    while (true) {
      say("> ");
      if (!std::getline(desk_.in, line) || line == "quit" || line == "q") {
        is_over_ = true;
        return {};
      }
      if (line.empty() || line == "next" || line == "n") return {};
      if (line == "hint" || line == "h" || line == "?") {
        RS_TRY(hint(item));
        continue;
      }
      RS_ASSIGN(const bool is_done, attempt(item, line));
      if (is_done) return {};
    }
  }

  Result<void> hint(HomeworkItem& item) {
    if (item.hints == lessons::hint_count) {
      say(words("There are no more hints.\n", "没有更多提示了。\n"));
      return {};
    }
    show(instance_.hint(beat_of(item), item.hints++, homework_.language));
    return save();
  }

  /// Of a schedule, what the file says that `@mine.txt` names, or lines up to one with only a dot.
  Result<std::string> typed(const HomeworkItem& item, std::string line) const {
    if (!item.is_schedule) return line;
    if (line.starts_with('@')) return read_file(line.substr(1), lessons::most_homework);
    std::string text;
    do text += line + "\n";
    while (std::getline(desk_.in, line) && line != ".");
    return text;
  }

  Result<bool> attempt(HomeworkItem& item, const std::string& line) {
    const auto answer = typed(item, line);
    const auto verdict =
        answer ? judge(*instance_.asked(beat_of(item)), *answer, instance_.laboratory())
               : tl::unexpected<Error>(answer.error());
    if (!verdict) {  // no attempt: nobody could read it
      say(verdict.error().message + "\n");
      return false;
    }
    item.answer = *answer;
    if (item.attempts.size() < lessons::most_attempts) item.attempts.push_back(*answer);
    RS_TRY(save());
    if (verdict->grade && !verdict->grade->correct)
      say(verdict->grade->problem[static_cast<std::size_t>(homework_.language)] + "\n");
    show(instance_.response(beat_of(item), *verdict, homework_.language));
    return verdict->right;
  }

  Result<void> save() const { return write_file(desk_.file, to_json(homework_)); }

  Homework homework_;
  const Instance& instance_;
  const HomeworkDesk& desk_;
  bool is_over_ = false;
};

}  // namespace

Result<std::uint64_t> parse_seed(const std::string& text) {
  std::uint64_t seed = 0;
  const auto* const end = text.data() + text.size();
  const auto [stopped, error] = std::from_chars(text.data(), end, seed);
  if (error == std::errc{} && stopped == end && seed < std::uint64_t{1} << 53) return seed;
  return bad_request("--seed: " + in_quotes(text) +
                     " is no seed: say a whole number below 2^53; with --assign also auto, for "
                     "numbers of the student's own");
}

Result<int> assign_homework(const AssignRequest& request, const lessons::Course& course) {
  RS_ASSIGN(const lessons::Lesson* lesson, find_lesson(course, request.lesson));
  if (request.student.empty())
    return bad_request("--assign needs --student ID: each student gets numbers of their own");
  RS_ASSIGN(const auto seed, request.seed == "auto" ? Result<std::uint64_t>(lessons::own_seed(
                                                          request.student, lesson->name))
                                                    : parse_seed(request.seed));
  RS_ASSIGN(const Instance instance,
            lessons::homework_instance(*lesson, seed, stage::Shelf().laboratory()));
  const lessons::Assignee assignee{request.student, seed, request.language};
  RS_ASSIGN(const Homework homework, assign(instance, assignee));
  RS_TRY(write(request.output, to_json(homework)));
  return 0;
}

Result<int> do_homework(const HomeworkDesk& desk, const lessons::Course& course) {
  const std::string& file = desk.file;
  RS_ASSIGN(const std::string text, read_file(file, lessons::most_homework));
  RS_ASSIGN(Homework homework, lessons::homework_from_json(text, file));
  if (homework.seal != seal_of(homework))
    return bad_request(file +
                       " was edited where it may not be, or is of another version: get a new "
                       "one (ringside learn " +
                       homework.lesson + " --assign --student " + shell_word(homework.student) +
                       " --out FILE)");
  RS_ASSIGN(const lessons::Lesson* lesson, find_lesson(course, homework.lesson));
  RS_ASSIGN(const Instance instance,
            lessons::homework_instance(*lesson, homework.seed, stage::Shelf().laboratory()));
  for (const HomeworkItem& item : homework.items) {
    const auto beat = instance.find(item.beat);
    if (!beat || instance.asked(*beat) == nullptr || instance.beat(*beat).id != item.beat)
      return bad_request(file + " asks " + in_quotes(item.beat) +
                         ", which this version of the lesson does not");
  }
  return Desk(std::move(homework), instance, desk).work();
}

}  // namespace ringside::terminal
