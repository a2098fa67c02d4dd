// A schedule to be built: its text, and what every rank holds after it. A chunk that is dragged
// onto another rank is sent there.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "viz/panels/lesson_board.hpp"
#include "viz/panels/widgets.hpp"
#include "viz/stage/schedule_draft.hpp"

namespace ringside::panels::detail {
namespace {

using stage::Word;

constexpr std::size_t longest = 16384;

/// A text is read once, not once a frame.
const stage::ScheduleDraft& draft_of(const std::string& text) {
  static std::string last;
  static stage::ScheduleDraft draft = stage::read_draft("");
  if (text != last) draft = stage::read_draft(last = text);
  return draft;
}

class Builder {
 public:
  explicit Builder(const Panel& panel)
      : panel_(panel),
        look_(panel.look),
        lesson_(*panel.model.lesson),
        list_(*ImGui::GetWindowDrawList()),
        text_(lesson_.entries.front()),
        draft_(draft_of(text_)) {}

  void draw() {
    const float u = look_.unit, top = panel_.min.y + 2 * u;
    const float left = panel_.min.x + 2 * u, right = panel_.max.x - 2 * u;
    const float split = std::round(left + (right - left) * 0.42f);
    float y = top;
    if (lesson_.is_asking())
      y += write_lines(list_, {{left, y}, {right, panel_.max.y}}, {look_.body, look_.colour.quiet},
                       look_.say(Word::build_how)) +
           u;
    edit({{left, y}, {split - u, panel_.max.y - 2 * u}});
    if (!draft_.problem.empty()) {
      write_lines(list_, {{split + u, y}, {right, panel_.max.y}}, {look_.body, look_.colour.warn},
                  draft_.problem);
      return;
    }
    if (lesson_.is_asking()) y = buttons({split + u, y}) + u;
    matrix({{split + u, y}, {right, panel_.max.y - 4 * u}});
  }

 private:
  void edit(const Corner& box);
  float buttons(ImVec2 at);
  void matrix(const Corner& area);
  void cell(std::uint32_t r, std::uint32_t c, const Corner& box);
  void drop();
  Corner row(std::uint32_t r) const {
    return {{field_.min.x, field_.min.y + static_cast<float>(r) * pitch_.y},
            {field_.max.x, field_.min.y + static_cast<float>(r + 1) * pitch_.y}};
  }
  void say(std::string text) { panel_.actions.emplace_back(stage::Enter{0, std::move(text)}); }
  bool adds() const { return ImGui::GetStateStorage()->GetInt(ImGui::GetID("copies")) == 0; }

