// Over all: the lessons that there are, and how far each is done.

#include <fmt/format.h>

#include <algorithm>

#include "viz/panels/panel.hpp"
#include "viz/panels/people.hpp"
#include "viz/panels/widgets.hpp"

namespace ringside::panels {
namespace {

using stage::Word;

class List {
 public:
  explicit List(const Panel& panel) : panel_(panel), look_(panel.look) {
    const float u = look_.unit;
    const ImVec2 size{std::min(panel.size().x - 4 * u, 110 * u),
                      std::min(panel.size().y - 4 * u, height_needed())};
    min_ = {(panel.min.x + panel.max.x - size.x) / 2, (panel.min.y + panel.max.y - size.y) / 2};
    max_ = {min_.x + size.x, min_.y + size.y};
  }

  void draw() {
    ImDrawList& list = *ImGui::GetWindowDrawList();
    const float u = look_.unit;
    list.AddRectFilled(panel_.min, panel_.max, with_alpha(look_.colour.page, 0.75f));
    list.AddRectFilled(min_, max_, look_.colour.panel, u);
    list.AddRect(min_, max_, look_.colour.edge, u);
    write(list, {min_.x + 3 * u, min_.y + 1.5f * u}, {look_.title, look_.colour.ink},
          look_.say(Word::lesson_list));
    buttons();
    const float top = min_.y + head_height();
    ImGui::SetCursorScreenPos({min_.x, top});
    ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {0, 0});
    ImGui::BeginChild("lessons", {max_.x - min_.x, max_.y - top - u});
    rows();
    ImGui::EndChild();
    ImGui::PopStyleVar();
  }

 private:
  const stage::Classroom& room() const { return panel_.model.classroom; }
  float line() const { return measure(look_.body, "0").y; }
  float row_height() const { return line() + 2 * look_.unit; }
  float head_height() const { return measure(look_.title, "0").y + 4 * look_.unit; }
  float height_needed() const {
    const std::size_t rows =
        room().course ? room().course->lessons.size() + 2 * room().course->broken.size() : 3;
    return head_height() + static_cast<float>(std::max<std::size_t>(rows, 1)) * row_height() +
           2 * look_.unit;
  }
  void buttons();
  void rows();
  void row(const lessons::Lesson& lesson);
  void broken(const std::string& why);

  const Panel& panel_;
  const Look& look_;
  ImVec2 min_, max_;
  float y_ = 0;
};

void List::buttons() {
  const float u = look_.unit, top = min_.y + u;
  float right = max_.x - 2 * u;
  const auto add = [&](std::string_view id, Word label, stage::Command command) {
    const float width = button_width(look_, look_.say(label));
    const Corner box{{right - width, top}, {right, top + 4 * u}};
    if (draw_button(look_, box, {.id = id, .label = look_.say(label)}))
      panel_.actions.emplace_back(command);
    right -= width + u;
  };
  const bool is_in_lesson = panel_.model.lesson.has_value();
  add("close lessons", is_in_lesson ? Word::back_to_lesson : Word::back_to_window,
      stage::Command::lessons);
  if (is_in_lesson) add("leave lesson", Word::leave_lesson, stage::Command::leave_lesson);
}

void List::rows() {
  y_ = ImGui::GetCursorScreenPos().y;
  const float top = y_;
  if (!room().course) {
    broken(std::string(look_.say(Word::no_lessons)) + "\n" + room().no_course);
  } else {
    for (const auto& lesson : room().course->lessons) row(lesson);
    for (const auto& error : room().course->broken) broken(error.message);
  }
  ImGui::SetCursorScreenPos({min_.x, top});
  ImGui::Dummy({1, y_ - top});
}

void List::broken(const std::string& why) {
  const float u = look_.unit;
  y_ += u / 2 + write_lines(*ImGui::GetWindowDrawList(),
                            {{min_.x + 3 * u, y_ + u / 2}, {max_.x - 3 * u, y_ + 1e4f}},
                            {look_.body, look_.colour.warn}, why);
}

void List::row(const lessons::Lesson& lesson) {
  const float u = look_.unit;
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const Corner box{{min_.x + 2 * u, y_}, {max_.x - 2 * u, y_ + row_height()}};
  const Touch mouse = touch(fmt::format("lesson-{}", lesson.number), box);
  if (mouse.is_hovered) list.AddRectFilled(box.min, box.max, look_.colour.trough, u / 2);
  const float text = box.min.y + u;
  write(list, {box.min.x + 3.5f * u, text}, {look_.strong, look_.colour.accent, 1},
        std::to_string(lesson.number).c_str());
  const auto progress = stage::progress_of(room(), lesson);
  const bool is_here = panel_.model.lesson &&
                       panel_.model.lesson->sitting.instance().lesson().number == lesson.number;
  const std::string state =
      progress.is_finished ? "✓ " + std::string(look_.say(Word::lesson_done))
      : is_here            ? std::string(look_.say(Word::lesson_left_at))
      : progress.done > 0
          ? fmt::format(fmt::runtime(look_.say(Word::lesson_progress)), progress.done,
                        progress.questions)
          : fmt::format(fmt::runtime(look_.say(Word::lesson_minutes)), lesson.minutes);
  const ImU32 ink = progress.is_finished           ? look_.colour.good
                    : is_here || progress.done > 0 ? look_.colour.ink
                                                   : look_.colour.quiet;
  const float width =
      write(list, {box.max.x - u, text}, {look_.body, ink, 1}, state.c_str()).x + 2 * u;
  const auto& title = lesson.text(stage::text_language(look_.language)).title;
  const float left = box.min.x + 5 * u;
  write(list, {left, text}, {look_.body, look_.colour.ink},
        shortened(look_.body, box.max.x - u - width - left, title).c_str());
  if (mouse.is_clicked)
    panel_.actions.emplace_back(stage::OpenLesson{std::to_string(lesson.number), ""});
  y_ = box.max.y;
}

}  // namespace

void draw_lessons(const Panel& panel) {
  ImGui::SetNextWindowFocus();
  begin_overlay("lessons", panel);
  List(panel).draw();
  end_panel();
}

}  // namespace ringside::panels
