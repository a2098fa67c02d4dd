#include "viz/terminal/tutor.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <istream>
#include <ostream>

#include "core/file.hpp"
#include "core/units.hpp"
#include "viz/terminal/lesson_scene.hpp"
#include "viz/terminal/prose_view.hpp"

namespace ringside::terminal {
namespace {

using lessons::Gate;
using lessons::QuestionKind;

/// What the tutor itself says, by language.
using Phrase = std::array<const char*, 2>;
constexpr Phrase beat_of{"{} of {}", "第 {} 页，共 {} 页"};
constexpr Phrase go_on{"Enter: on   back   quit", "回车：继续   back：上一页   quit：退出"};
constexpr Phrase at_the_end{"Enter: done   back", "回车：完成   back：上一页"};
constexpr Phrase while_asked{"your answer, or: hint   show   back   quit",
                             "请作答，也可输入：hint 提示   show 看答案   back 上一页   quit 退出"};
constexpr Phrase after_wrong{
    "Try again, or: hint   show   back   quit",
    "再试一次，也可输入：hint 提示   show 看答案   back 上一页   quit 退出"};
constexpr Phrase try_first{"First try, or ask for a hint; then the answer is shown.",
                           "请先作答或看提示，然后才能看答案。"};
constexpr Phrase hint_is{"Hint {} of {}", "提示 {}/{}"};
constexpr Phrase no_more_hints{"There are no more hints: `show` shows the answer.",
                               "没有更多提示了：输入 show 看答案。"};
constexpr Phrase right_is{"Right.", "答对了。"};
constexpr Phrase wrong_is{"Not quite.", "不对。"};
constexpr Phrase answer_is{"The answer: {}", "答案：{}"};
constexpr Phrase off_by{"Off by a factor of {:.3g} on average; {:.3g} is near enough.",
                        "平均相差 {:.3g} 倍，{:.3g} 倍以内算对。"};
constexpr Phrase blanks_in_order{"The blanks in order, with ; between them: {}",
                                 "按顺序填空，用 ; 隔开：{}"};
constexpr Phrase cards_in_order{"Name each card, with commas between: {}",
                                "按顺序写出每张卡片，用逗号隔开：{}"};
constexpr Phrase points_in_order{"A value for each x, with commas between: {}",
                                 "对每个 x 给出一个值，用逗号隔开：{}"};
constexpr Phrase schedule_how{
    "Type a schedule and end it with a line that has only a dot, or name a file: @mine.txt\n"
    "It starts as:\n{}",
    "输入你的方案，最后单独一行写一个点结束；也可以给出文件名：@mine.txt\n起始内容：\n{}"};
constexpr Phrase picked_how{"Type its number.", "请输入编号。"};
constexpr Phrase link_how{"Type a link as 0->1.", "请输入链路，例如 0->1。"};
constexpr Phrase stopped{"Stopped at {} of {}.", "停在第 {} 页，共 {} 页。"};
constexpr Phrase goes_on{" The same command goes on from here.", "再次运行同一命令即可继续。"};
constexpr Phrase lesson_over{"That was the lesson: {} of {} answered right.",
                             "本课结束：共 {1} 题，答对 {0} 题。"};

enum class Wish : std::uint8_t { answer, next, back, hint, show, quit };

Wish wish_of(const std::string& line) {
  if (line.empty() || line == "next" || line == "n") return Wish::next;
  if (line == "back" || line == "b") return Wish::back;
  if (line == "hint" || line == "h" || line == "?") return Wish::hint;
  if (line == "show" || line == "s") return Wish::show;
  if (line == "quit" || line == "q") return Wish::quit;
  return Wish::answer;
}

class Tutor {
 public:
  Tutor(lessons::Sitting& sitting, const Tutoring& manner, std::istream& in, std::ostream& out)
      : sitting_(sitting), manner_(manner), in_(in), out_(out) {}

  void teach() {
    say(title());
    show_beat();
    while (!is_over_) {
      prompt();
      std::string line;
      if (!read(line) || wish_of(line) == Wish::quit) {
        say(fmt::format(fmt::runtime(phrase(stopped)), sitting_.beat() + 1,
                        sitting_.instance().size()) +
            (manner_.keep ? phrase(goes_on) : "") + "\n");
        return;
      }
      obey(wish_of(line), line);
      if (manner_.keep) manner_.keep();
    }
  }

