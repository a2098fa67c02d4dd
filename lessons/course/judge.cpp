// What is typed, held against what is right.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/collective.hpp"
#include "core/suggest.hpp"
#include "lessons/course/instance.hpp"

namespace ringside::lessons {
namespace {

constexpr std::size_t most_answer = 4096;

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view blanks = " \t\r\n";
  const auto begin = text.find_first_not_of(blanks);
  if (begin == text.npos) return {};
  return text.substr(begin, text.find_last_not_of(blanks) - begin + 1);
}

/// Chinese keyboards type their own commas, semicolons and colons.
std::string with_plain_marks(std::string_view text) {
  static constexpr std::pair<std::string_view, char> marks[] = {
      {"，", ','}, {"、", ','}, {"；", ';'}, {"→", '>'}};
  std::string plain;
  for (std::size_t i = 0; i < text.size();) {
    const auto* mark = std::find_if(std::begin(marks), std::end(marks), [&](const auto& one) {
      return text.substr(i).starts_with(one.first);
    });
    plain += mark != std::end(marks) ? mark->second : text[i];
    i += mark != std::end(marks) ? mark->first.size() : 1;
  }
  return plain;
}

std::vector<std::string_view> split(std::string_view text, char mark) {
  std::vector<std::string_view> parts;
  while (true) {
    const auto end = std::min(text.find(mark), text.size());
    parts.push_back(trimmed(text.substr(0, end)));
    if (end == text.size()) return parts;
    text.remove_prefix(end + 1);
  }
}

Result<void> check_count(std::size_t got, std::size_t wanted, std::string_view mark) {
  if (got == wanted) return {};
  return bad_request(fmt::format("{} {} wanted, with {} between them, and {} {} here",
                                 counted(wanted, "answer"), wanted == 1 ? "is" : "are", mark, got,
                                 got == 1 ? "is" : "are"));
}

bool is_near(const Expected& expected, double value) {
  return lessons::is_near(value, expected.value, expected.tolerance);
}

/// The misconception whose value was given; the parts that are right.
Verdict compare(const Asked& asked, const std::vector<double>& given) {
  Verdict verdict{.right = true};
  for (std::size_t i = 0; i < given.size(); ++i) {
    verdict.parts.push_back(is_near(asked.expected[i], given[i]));
    verdict.right = verdict.right && verdict.parts.back();
  }
  if (verdict.right) return verdict;
  const auto is_given = [&](const Mistaken& mistaken) {
    for (std::size_t i = 0; i < given.size(); ++i)
      if (!lessons::is_near(given[i], mistaken.values[i], asked.expected[i].tolerance))
        return false;
    return true;
  };
  for (const Mistaken& mistaken : asked.wrong)
    if (is_given(mistaken)) {
      verdict.misconception = mistaken.misconception;
      break;
    }
  for (std::size_t i = 0; i < given.size() && verdict.misconception.empty(); ++i)
    for (const Mistaken& mistaken : asked.expected[i].wrong)
      if (!verdict.parts[i] &&
          lessons::is_near(given[i], mistaken.values[0], asked.expected[i].tolerance)) {
        verdict.misconception = mistaken.misconception;
        break;
      }
  return verdict;
}

Result<Verdict> judge_numbers(const Asked& asked, std::string_view answer, char mark) {
  const bool is_one = asked.expected.size() == 1;
  const auto parts = is_one ? std::vector<std::string_view>{answer} : split(answer, mark);
  RS_TRY(check_count(parts.size(), asked.expected.size(), mark == ';' ? "a semicolon" : "a comma"));
  std::vector<double> given;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    RS_ASSIGN(given.emplace_back(), parse_amount(parts[i], asked.expected[i].unit));
  }
  return compare(asked, given);
}

/// `3`, `rank 3`, `0->1`, `gpu0 gpu1`: the numbers in it.
Result<Verdict> judge_picked(const Asked& asked, std::string_view answer) {
  std::vector<double> given;
  for (std::size_t i = 0; i < answer.size(); ++i) {
    if (answer[i] < '0' || answer[i] > '9') continue;
    double number = 0;
    for (; i < answer.size() && answer[i] >= '0' && answer[i] <= '9'; ++i)
      number = std::min(number * 10 + (answer[i] - '0'), 1e9);
    given.push_back(number);
  }
  if (given.size() != asked.expected.size())
    return bad_request(asked.what == Picked::link
                           ? "a link is two ranks, such as 0->1"
                           : fmt::format("{} is no {}: give its number", in_quotes(answer),
                                         asked.what == Picked::rank ? "rank" : "chunk"));
  return compare(asked, given);
}

