// How a lesson's question is answered, and what became of it.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>

#include "lessons/course/amount.hpp"
#include "viz/panels/lesson.hpp"
#include "viz/panels/people.hpp"
#include "viz/panels/phrases.hpp"
#include "viz/panels/widgets.hpp"

namespace ringside::panels::detail {
namespace {

using lessons::Gate;
using lessons::QuestionKind;
using stage::Word;

bool is_known(const stage::LessonState& lesson) {
  return !lesson.is_shut() && !lesson.is_covered;
}

/// Whether part `nth` of a locked answer is right; nothing where that is not told by parts.
std::optional<bool> part_is_right(const stage::LessonState& lesson, std::size_t nth) {
  const auto& verdict = lesson.sitting.verdict();
  if (lesson.is_asking() || !verdict) return std::nullopt;
  if (nth < verdict->parts.size()) return verdict->parts[nth];
  return verdict->right;
}

ImU32 frame_of(const Panel& panel, std::size_t nth) {
  const stage::LessonState& lesson = *panel.model.lesson;
  const Palette& colour = panel.look.colour;
  if (const auto right = part_is_right(lesson, nth)) return *right ? colour.good : colour.bad;
  return lesson.is_incomplete && lesson.entries[nth].empty() ? colour.warn : colour.edge;
}

/// Typed text goes to the answer as it is typed; Enter locks it in.
void type_answer(const Panel& panel, std::size_t nth, const Corner& at) {
  const stage::LessonState& lesson = *panel.model.lesson;
  const Look& look = panel.look;
  std::array<char, 128> text{};
  lesson.entries[nth].copy(text.data(), text.size() - 1);
  const std::string id = fmt::format("answer-{}", nth + 1);
  if (Drawn* all = drawn()) all->places.insert_or_assign(id, at);
  const float padding = (at.max.y - at.min.y - measure(look.strong, "0").y) / 2;
  // The first field has the cursor as soon as one arrives, but for a class: its keys are votes.
  ImGuiStorage& kept = *ImGui::GetStateStorage();
  const int beat = static_cast<int>(lesson.sitting.beat()) + 1;
  if (nth == 0 && !lesson.is_class && kept.GetInt(ImGui::GetID("typed in")) != beat) {
    kept.SetInt(ImGui::GetID("typed in"), beat);
    ImGui::SetKeyboardFocusHere();
  }
  ImGui::PushFont(look.strong);
  ImGui::PushStyleVar(ImGuiStyleVar_FramePadding, {look.unit / 2, std::max(0.f, padding)});
  ImGui::SetCursorScreenPos(at.min);
  ImGui::SetNextItemWidth(at.max.x - at.min.x);
  const bool is_done = ImGui::InputText(("##" + id).c_str(), text.data(), text.size(),
                                        ImGuiInputTextFlags_EnterReturnsTrue);
  ImGui::PopStyleVar();
  ImGui::PopFont();
  if (lesson.entries[nth] != text.data())
    panel.actions.emplace_back(stage::Enter{nth, text.data()});
  const bool is_last = nth + 1 == lesson.entries.size();
  if (is_done && is_last) panel.actions.emplace_back(stage::Command::lock);
  if (is_done && !is_last) ImGui::SetKeyboardFocusHere();
}

/// One of several to choose from: its key, its words, and how it stands.
struct Row {
  std::string id, key, words;
  bool is_chosen = false;
  std::optional<bool> is_right{};
  std::optional<std::uint32_t> votes{};
  float share = 0;  ///< of all votes
};
bool draw_row(LessonColumn& column, const Row& row) {
  const Look& look = column.look();
  const float u = look.unit, badge = 3.5f * u;
  const float votes = row.votes ? 5 * u : 0;
  const Corner text{{column.left + badge + u, column.y + u}, {column.right - u - votes, 0}};
  const float height =
      draw_markdown(nullptr, look, {text.min, {text.max.x, 1e6f}}, {look.colour.ink}, row.words);
  const Corner box{{column.left, column.y}, {column.right, column.y + height + 2 * u}};
  const Touch mouse = touch(row.id, box);
  const ImU32 state = row.is_right    ? (*row.is_right ? look.colour.good : look.colour.bad)
                      : row.is_chosen ? look.colour.accent
                                      : look.colour.edge;
  column.list.AddRectFilled(box.min, box.max,
                            mouse.is_hovered ? look.colour.trough : look.colour.box, u / 2);
  if (row.share > 0)
    column.list.AddRectFilled(box.min, {box.min.x + row.share * (box.max.x - box.min.x), box.max.y},
                              with_alpha(look.colour.accent, 0.28f), u / 2);
  if (row.is_chosen || row.is_right)
    column.list.AddRect(box.min, box.max, state, u / 2, 0, std::max(1.5f, u / 4));
  const float middle = (box.min.y + box.max.y) / 2, key = measure(look.strong, "0").y;
  const char* sign = row.is_right ? (*row.is_right ? "✓" : "✗") : row.key.c_str();
  write(column.list, {box.min.x + badge / 2 + u / 2, middle - key / 2},
        {look.strong, row.is_right ? state : look.colour.accent, 0.5f}, sign);
  draw_markdown(&column.list, look, {text.min, {text.max.x, box.max.y}}, {look.colour.ink},
                row.words);
  if (row.votes)
    write(column.list, {box.max.x - u, middle - key / 2}, {look.strong, look.colour.ink, 1},
          std::to_string(*row.votes).c_str());
  column.y = box.max.y + u;
  return mouse.is_clicked;
}

void draw_choices(LessonColumn& column) {
  const stage::LessonState& lesson = column.lesson();
  const auto& sitting = lesson.sitting;
  const auto& options = lesson.asked()->options;
  const auto& votes = sitting.votes();
  std::uint32_t all = 0;
  for (const auto count : votes) all += count;
  const bool counts = lesson.is_class && (all > 0 || sitting.gate() == Gate::voting);
  if (counts)
    column.line(column.look().small, column.look().colour.quiet,
                lesson.is_asking()
                    ? column.look().say(Word::hands_up)
                    : fmt::format(fmt::runtime(column.look().say(Word::hands_counted)), all));
  for (std::size_t i = 0; i < options.size(); ++i) {
    const auto& option = options[i];
    Row row{.id = "choice " + option.id,
            .key = std::to_string(i + 1),
            .words = sitting.instance().choice(sitting.beat(), option.id, column.language())};
    const std::string& said = lesson.entries.front();
    row.is_chosen = said == option.id || said == row.key;
    if (is_known(lesson) && (option.right || row.is_chosen)) row.is_right = option.right;
    if (sitting.gate() == Gate::wrong && row.is_chosen) row.is_right = false;
    if (counts && i < votes.size()) {
      row.votes = votes[i];
      row.share = all > 0 ? static_cast<float>(votes[i]) / static_cast<float>(all) : 0;
    }
    if (draw_row(column, row) && lesson.is_asking())
      column.panel.actions.emplace_back(stage::Digit{static_cast<unsigned>(i + 1)});
  }
}

void draw_field(LessonColumn& column) {
  const float u = column.look().unit, height = 4.5f * u;
  const Corner box{{column.left, column.y}, {column.right, column.y + height}};
  draw_answer_field(column.panel, 0, box);
  column.y = box.max.y + u;
}

/// Ranks or chunks as a row of buttons, for who would rather not aim at the stage.
void draw_swatches(LessonColumn& column, lessons::Picked what, std::uint32_t count) {
  const Look& look = column.look();
  const stage::LessonState& lesson = column.lesson();
  const float u = look.unit, size = 5 * u, height = 4 * u;
  float x = column.left;
  const std::string said = lesson.entries.front(), truth = lessons::right_answer(*lesson.asked());
  for (std::uint32_t i = 0; i < count; ++i) {
    if (x + size > column.right) x = column.left, column.y += height + u / 2;
    const std::string number = std::to_string(i);
    const Corner box{{x, column.y}, {x + size, column.y + height}};
    const Touch mouse = touch("pick-" + number, box);
    const bool is_chunk = what == lessons::Picked::chunk;
    if (is_chunk)
      fill_chunk(column.list, box, {i});
    else
      column.list.AddRectFilled(box.min, box.max, look.colour.box, u / 2);
    const float top = (box.min.y + box.max.y - measure(look.strong, "0").y) / 2;
    write(column.list, {(box.min.x + box.max.x) / 2, top},
          {look.strong, is_chunk ? chunk_ink({i}) : look.colour.ink, 0.5f},
          ((is_chunk ? "c" : "") + number).c_str());
    const bool is_said = said == number;
    const ImU32 frame = is_known(lesson) && number == truth ? look.colour.good
                        : is_said && !lesson.is_asking()    ? look.colour.bad
                        : is_said                           ? look.colour.ink
                        : mouse.is_hovered                  ? look.colour.focus
                                                            : look.colour.edge;
    const float width = is_said || (is_known(lesson) && number == truth) ? u / 3 : 1;
    column.list.AddRect({box.min.x - 1, box.min.y - 1}, {box.max.x + 1, box.max.y + 1}, frame,
                        u / 2, 0, std::max(1.f, width));
    if (mouse.is_clicked && lesson.is_asking())
      column.panel.actions.emplace_back(stage::Enter{0, number});
    x += size + u;
  }
  column.y += height + u;
}

void draw_pick(LessonColumn& column) {
  const Look& look = column.look();
  const auto what = column.lesson().asked()->what;
  const auto& run = column.panel.model.run;
  constexpr std::uint32_t most = 16;
  const std::uint32_t count = !run                            ? 0
                              : what == lessons::Picked::rank ? run->ranks()
                                                              : run->schedule->chunks();
  column.line(look.small, look.colour.quiet,
              look.say(what == lessons::Picked::rank    ? Word::pick_rank
                       : what == lessons::Picked::chunk ? Word::pick_chunk
                                                        : Word::pick_link));
  if (what == lessons::Picked::link || count > most || count == 0) return draw_field(column);
  draw_swatches(column, what, count);
}

/// What par is, and how near the schedule came.
void draw_grade(LessonColumn& column, const lessons::PuzzleGrade& grade,
                const lessons::Puzzle::Par& par) {
  const Look& look = column.look();
  const auto say = [&](bool is_met, const std::string& words) {
    column.line(look.body, is_met ? look.colour.good : look.colour.bad,
                (is_met ? "✓ " : "✗ ") + words);
  };
  say(grade.correct, grade.correct ? std::string(look.say(Word::grade_correct))
                                   : grade.problem[static_cast<std::size_t>(column.language())]);
  if (!grade.correct) return;
  say(grade.within_steps,
      fmt::format(fmt::runtime(look.say(Word::grade_steps)), grade.steps, par.steps));
  say(grade.within_busiest, fmt::format(fmt::runtime(look.say(Word::grade_busiest)),
                                        people(grade.busiest), people(par.busiest)));
  say(grade.within_time,
      fmt::format(fmt::runtime(look.say(Word::grade_time)), people(grade.time), people(par.time)));
}

/// The card with what became of the answer, in its colour.
void draw_card(LessonColumn& column, ImU32 colour, const std::string& heading,
               const std::string& words) {
  const Look& look = column.look();
  const float u = look.unit, top = column.y;
  column.left += 2 * u;
  column.line(look.prose_strong, legible(colour, look.colour.panel), heading);
  column.text(words, look.colour.ink);
  column.left -= 2 * u;
  column.list.AddRectFilled({column.left, top}, {column.left + u / 2, column.y - u}, colour, u / 4);
}

void draw_complaint(LessonColumn& column) {
  const Look& look = column.look();
  const stage::LessonState& lesson = column.lesson();
  if (lesson.is_incomplete)
    column.line(look.body, look.colour.warn, look.say(Word::answer_incomplete));
  if (lesson.complaint.empty()) return;
  column.line(look.body, look.colour.warn, look.say(Word::answer_unreadable));
  column.line(look.body, look.colour.warn, lesson.complaint);
}

}  // namespace

void draw_answer_field(const Panel& panel, std::size_t nth, const Corner& at) {
  const stage::LessonState& lesson = *panel.model.lesson;
  if (nth >= lesson.entries.size()) return;
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const Look& look = panel.look;
  const float u = look.unit;
  if (lesson.is_asking()) {
    type_answer(panel, nth, at);
  } else {
    list.AddRectFilled(at.min, at.max, look.colour.box, u / 2);
    const auto& asked = *lesson.asked();
    const bool is_shown = is_known(lesson) && !part_is_right(lesson, nth).value_or(false);
    const bool is_blank = asked.kind == QuestionKind::blanks;
    const std::string truth =
        is_blank ? lessons::show(asked.expected[nth].value, asked.expected[nth].unit)
                 : lessons::right_answer(asked);
    const std::string& text = is_shown ? truth : lesson.entries[nth];
    write(list, {at.min.x + u / 2, (at.min.y + at.max.y - measure(look.strong, "0").y) / 2},
          {look.strong, is_shown ? look.colour.good : look.colour.ink},
          shortened(look.strong, at.max.x - at.min.x - u, text).c_str());
  }
  list.AddRect(at.min, at.max, frame_of(panel, nth), u / 2, 0, std::max(1.f, u / 5));
}

FillBlank fill_blanks(const Panel& panel) {
  return [&panel](const std::string& id, const Corner& at) {
    const auto* asked = panel.model.lesson->asked();
    if (asked == nullptr) return;
    const auto found = std::ranges::find(asked->expected, id, &lessons::Expected::id);
    if (found != asked->expected.end())
      draw_answer_field(panel, static_cast<std::size_t>(found - asked->expected.begin()), at);
  };
}

std::string as_answered(const stage::LessonState& lesson, const std::string& answer,
                        const Look& look) {
  const auto& asked = *lesson.asked();
  if (asked.kind == QuestionKind::choice)
    for (std::size_t i = 0; i < asked.options.size(); ++i)
      if (asked.options[i].id == answer) return std::to_string(i + 1);
  if (asked.kind == QuestionKind::draw || asked.kind == QuestionKind::schedule) return "";
  if (asked.kind != QuestionKind::sort) return answer;
  std::string names;
  for (const auto& card : asked.cards)
    if (const auto kind = parse_collective(card.collective))
      names += (names.empty() ? "" : ", ") + std::string(name_of(look, *kind));
  return names;
}

void draw_answer(LessonColumn& column) {
  const stage::LessonState& lesson = column.lesson();
  const Look& look = column.look();
  switch (lesson.asked()->kind) {
    case QuestionKind::choice:
      draw_choices(column);
      break;
    case QuestionKind::number:
    case QuestionKind::vector:
      column.line(look.small, look.colour.quiet, look.say(Word::your_answer));
      draw_field(column);
      break;
    case QuestionKind::pick:
      draw_pick(column);
      break;
    case QuestionKind::sort:
      column.line(look.small, look.colour.quiet, look.say(Word::sort_cards));
      break;
    case QuestionKind::draw:
      column.line(look.small, look.colour.quiet, look.say(Word::draw_here));
      break;
    case QuestionKind::schedule:
      column.line(look.small, look.colour.quiet, look.say(Word::build_schedule));
      break;
    case QuestionKind::blanks:
      break;  // they stand in the text
  }
  draw_complaint(column);
}

void draw_response(LessonColumn& column) {
  const stage::LessonState& lesson = column.lesson();
  const Look& look = column.look();
  const auto& sitting = lesson.sitting;
  const Gate gate = sitting.gate();
  if (lesson.is_asking() || (lesson.is_covered && !lesson.is_shut())) return;
  const auto& verdict = sitting.verdict();
  if (verdict && verdict->factor)
    column.line(look.body, look.colour.quiet,
                fmt::format(fmt::runtime(look.say(Word::drawn_off_by)), *verdict->factor));
  if (verdict && verdict->grade && lesson.asked()->puzzle)
    draw_grade(column, *verdict->grade, lesson.asked()->puzzle->par);
  const auto response = [&](const lessons::Verdict& of) {
    return sitting.instance().response(sitting.beat(), of, column.language());
  };
  if (gate == Gate::wrong) {
    draw_card(column, look.colour.bad, look.say(Word::answer_wrong), response(*verdict));
    return;
  }
  if (gate == Gate::skipped) {
    column.line(look.body, look.colour.quiet, look.say(Word::answer_skipped));
    return;
  }
  std::string heading = look.say(Word::answer_right);
  if (gate == Gate::revealed) {
    const auto truth = as_answered(lesson, lessons::right_answer(*lesson.asked()), look);
    heading = truth.empty() ? look.say(Word::truth_of_draw)
                            : fmt::format(fmt::runtime(look.say(Word::answer_shown)), truth);
    const auto said = as_answered(lesson, sitting.last_answer(), look);
    if (lesson.asked()->kind != QuestionKind::sort && !said.empty() && said != truth)
      heading += " (" + fmt::format(fmt::runtime(look.say(Word::answer_yours)), said) + ")";
  }
  draw_card(column, gate == Gate::right ? look.colour.good : look.colour.accent, heading,
            response(lessons::Verdict{.right = true}));
}

}  // namespace ringside::panels::detail
