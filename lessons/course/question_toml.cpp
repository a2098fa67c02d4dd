// [beat.ask] as a Question.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "core/collective.hpp"
#include "core/file.hpp"
#include "lessons/course/toml_fields.hpp"

namespace ringside::lessons {
namespace {

constexpr std::string_view kind_names[] = {"number", "choice", "pick", "vector",
                                           "blanks", "sort",   "draw", "schedule"};
constexpr std::string_view picked_names[] = {"rank", "chunk", "link"};
constexpr std::size_t most_choices = 5;  // digits vote
constexpr std::size_t most_cards = 10, most_points = 64;
constexpr Bytes most_schedule{256u << 10};

Result<Unit> unit_of(const TomlTable& table) {
  RS_ASSIGN(const std::string text, text_or_none(table, "unit"));
  const auto unit = parse_unit(text);
  if (!unit) return table.fail("unit", unit.error().message);
  return *unit;
}

Result<KnownWrong> known_wrong(const TomlTable& table) {
  RS_TRY(table.only({"value", "misconception"}));
  KnownWrong wrong;
  RS_ASSIGN(wrong.values, expressions(table, "value"));
  if (wrong.values.empty())
    return table.fail("value is missing: write value = \"n\", the wrong answer");
  wrong.line = wrong.values.front().line;
  RS_ASSIGN(wrong.misconception, text_or_none(table, "misconception"));
  return wrong;
}

Result<std::vector<KnownWrong>> known_wrongs(const TomlTable& table) {
  RS_ASSIGN(const auto tables, table.tables("wrong"));
  std::vector<KnownWrong> found;
  for (const TomlTable& one : tables) {
    RS_ASSIGN(found.emplace_back(), known_wrong(one));
  }
  return found;
}

Result<void> read_tolerance(const TomlTable& table, Sought& sought) {
  RS_ASSIGN(sought.tolerance, number(table, "tolerance", sought.tolerance));
  if (sought.tolerance > 0.5)
    return table.fail("tolerance", "tolerance is a part of the answer, at most 0.5");
  return {};
}

/// number, vector, pick: `answer` and `confirm`, one or several.
Result<void> read_sought(const TomlTable& table, Question& question) {
  RS_ASSIGN(const auto answers, expressions(table, "answer"));
  RS_ASSIGN(const auto confirms, expressions(table, "confirm"));
  const bool is_link = question.kind == QuestionKind::pick && question.what == Picked::link;
  const std::size_t wanted = is_link ? 2 : 1;
  if (answers.empty())
    return table.fail("answer is missing: write answer = \"2 * (n - 1)\", an expression");
  if (question.kind != QuestionKind::vector && answers.size() != wanted)
    return table.fail(
        "answer", fmt::format("answer is {}, not {}",
                              is_link ? "[\"from\", \"to\"]" : "one expression", answers.size()));
  if (!confirms.empty() && confirms.size() != answers.size())
    return table.fail("confirm", fmt::format("confirm has {} and answer {}: as many are needed",
                                             confirms.size(), answers.size()));
  Sought sought;
  RS_ASSIGN(sought.unit, unit_of(table));
  if (question.kind == QuestionKind::pick) sought.tolerance = 0;
  RS_TRY(read_tolerance(table, sought));
  for (std::size_t i = 0; i < answers.size(); ++i) {
    sought.answer = answers[i];
    sought.confirm = confirms.empty() ? Expression{} : confirms[i];
    question.sought.push_back(sought);
  }
  RS_ASSIGN(question.wrong, known_wrongs(table));
  for (const KnownWrong& wrong : question.wrong)
    if (wrong.values.size() != answers.size())
      return table.fail("wrong", fmt::format("a wrong answer has as many values as the answer, {}",
                                             answers.size()));
  return {};
}

bool is_id(std::string_view id) {
  const auto allowed = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-';
  };
  return !id.empty() && std::all_of(id.begin(), id.end(), allowed) &&
         !std::all_of(id.begin(), id.end(), [](char c) { return c >= '0' && c <= '9'; });
}

template <typename Item>
Result<std::string> new_id(const TomlTable& table, const std::vector<Item>& others) {
  RS_ASSIGN(std::string id, table.needed("id", "first"));
  if (!is_id(id))
    return table.fail("id", in_quotes(id) + " is no id: small letters, digits and -, such as half");
  for (const Item& other : others)
    if (other.id == id) return table.fail("id", "the id " + in_quotes(id) + " is taken already");
  return id;
}

Result<void> read_choices(const TomlTable& table, Question& question) {
  RS_ASSIGN(const auto tables, table.tables("choice"));
  if (tables.size() < 2 || tables.size() > most_choices)
    return table.fail("choice", fmt::format("a choice has 2 to {} [[beat.ask.choice]], not {}",
                                            most_choices, tables.size()));
  for (const TomlTable& one : tables) {
    RS_TRY(one.only({"id", "right", "misconception"}));
    ChoiceRule choice;
    RS_ASSIGN(choice.id, new_id(one, question.choices));
    choice.line = one.find("id")->line;
    if (one.find("right") != nullptr) {
      RS_ASSIGN(choice.right, expression(one, "right"));
    }
    RS_ASSIGN(choice.misconception, text_or_none(one, "misconception"));
    question.choices.push_back(std::move(choice));
  }
  return {};
}

Result<void> read_blanks(const TomlTable& table, Question& question) {
  RS_ASSIGN(const auto tables, table.tables("blank"));
  if (tables.empty() || tables.size() > most_cards)
    return table.fail("blank", fmt::format("blanks has 1 to {} [[beat.ask.blank]]", most_cards));
  for (const TomlTable& one : tables) {
    RS_TRY(one.only({"id", "answer", "confirm", "unit", "tolerance", "wrong"}));
    Sought blank;
    RS_ASSIGN(blank.id, new_id(one, question.sought));
    RS_ASSIGN(blank.answer, needed_expression(one, "answer"));
    RS_ASSIGN(blank.confirm, expression(one, "confirm"));
    RS_ASSIGN(blank.unit, unit_of(one));
    RS_TRY(read_tolerance(one, blank));
    RS_ASSIGN(blank.wrong, known_wrongs(one));
    for (const KnownWrong& wrong : blank.wrong)
      if (wrong.values.size() != 1) return one.fail("wrong", "a blank's wrong value is one number");
    question.sought.push_back(std::move(blank));
  }
  return {};
}

Result<void> read_cards(const TomlTable& table, Question& question) {
  RS_ASSIGN(question.cards, table.texts("cards"));
  if (question.cards.size() < 2 || question.cards.size() > most_cards)
    return table.fail("cards", fmt::format("sort has 2 to {} cards, names of collectives: cards = "
                                           "[\"reduce\", \"broadcast\"]",
                                           most_cards));
  for (std::size_t i = 0; i < question.cards.size(); ++i) {
    const auto& card = question.cards[i];
    const auto kind = parse_collective(card);
    if (!kind) return table.fail("cards", kind.error().message);
    if (*kind == CollectiveKind::barrier || *kind == CollectiveKind::send_recv)
      return table.fail("cards", card + " makes no card: its pictures say too little");
    if (std::count(question.cards.begin(), question.cards.end(), card) > 1)
      return table.fail("cards", card + " is there twice");
  }
  RS_ASSIGN(question.card_ranks, table.whole("ranks", 4, {3, 5}));
  return {};
}

Result<void> read_draw(const TomlTable& table, Question& question) {
  DrawRule draw;
  RS_ASSIGN(const auto points, elements(table, "over", most_points));
  for (const TomlValue* point : points) {
    RS_ASSIGN(const Expression text, expression_of(table, *point));
    const auto x = parse_quantity(text.text);
    if (!x) return table.fail(*point, x.error().message);
    if (!draw.over.empty() && x->value <= draw.over.back())
      return table.fail(*point, "the points of `over` go up");
    draw.over.push_back(x->value);
  }
  if (draw.over.size() < 2)
    return table.fail("over", "over lists where the curve is drawn: over = [1, 2, 4, 8]");
  RS_ASSIGN(draw.truth, needed_expression(table, "truth"));
  RS_ASSIGN(draw.unit, unit_of(table));
  RS_ASSIGN(draw.good, number(table, "good", draw.good));
  if (draw.good <= 1) return table.fail("good", "good is a factor above 1, such as good = 1.25");
  question.draw = std::move(draw);
  return {};
}

Result<std::string> beside(const TomlTable& table, std::string_view key,
                           const std::string& folder) {
  RS_ASSIGN(const std::string name, table.needed(key, std::string(key) + ".txt"));
  if (name.find('/') != name.npos || name.starts_with('.'))
    return table.fail(key, std::string(key) + " is a file beside lesson.toml, without a path");
  auto text = read_file((std::filesystem::path(folder) / name).string(), most_schedule);
  if (!text) return table.fail(key, text.error().message);
  return *std::move(text);
}

Result<void> read_puzzle(const TomlTable& table, const std::string& folder, Question& question) {
  PuzzleRule puzzle;
  RS_ASSIGN(puzzle.collective, table.needed("collective", "all_reduce"));
  if (const auto kind = parse_collective(puzzle.collective); !kind)
    return table.fail("collective", kind.error().message);
  RS_ASSIGN(puzzle.ranks, needed_expression(table, "ranks"));
  RS_ASSIGN(puzzle.chunks, needed_expression(table, "chunks"));
  RS_ASSIGN(puzzle.bytes, needed_expression(table, "bytes"));
  RS_ASSIGN(puzzle.start, beside(table, "start", folder));
  RS_ASSIGN(puzzle.solution, beside(table, "solution", folder));
  RS_ASSIGN(puzzle.system, text_or_none(table, "system"));
  if (table.find("par") == nullptr)
    return table.fail(
        "par is missing: write par = { steps = \"...\", busiest = \"...\", time = "
        "\"...\" }");
  RS_ASSIGN(const TomlTable par, table.table(*table.find("par"), "par = { steps = \"...\" }"));
  RS_TRY(par.only({"steps", "busiest", "time"}));
  RS_ASSIGN(puzzle.steps, needed_expression(par, "steps"));
  RS_ASSIGN(puzzle.busiest, needed_expression(par, "busiest"));
  RS_ASSIGN(puzzle.time, needed_expression(par, "time"));
  question.puzzle = std::move(puzzle);
  return {};
}

Result<void> read_pick(const TomlTable& table, Question& question) {
  RS_ASSIGN(question.what, choice_of<Picked>(table, "what", picked_names));
  const auto* value = table.find("arrow");
  if (value == nullptr) return {};
  if (question.what != Picked::chunk)
    return table.fail("arrow", "an arrow goes with what = \"chunk\"");
  RS_ASSIGN(const TomlTable arrow, table.table(*value, "arrow = { rank = \"r\", step = \"s\" }"));
  RS_TRY(arrow.only({"rank", "step"}));
  question.arrow.emplace();
  RS_ASSIGN(question.arrow->rank, needed_expression(arrow, "rank"));
  RS_ASSIGN(question.arrow->step, needed_expression(arrow, "step"));
  return {};
}

Result<void> only_keys(const TomlTable& table, QuestionKind kind) {
  switch (kind) {
    case QuestionKind::number:
    case QuestionKind::vector:
      return table.only(
          {"kind", "vars", "let", "homework", "answer", "confirm", "unit", "tolerance", "wrong"});
    case QuestionKind::pick:
      return table.only(
          {"kind", "vars", "let", "homework", "answer", "confirm", "wrong", "what", "arrow"});
    case QuestionKind::choice:
      return table.only({"kind", "vars", "let", "homework", "choice"});
    case QuestionKind::blanks:
      return table.only({"kind", "vars", "let", "homework", "blank"});
    case QuestionKind::sort:
      return table.only({"kind", "vars", "let", "homework", "cards", "ranks"});
    case QuestionKind::draw:
      return table.only({"kind", "vars", "let", "homework", "over", "truth", "unit", "good"});
    case QuestionKind::schedule:
      return table.only({"kind", "vars", "let", "homework", "collective", "ranks", "chunks",
                         "bytes", "start", "solution", "par", "system"});
  }
  return {};
}

}  // namespace