  const Panel& panel_;
  const Look& look_;
  const stage::LessonState& lesson_;
  ImDrawList& list_;
  const std::string& text_;
  const stage::ScheduleDraft& draft_;
  Corner field_{};
  ImVec2 pitch_{};
};

void Builder::edit(const Corner& box) {
  static std::array<char, longest> text;
  text[text_.copy(text.data(), text.size() - 1)] = 0;
  if (Drawn* all = drawn()) all->places.insert_or_assign("schedule", box);
  ImGui::SetCursorScreenPos(box.min);
  ImGui::PushStyleVar(ImGuiStyleVar_FramePadding, {look_.unit, look_.unit});
  ImGui::InputTextMultiline("##schedule", text.data(), text.size(),
                            {box.max.x - box.min.x, box.max.y - box.min.y},
                            lesson_.is_asking() ? 0 : ImGuiInputTextFlags_ReadOnly);
  ImGui::PopStyleVar();
  if (text_ != text.data()) say(text.data());
}

float Builder::buttons(ImVec2 at) {
  const float u = look_.unit, height = 4 * u;
  const auto add = [&](std::string_view id, Word label, bool is_on) {
    const float width = button_width(look_, look_.say(label));
    if (at.x + width > panel_.max.x - u) return false;
    const Corner box{at, {at.x + width, at.y + height}};
    if (!is_on) list_.AddRect(box.min, box.max, look_.colour.edge, u);
    at.x += width + u / 2;
    return draw_button(look_, box, {.id = id, .label = look_.say(label), .is_on = is_on});
  };
  ImGuiStorage& kept = *ImGui::GetStateStorage();
  if (add("dragged is added", Word::build_adds, adds())) kept.SetInt(ImGui::GetID("copies"), 0);
  if (add("dragged is copied", Word::build_copies, !adds())) kept.SetInt(ImGui::GetID("copies"), 1);
  at.x += u;
  if (add("new step", Word::build_step, false)) say(stage::with_step(text_));
  if (add("undo", Word::build_undo, false)) say(stage::without_last(text_));
  return at.y + height;
}

void Builder::matrix(const Corner& area) {
  const float u = look_.unit, line = measure(look_.body, "0").y;
  const float names = measure(look_.body, "rank 00").x + u;
  field_ = {{area.min.x + names, area.min.y + line + u}, area.max};
  pitch_ = {(field_.max.x - field_.min.x) / static_cast<float>(std::max(1u, draft_.chunks)),
            std::min((field_.max.y - field_.min.y) / static_cast<float>(std::max(1u, draft_.ranks)),
                     10 * u)};
  for (std::uint32_t c = 0; c < draft_.chunks; ++c)
    write(list_, {field_.min.x + (static_cast<float>(c) + 0.5f) * pitch_.x, area.min.y},
          {look_.body, look_.colour.quiet, 0.5f}, fmt::format("c{}", c).c_str());
  for (std::uint32_t r = 0; r < draft_.ranks; ++r) {
    const Corner at = row(r);
    write(list_, {area.min.x, (at.min.y + at.max.y - line) / 2}, {look_.body, look_.colour.ink},
          fmt::format(fmt::runtime(look_.say(Word::rank)), r).c_str());
    for (std::uint32_t c = 0; c < draft_.chunks; ++c) {
      const float x = at.min.x + static_cast<float>(c) * pitch_.x;
      cell(r, c, {{x, at.min.y}, {x + pitch_.x - u / 2, at.max.y - u / 2}});
    }
  }
  write(list_, {area.min.x, field_.min.y + pitch_.y * static_cast<float>(draft_.ranks) + u / 2},
        {look_.small, look_.colour.quiet},
        fmt::format(fmt::runtime(look_.say(Word::build_steps)), draft_.steps).c_str());
  drop();
}

/// Its number, and below a tick for every rank whose part is in it.
void Builder::cell(std::uint32_t r, std::uint32_t c, const Corner& box) {
  const float u = look_.unit, line = measure(look_.strong, "0").y;
  const ringside::Content& held = draft_.at(r, c);
  const bool is_whole = held.contributors() == draft_.ranks;
  const bool repeats =
      std::ranges::any_of(held.contributions, [](auto times) { return times > 1; });
  list_.AddRectFilled(box.min, box.max,
                      held.contributors() == 0 ? with_alpha(look_.colour.trough, 0.5f)
                                               : chunk_colour({c}, is_whole ? 0.75f : 0.3f),
                      u / 2);
  if (repeats) list_.AddRect(box.min, box.max, look_.colour.bad, u / 2, 0, u / 4);
  const Touch mouse = touch(fmt::format("cell-{}-{}", r, c), box);
  if (lesson_.is_asking() && mouse.is_held)
    ImGui::GetStateStorage()->SetInt(ImGui::GetID("dragged"), static_cast<int>(r * 1024 + c) + 1);
  if (mouse.is_hovered && lesson_.is_asking())
    list_.AddRect(box.min, box.max, look_.colour.focus, u / 2, 0, u / 5);
  if (held.contributors() == 0) return;
  const ImU32 ink = is_whole ? chunk_ink({c}) : look_.colour.ink;
  write(list_, {(box.min.x + box.max.x) / 2, (box.min.y + box.max.y - line) / 2 - u / 2},
        {look_.strong, ink, 0.5f}, fmt::format("{:g}", held.value).c_str());
  const float pitch = (box.max.x - box.min.x - 2 * u) / static_cast<float>(draft_.ranks);
  for (std::uint32_t from = 0; from < held.contributions.size(); ++from) {
    const float x = box.min.x + u + static_cast<float>(from) * pitch;
    list_.AddRectFilled({x, box.max.y - 1.25f * u}, {x + pitch * 0.8f, box.max.y - 0.5f * u},
                        with_alpha(ink, held.contributions[from] > 0 ? 1 : 0.2f));
  }
}

/// What is dragged follows the mouse; where it is let go, it is sent.
void Builder::drop() {
  ImGuiStorage& kept = *ImGui::GetStateStorage();
  const int dragged = kept.GetInt(ImGui::GetID("dragged"));
  if (dragged == 0) return;
  const auto from = static_cast<std::uint32_t>(dragged - 1) / 1024,
             chunk = static_cast<std::uint32_t>(dragged - 1) % 1024;
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  const float u = look_.unit;
  std::optional<std::uint32_t> to;
  for (std::uint32_t r = 0; r < draft_.ranks; ++r)
    if (const Corner at = row(r); r != from && mouse.x >= at.min.x && mouse.x < at.max.x &&
                                  mouse.y >= at.min.y && mouse.y < at.max.y)
      to = r;
  if (ImGui::IsMouseDown(0)) {
    if (to) list_.AddRect(row(*to).min, row(*to).max, look_.colour.accent, u / 2, 0, u / 3);
    const Corner chip{{mouse.x - 2.5f * u, mouse.y - 1.5f * u},
                      {mouse.x + 2.5f * u, mouse.y + 1.5f * u}};
    fill_chunk(list_, chip, {chunk});
    write(list_, {mouse.x, mouse.y - measure(look_.small, "0").y / 2},
          {look_.small, chunk_ink({chunk}), 0.5f}, fmt::format("c{}", chunk).c_str());
    return;
  }
  kept.SetInt(ImGui::GetID("dragged"), 0);
  if (to && chunk < draft_.chunks && from < draft_.ranks)
    say(stage::with_move(text_, {from, *to, chunk, adds()}));
}

}  // namespace

void draw_schedule_board(const Panel& panel) {
  if (!panel.model.lesson->entries.empty()) Builder(panel).draw();
}

}  // namespace ringside::panels::detail
