// A lesson beside the stage: what it says, what it asks, and what has become of the answer.

#include "viz/panels/lesson.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "viz/panels/people.hpp"
#include "viz/panels/widgets.hpp"

namespace ringside::panels {
namespace detail {

void LessonColumn::text(const std::string& markdown, ImU32 ink) {
  if (markdown.empty()) return;
  y += draw_markdown(&list, look(), {{left, y}, {right, panel.max.y}}, {ink, fill_blanks(panel)},
                     markdown) +
       look().unit;
}

void LessonColumn::line(ImFont* font, ImU32 colour, const std::string& words) {
  y += write_lines(list, {{left, y}, {right, y + 1e4f}}, {font, colour}, words) + look().unit / 2;
}

}  // namespace detail

namespace {

using detail::LessonColumn;
using lessons::Gate;
using stage::Command;
using stage::Word;

Word word_of(lessons::Part part) {
  constexpr std::array<Word, 9> words{Word::part_hook,    Word::part_predict,  Word::part_observe,
                                      Word::part_explain, Word::part_example,  Word::part_faded,
                                      Word::part_task,    Word::part_transfer, Word::part_summary};
  return words[static_cast<std::size_t>(part)];
}

/// A dot a beat: where one is, and which questions are done.
void draw_dots(LessonColumn& column) {
  const Look& look = column.look();
  const auto& sitting = column.lesson().sitting;
  const float u = look.unit, radius = u * 0.45f;
  const float pitch =
      std::min(2 * u, (column.right - column.left) / static_cast<float>(sitting.instance().size()));
  for (std::size_t i = 0; i < sitting.instance().size(); ++i) {
    const ImVec2 at{column.left + radius + static_cast<float>(i) * pitch, column.y + radius};
    const Gate gate = sitting.gate(i);
    const ImU32 colour = gate == Gate::right   ? look.colour.good
                         : i == sitting.beat() ? look.colour.accent
                         : i < sitting.beat()  ? look.colour.quiet
                                               : look.colour.edge;
    if (i <= sitting.beat() || gate >= Gate::right)
      column.list.AddCircleFilled(at, radius, colour);
    else
      column.list.AddCircle(at, radius, colour, 0, std::max(1.f, u / 6));
    if (i == sitting.beat())
      column.list.AddCircle(at, radius + u / 4, look.colour.ink, 0, std::max(1.f, u / 6));
  }
  column.y += 2 * radius + 1.5f * u;
}

void draw_heading(LessonColumn& column) {
  const Look& look = column.look();
  const auto& sitting = column.lesson().sitting;
  const auto& lesson = sitting.instance().lesson();
  const std::string where = fmt::format(fmt::runtime(look.say(Word::lesson_of)), lesson.number) +
                            " · " +
                            fmt::format(fmt::runtime(look.say(Word::lesson_place)),
                                        sitting.beat() + 1, sitting.instance().size()) +
                            " · " + look.say(word_of(column.lesson().beat().part));
  column.line(look.small, look.colour.quiet, where);
  const auto& text = lesson.text(column.language());
  column.line(look.title, look.colour.ink, text.title);
  column.y += look.unit / 2;
  draw_dots(column);
  if (sitting.beat() == 0) column.text(text.goal, look.colour.quiet);
}

void draw_hints(LessonColumn& column) {
  const Look& look = column.look();
  const auto& sitting = column.lesson().sitting;
  const float u = look.unit;
  for (std::size_t i = 0; i < sitting.hints(); ++i) {
    const float top = column.y;
    column.left += 2 * u;
    column.line(look.small, legible(look.colour.warn, look.colour.panel),
                fmt::format(fmt::runtime(look.say(Word::hint_nth)), i + 1));
    column.text(sitting.instance().hint(sitting.beat(), i, column.language()), look.colour.ink);
    column.left -= 2 * u;
    column.list.AddRectFilled({column.left, top}, {column.left + u / 2, column.y - u},
                              with_alpha(look.colour.warn, 0.7f), u / 4);
  }
}

/// Buttons at the pane's foot, from the right: the main one, then what else can be done.
class Foot {
 public:
  Foot(const Panel& panel, const Corner& area)
      : panel_(panel), look_(panel.look), area_(area), right_(area.max.x) {}

