#include "lessons/course/asking.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/mix.hpp"
#include "core/replay.hpp"
#include "core/suggest.hpp"

namespace ringside::lessons {
namespace {

std::uint64_t hash(std::uint64_t seed, std::string_view text) {
  for (const char c : text) seed = mix(seed, static_cast<unsigned char>(c));
  return mix(seed, text.size());
}

tl::unexpected<Error> fail(const Lesson& lesson, std::uint32_t line, const std::string& sentence) {
  return bad_request(fmt::format("{}:{}: {}", lesson.file, line, sentence));
}

}  // namespace

std::size_t drawn(std::uint64_t seed, std::string_view name, std::size_t size) {
  return seed == 0 ? 0 : static_cast<std::size_t>(hash(seed, name) % size);
}

Card make_card(std::string_view collective, std::uint32_t ranks) {
  Card card{.collective = std::string(collective)};
  CollectiveSpec spec{.kind = *parse_collective(collective), .ranks = ranks};
  if (has_root(spec.kind)) spec.root = {1};
  const std::vector<std::optional<double>> nothing(ranks);
  card.before.assign(ranks, nothing);
  card.after = card.before;
  for (const Slot& slot : precondition(spec, ranks))
    card.before[slot.rank.value][slot.chunk.value] = demonstration_value(slot.rank, slot.chunk);
  for (const Expectation& wanted : postcondition(spec, ranks)) {
    double sum = 0;
    for (std::uint32_t i = 0; i < wanted.count; ++i)
      sum += demonstration_value({wanted.first.value + i}, wanted.from_chunk);
    card.after[wanted.slot.rank.value][wanted.slot.chunk.value] = sum;
  }
  return card;
}

Result<double> Worker::number(const Expression& expression) const {
  RS_ASSIGN(const Quantity quantity, evaluate(values, expression));
  return quantity.value;
}

Result<std::uint32_t> Worker::index(const Expression& expression) const {
  RS_ASSIGN(const double value, number(expression));
  if (!(value >= 0 && value < 1e6 && std::round(value) == value))
    return fail(lesson, expression.line,
                fmt::format("{} gives {}, and a whole number from 0 on was expected",
                            in_quotes(expression.text), value));
  return static_cast<std::uint32_t>(value);
}

Result<std::vector<Mistaken>> Worker::mistaken(const std::vector<KnownWrong>& wrong) const {
  std::vector<Mistaken> found;
  for (const KnownWrong& one : wrong) {
    Mistaken mistaken{.misconception = one.misconception};
    for (const Expression& value : one.values) {
      RS_ASSIGN(mistaken.values.emplace_back(), number(value));
    }
    found.push_back(std::move(mistaken));
  }
  return found;
}

Result<Expected> Worker::expected(const Sought& sought) const {
  Expected expected{.id = sought.id, .unit = sought.unit, .tolerance = sought.tolerance};
  RS_ASSIGN(expected.value, number(sought.answer));
  RS_ASSIGN(expected.wrong, mistaken(sought.wrong));
  return expected;
}

template <typename Item>
void Worker::shuffle(std::vector<Item>& items) const {
  const auto salt = hash(seed, beat);
  for (std::size_t i = items.size(); i > 1; --i)
    std::swap(items[i - 1], items[static_cast<std::size_t>(mix(salt, i) % i)]);
}

Result<void> Worker::options(const Question& question, Asked& asked) const {
  std::size_t right = 0;
  for (const ChoiceRule& choice : question.choices) {
    RS_ASSIGN(const double truth, number(choice.right));
    right += truth != 0 ? 1 : 0;
    asked.options.push_back({choice.id, truth != 0, choice.misconception});
  }
  if (right != 1)
    return fail(
        lesson, question.line,
        fmt::format("exactly one choice must be right, and with seed {} {} are", seed, right));
  shuffle(asked.options);
  return {};
}

Result<void> Worker::curve(const DrawRule& rule, Asked& asked) const {
  Values names = values;
  for (const double x : rule.over) {
    names["x"] = {x, Unit::none};
    RS_ASSIGN(const Quantity y, evaluate(names, rule.truth));
    if (!(y.value > 0))
      return fail(lesson, rule.truth.line,
                  fmt::format("a curve is drawn above 0, and at x = {} it is {}", x, y.value));
    asked.curve.push_back({x, y.value});
  }
  asked.curve_unit = rule.unit;
  asked.good = rule.good;
  return {};
}

Result<void> Worker::puzzle(const PuzzleRule& rule, Asked& asked) const {
  Puzzle puzzle{.start = rule.start, .solution = rule.solution};
  puzzle.spec.kind = *parse_collective(rule.collective);
  RS_ASSIGN(puzzle.spec.ranks, index(rule.ranks));
  RS_ASSIGN(puzzle.chunks, index(rule.chunks));
  RS_ASSIGN(const double bytes, number(rule.bytes));
  puzzle.bytes = {static_cast<std::uint64_t>(std::max(0.0, std::round(bytes)))};
  if (const auto good = check(puzzle.spec); !good)
    return fail(lesson, rule.ranks.line, good.error().message);
  RS_ASSIGN(puzzle.par.steps, index(rule.steps));
  RS_ASSIGN(const double busiest, number(rule.busiest));
  puzzle.par.busiest = {static_cast<std::uint64_t>(std::max(0.0, std::round(busiest)))};
  RS_ASSIGN(const double seconds, number(rule.time));
  puzzle.par.time = {std::llround(seconds * 1e12)};
  puzzle.share =
      fmt::format("ring?collective={}&ranks={}&bytes={}{}{}", rule.collective, puzzle.spec.ranks,
                  puzzle.bytes.count, rule.system.empty() ? "" : "&", rule.system);
  asked.puzzle = std::move(puzzle);
  return {};
}

Result<Asked> Worker::ask(const Question& question) const {
  Asked asked{.kind = question.kind, .what = question.what, .values = values};
  for (const Sought& sought : question.sought) {
    RS_ASSIGN(asked.expected.emplace_back(), expected(sought));
  }
  RS_ASSIGN(asked.wrong, mistaken(question.wrong));
  if (question.kind == QuestionKind::choice) RS_TRY(options(question, asked));
  if (question.arrow) {
    asked.arrow.emplace();
    RS_ASSIGN(asked.arrow->rank.value, index(question.arrow->rank));
    RS_ASSIGN(asked.arrow->step.value, index(question.arrow->step));
  }
  for (const std::string& card : question.cards)
    asked.cards.push_back(make_card(card, question.card_ranks));
  shuffle(asked.cards);
  if (question.draw) RS_TRY(curve(*question.draw, asked));
  if (question.puzzle) RS_TRY(puzzle(*question.puzzle, asked));
  return asked;
}

}  // namespace ringside::lessons