 private:
  const lessons::Instance& instance() const { return sitting_.instance(); }
  const lessons::Asked* asked() const { return instance().asked(sitting_.beat()); }
  std::string phrase(const Phrase& phrase) const {
    return phrase[static_cast<std::size_t>(manner_.language)];
  }
  void say(const std::string& text) { out_ << text << std::flush; }
  void say_prose(const std::string& markdown) {
    say(draw_prose(markdown, manner_.columns, manner_.style));
  }
  std::string strong(const std::string& text) const {
    return manner_.style.colour ? "\033[1m" + text + "\033[0m" : text;
  }
  std::string title() const {
    const auto& text = instance().lesson().text(manner_.language);
    return strong(text.title) + "\n" + draw_prose(text.goal, manner_.columns, manner_.style);
  }

  bool read(std::string& line);
  void prompt();
  void obey(Wish wish, const std::string& line);
  void show_beat();
  void show_question(const lessons::Asked& asked);
  void move(bool forwards);
  void hint();
  void reveal();
  void answer(std::string line);
  bool read_schedule(std::string& text);
  void open();
  std::string shown_answer() const;
  std::string ending() const;

  lessons::Sitting& sitting_;
  const Tutoring& manner_;
  std::istream& in_;
  std::ostream& out_;
  bool is_over_ = false;
};

bool Tutor::read(std::string& line) {
  if (!std::getline(in_, line)) {
    say("\n");
    return false;
  }
  const auto end = line.find_last_not_of(" \t\r");
  line.resize(end == line.npos ? 0 : end + 1);
  if (manner_.echo) say(line + "\n");
  return true;
}

void Tutor::prompt() {
  const Phrase& said = sitting_.gate() == Gate::wrong ? after_wrong
                       : !is_open(sitting_.gate())    ? while_asked
                       : sitting_.is_at_end()         ? at_the_end
                                                      : go_on;
  say("\n(" + phrase(said) + ")\n> ");
}

void Tutor::obey(Wish wish, const std::string& line) {
  const bool is_shut = !is_open(sitting_.gate());
  if (wish == Wish::back) return move(false);
  if (!is_shut) return move(true);  // whatever else is typed: there is nothing to answer
  if (wish == Wish::hint) return hint();
  if (wish == Wish::show) return reveal();
  if (wish == Wish::answer) answer(line);
}

void Tutor::move(bool forwards) {
  if (forwards && sitting_.is_at_end()) {
    is_over_ = true;
    say(ending());
    return;
  }
  if (forwards ? sitting_.next() : sitting_.back()) show_beat();
}

std::string Tutor::ending() const {
  std::size_t questions = 0, right = 0;
  for (std::size_t i = 0; i < instance().size(); ++i) {
    questions += sitting_.gate(i) == Gate::none ? 0 : 1;
    right += sitting_.gate(i) == Gate::right ? 1 : 0;
  }
  return fmt::format(fmt::runtime(phrase(lesson_over)), right, questions) + "\n";
}

void Tutor::show_beat() {
  const auto i = sitting_.beat();
  const auto where = fmt::format(fmt::runtime(phrase(beat_of)), i + 1, instance().size());
  say("\n" + strong("-- " + where + " --") + "\n\n");
  if (const auto scene = draw_scene(instance(), i, manner_.style); !scene.empty())
    say(scene + "\n");
  say_prose(instance().body(i, manner_.language));
  if (asked() == nullptr || is_open(sitting_.gate()))
    open();
  else
    show_question(*asked());
}

/// What comes after the gate.
void Tutor::open() {
  if (const auto play = draw_play(instance(), sitting_.beat(), manner_.style); !play.empty())
    say("\n" + play);
}

void Tutor::show_question(const lessons::Asked& asked) {
  const auto list = [](const auto& items, auto text) {
    std::string all;
    for (const auto& item : items) all += (all.empty() ? "" : ", ") + text(item);
    return all;
  };
  const auto how = [&](const Phrase& said, const std::string& what) {
    say("\n" + fmt::format(fmt::runtime(phrase(said)), what) + "\n");
  };
  for (std::size_t n = 0; n < asked.options.size(); ++n) {
    const auto text = instance().choice(sitting_.beat(), asked.options[n].id, manner_.language);
    say((n == 0 ? "\n" : "") +
        draw_prose(fmt::format("{}. {}", n + 1, text), manner_.columns, manner_.style));
  }
  switch (asked.kind) {
    case QuestionKind::blanks:
      if (asked.expected.size() > 1)
        how(blanks_in_order, list(asked.expected, [](const auto& one) { return one.id; }));
      break;
    case QuestionKind::sort: {
      for (std::size_t n = 0; n < asked.cards.size(); ++n)
        say(fmt::format("\n{}.\n", n + 1) + draw_card(asked.cards[n]));
      auto names = asked.cards;
      std::sort(names.begin(), names.end(),
                [](const auto& a, const auto& b) { return a.collective < b.collective; });
      how(cards_in_order, list(names, [](const auto& one) { return one.collective; }));
      break;
    }
    case QuestionKind::draw:
      how(points_in_order, list(asked.curve, [](const auto& point) {
            return lessons::show(point.x, lessons::Unit::none);
          }));
      break;
    case QuestionKind::schedule:
      how(schedule_how, asked.puzzle->start);
      break;
    case QuestionKind::pick:
      how(asked.what == lessons::Picked::link ? link_how : picked_how, "");
      break;
    case QuestionKind::number:
    case QuestionKind::vector:
    case QuestionKind::choice:
      break;
  }
}

void Tutor::hint() {
  if (!sitting_.hint()) return say(phrase(no_more_hints) + "\n");
  const auto nth = sitting_.hints();
  say(strong(fmt::format(fmt::runtime(phrase(hint_is)), nth, lessons::hint_count)) + "\n");
  say_prose(instance().hint(sitting_.beat(), nth - 1, manner_.language));
}

std::string Tutor::shown_answer() const {
  const auto i = sitting_.beat();
  for (std::size_t n = 0; n < asked()->options.size(); ++n)
    if (asked()->options[n].right)
      return fmt::format("{}. {}", n + 1,
                         instance().choice(i, asked()->options[n].id, manner_.language));
  return right_answer(*asked());
}

void Tutor::reveal() {
  if (sitting_.attempts() == 0 && sitting_.hints() == 0) return say(phrase(try_first) + "\n");
  sitting_.reveal();
  say(fmt::format(fmt::runtime(phrase(answer_is)), shown_answer()) + "\n");
  lessons::Verdict right;
  right.right = true;
  say_prose(instance().response(sitting_.beat(), right, manner_.language));
  open();
}

/// Lines up to one with only a dot.
bool Tutor::read_schedule(std::string& text) {
  text += "\n";
  for (std::string line; read(line); text += line + "\n")
    if (line == ".") return true;
  return false;
}

void Tutor::answer(std::string line) {
  if (asked()->kind == QuestionKind::schedule) {
    if (line.starts_with('@')) {
      auto text = read_file(line.substr(1), Bytes{256u << 10});
      if (!text) return say(text.error().message + "\n");
      line = *std::move(text);
    } else if (!read_schedule(line)) {
      return;
    }
  }
  if (sitting_.gate() == Gate::wrong) sitting_.retry();
  const auto verdict = sitting_.lock(line);
  if (!verdict) return say(verdict.error().message + "\n");
  say(strong(phrase(verdict->right ? right_is : wrong_is)) + "\n");
  if (verdict->factor)
    say(fmt::format(fmt::runtime(phrase(off_by)), *verdict->factor, asked()->good) + "\n");
  if (verdict->grade && !verdict->grade->correct)
    say(verdict->grade->problem[static_cast<std::size_t>(manner_.language)] + "\n");
  say_prose(instance().response(sitting_.beat(), *verdict, manner_.language));
  if (verdict->right) open();
}

}  // namespace

void tutor(lessons::Sitting& sitting, const Tutoring& manner, std::istream& in, std::ostream& out) {
  Tutor(sitting, manner, in, out).teach();
}

}  // namespace ringside::terminal