  void draw() {
    const stage::LessonState& lesson = *panel_.model.lesson;
    const auto& sitting = lesson.sitting;
    left_button("lesson back", look_.say(Word::go_back), Command::lesson_back, sitting.beat() > 0);
    const bool is_last = sitting.is_at_end() && !lesson.is_shut();
    if (lesson.is_shut()) {
      const bool is_wrong = sitting.gate() == Gate::wrong;
      button("lock", look_.say(is_wrong ? Word::try_again : Word::lock_in), Command::lock, true);
    } else {
      button("next", look_.say(is_last ? Word::finish : Word::go_on), Command::lock, true);
    }
    if (lesson.asked() == nullptr) return;
    if (!lesson.is_shut())
      button("reveal", look_.say(lesson.is_covered ? Word::show_again : Word::hide_answer),
             Command::reveal, false);
    if (!lesson.is_shut()) return;
    if (stage::may_reveal(lesson))
      button("reveal", look_.say(Word::show_answer), Command::reveal, false);
    if (const auto left = lessons::hint_count - sitting.hints(); left > 0)
      button("hint", fmt::format(fmt::runtime(look_.say(Word::a_hint)), left), Command::hint,
             false);
  }

 private:
  void button(std::string_view id, const std::string& label, Command command, bool is_main) {
    const float width = button_width(look_, label.c_str()) + (is_main ? 2 * look_.unit : 0);
    if (right_ - width < left_) return;  // keys do the same
    const Corner box{{right_ - width, area_.min.y}, {right_, area_.max.y}};
    if (draw_button(look_, box, {.id = id, .label = label.c_str(), .is_main = is_main}))
      panel_.actions.emplace_back(command);
    right_ -= width + look_.unit / 2;
  }
  void left_button(std::string_view id, const char* label, Command command, bool is_there) {
    left_ = area_.min.x;
    if (!is_there) return;
    const float width = button_width(look_, label);
    const Corner box{area_.min, {area_.min.x + width, area_.max.y}};
    if (draw_button(look_, box, {.id = id, .label = label})) panel_.actions.emplace_back(command);
    left_ += width + look_.unit / 2;
  }

  const Panel& panel_;
  const Look& look_;
  Corner area_;
  float left_ = 0, right_;
};

/// What has just come stands at the foot of the text: it is brought into sight.
void keep_news_in_sight(const LessonColumn& column) {
  const auto& sitting = column.lesson().sitting;
  ImGuiStorage& kept = *ImGui::GetStateStorage();
  const int news = static_cast<int>(sitting.gate()) * 16 + static_cast<int>(sitting.hints()) +
                   static_cast<int>(sitting.attempts()) * 256;
  const ImGuiID is_at = ImGui::GetID("beat"), knows = ImGui::GetID("news");
  const int beat = static_cast<int>(sitting.beat()) + 1;
  if (kept.GetInt(is_at) != beat) {
    ImGui::SetScrollY(0);
  } else if (kept.GetInt(knows) != news) {
    ImGui::SetScrollY(ImGui::GetScrollMaxY() + 1e5f);
  }
  kept.SetInt(is_at, beat);
  kept.SetInt(knows, news);
}

void draw_text(const Panel& panel, const Corner& area) {
  const Look& look = panel.look;
  ImGui::SetCursorScreenPos(area.min);
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {0, 0});
  ImGui::BeginChild("text", {area.max.x - area.min.x, area.max.y - area.min.y});
  const float top = ImGui::GetCursorScreenPos().y;
  LessonColumn column{panel, *ImGui::GetWindowDrawList(), area.min.x + 2 * look.unit,
                      area.max.x - 2.5f * look.unit, top + 1.5f * look.unit};
  draw_heading(column);
  const auto& sitting = column.lesson().sitting;
  column.text(sitting.instance().body(sitting.beat(), column.language()), look.colour.ink);
  if (column.lesson().asked() != nullptr) {
    detail::draw_answer(column);
    draw_hints(column);
    detail::draw_response(column);
  }
  ImGui::SetCursorScreenPos({area.min.x, top});
  ImGui::Dummy({1, column.y - top + look.unit});
  keep_news_in_sight(column);
  ImGui::EndChild();
  ImGui::PopStyleVar();
}

}  // namespace

void draw_lesson(const Panel& panel) {
  if (!panel.model.lesson) return;
  begin_panel("lesson", panel);
  const float u = panel.look.unit, foot = 6 * u;
  const float under = panel.max.y - foot;
  draw_text(panel, {panel.min, {panel.max.x, under}});
  ImGui::GetWindowDrawList()->AddLine({panel.min.x, under}, {panel.max.x, under},
                                      panel.look.colour.faint);
  Foot(panel, {{panel.min.x + 2 * u, under + u}, {panel.max.x - 2 * u, panel.max.y - u}}).draw();
  end_panel();
}

}  // namespace ringside::panels