std::string_view name(QuestionKind kind) {
  return kind_names[static_cast<std::size_t>(kind)];
}

Result<Question> read_question(const TomlTable& table, const std::string& folder) {
  Question question;
  RS_ASSIGN(question.kind, choice_of<QuestionKind>(table, "kind", kind_names));
  question.line = table.find("kind")->line;
  RS_TRY(only_keys(table, question.kind));
  RS_ASSIGN(question.own, numbers(table));
  RS_ASSIGN(question.homework, table.truth("homework", false));
  switch (question.kind) {
    case QuestionKind::pick:
      RS_TRY(read_pick(table, question));
      [[fallthrough]];
    case QuestionKind::number:
    case QuestionKind::vector:
      RS_TRY(read_sought(table, question));
      break;
    case QuestionKind::choice:
      RS_TRY(read_choices(table, question));
      break;
    case QuestionKind::blanks:
      RS_TRY(read_blanks(table, question));
      break;
    case QuestionKind::sort:
      RS_TRY(read_cards(table, question));
      break;
    case QuestionKind::draw:
      RS_TRY(read_draw(table, question));
      break;
    case QuestionKind::schedule:
      RS_TRY(read_puzzle(table, folder, question));
      break;
  }
  return question;
}

}  // namespace ringside::lessons