Result<Verdict> judge_choice(const Asked& asked, std::string_view answer) {
  for (std::size_t i = 0; i < asked.options.size(); ++i) {
    const Option& option = asked.options[i];
    if (answer == option.id || answer == std::to_string(i + 1))
      return Verdict{.right = option.right,
                     .misconception = option.right ? "" : option.misconception};
  }
  return bad_request(fmt::format("{} is none of the choices: they are 1 to {}", in_quotes(answer),
                                 asked.options.size()));
}

Result<Verdict> judge_cards(const Asked& asked, std::string_view answer) {
  const auto parts = split(answer, ',');
  RS_TRY(check_count(parts.size(), asked.cards.size(), "a comma"));
  Verdict verdict{.right = true};
  for (std::size_t i = 0; i < parts.size(); ++i) {
    RS_ASSIGN(const CollectiveKind kind, parse_collective(parts[i]));
    verdict.parts.push_back(name(kind) == asked.cards[i].collective);
    verdict.right = verdict.right && verdict.parts.back();
  }
  return verdict;
}

Result<Verdict> judge_curve(const Asked& asked, std::string_view answer) {
  const auto parts = split(answer, ',');
  RS_TRY(check_count(parts.size(), asked.curve.size(), "a comma"));
  double off = 0;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    RS_ASSIGN(const double y, parse_amount(parts[i], asked.curve_unit));
    if (!(y > 0)) return bad_request("a curve is drawn above 0");
    off += std::abs(std::log(y / asked.curve[i].y));
  }
  Verdict verdict;
  verdict.factor = std::exp(off / static_cast<double>(parts.size()));
  verdict.right = *verdict.factor <= asked.good * (1 + 1e-9);
  return verdict;
}

Result<Verdict> judge_schedule(const Asked& asked, std::string_view answer,
                               const Laboratory& laboratory) {
  Verdict verdict;
  RS_ASSIGN(verdict.grade, grade(*asked.puzzle, answer, laboratory));
  verdict.right = verdict.grade->makes_par();
  return verdict;
}

}  // namespace

Result<Verdict> judge(const Asked& asked, std::string_view typed, const Laboratory& laboratory) {
  if (asked.kind == QuestionKind::schedule) return judge_schedule(asked, typed, laboratory);
  if (typed.size() > most_answer) return bad_request("that is too long for an answer");
  const auto plain = with_plain_marks(typed);
  const auto answer = trimmed(plain);
  if (answer.empty()) return bad_request("that is no answer yet");
  switch (asked.kind) {
    case QuestionKind::number:
    case QuestionKind::vector:
      return judge_numbers(asked, answer, ',');
    case QuestionKind::blanks:
      return judge_numbers(asked, answer, ';');
    case QuestionKind::pick:
      return judge_picked(asked, answer);
    case QuestionKind::choice:
      return judge_choice(asked, answer);
    case QuestionKind::sort:
      return judge_cards(asked, answer);
    case QuestionKind::draw:
      return judge_curve(asked, answer);
    case QuestionKind::schedule:
      break;
  }
  return bad_request("nothing is asked here");
}

std::string right_answer(const Asked& asked) {
  std::string text;
  const auto add = [&](std::string_view mark, const std::string& part) {
    text += (text.empty() ? "" : std::string(mark)) + part;
  };
  const std::string_view mark = asked.kind == QuestionKind::blanks ? "; "
                                : asked.kind == QuestionKind::pick ? "->"
                                                                   : ", ";
  for (const Expected& one : asked.expected) add(mark, show(one.value, one.unit));
  for (const Option& option : asked.options)
    if (option.right) add(mark, option.id);
  for (const Card& card : asked.cards) add(mark, card.collective);
  for (const CurvePoint& point : asked.curve) add(mark, show(point.y, asked.curve_unit));
  return asked.puzzle ? asked.puzzle->solution : text;
}

}  // namespace ringside::lessons
