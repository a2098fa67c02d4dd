// Left: what runs, on which wires, and whether it is right.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <iterator>
#include <utility>

#include "viz/panels/choice_list.hpp"
#include "viz/panels/lesson_board.hpp"
#include "viz/panels/people.hpp"
#include "viz/panels/phrases.hpp"
#include "viz/panels/truth.hpp"
#include "viz/panels/widgets.hpp"
#include "viz/stage/controls.hpp"

namespace ringside::panels {
namespace {

using stage::Control;
using stage::Focus;
using stage::Word;
using Kind = Control::Kind;
using Section = Control::Section;

Word heading(Section section) {
  constexpr std::array<Word, 4> words{Word::section_what, Word::section_against, Word::section_on,
                                      Word::section_wires};
  return words[static_cast<std::size_t>(section)];
}

bool is_half(const Control& control) {
  return control.kind == Kind::number && control.field != "bytes";
}

/// A line of the column: a control, or two that share it.
struct Line {
  const Control* left;
  const Control* right = nullptr;
};

/// None of the small training, which is done here.
std::vector<stage::Wires> shown_wires(const stage::Model& model) {
  if (model.view == stage::Model::View::loss) return {};
  return wires_to_change(model);
}

/// The controls from the top. Where they do not all fit, as many sections are open as do, first of
/// all that of the control which has the keys, or had them last. In a child that scrolls where even
/// that one is too much.
class Column {
 public:
  Column(const Panel& panel, float bottom)
      : panel_(panel),
        look_(panel.look),
        list_(*ImGui::GetWindowDrawList()),
        controls_(stage::controls_of(panel.model)),
        wires_(shown_wires(panel.model)),
        left_(panel.min.x + 2 * look_.unit),
        right_(panel.max.x - 2 * look_.unit),
        bottom_(bottom),
        y_(ImGui::GetCursorScreenPos().y + look_.unit) {
    // What was left over in the last frame is shared out between the rows.
    const float spare = ImGui::GetStateStorage()->GetFloat(ImGui::GetID("spare"), 0);
    air_ = std::clamp(spare, least_air(), look_.unit * 1.25f);
    open_sections();
  }

  void draw() {
    for (const Section section : all) {
      if (!is_there(section)) continue;
      title(section);
      if (!is_open(section)) continue;
      if (section == Section::wires)
        for (const auto& wires : wires_) draw(wires);
      for (const Line& line : lines_of(section)) draw(line);
    }
    ImGui::SetCursorScreenPos({left_, y_});
    ImGui::Dummy({1, look_.unit});
    const float spare = bottom_ - look_.unit - y_ + ImGui::GetScrollY();
    ImGui::GetStateStorage()->SetFloat(ImGui::GetID("spare"),
                                       air_ + spare / static_cast<float>(std::max(1, gaps_)));
  }

 private:
  static constexpr Section all[] = {Section::what, Section::against, Section::on, Section::wires};

  float least_air() const { return look_.unit / 4; }
  float title_height() const { return measure(look_.small, "0").y + look_.unit / 2; }
  float box_height() const { return measure(look_.body, "0").y + 1.25f * look_.unit; }
  float height(const stage::Wires& wires) const {
    const float line = measure(look_.body, "0").y;
    return wires.is_there ? 2 * line + 2.25f * look_.unit : line + look_.unit;
  }
  /// Of what is in a section, as close as it may stand.
  float height(Section section) const;
  bool is_there(Section section) const {
    return section == Section::wires ? !wires_.empty() : !lines_of(section).empty();
  }
  bool is_open(Section section) const { return is_open_[static_cast<std::size_t>(section)]; }
  void open_sections();
  Section first_open() const;
  /// Wires are drawn otherwise: they have none.
  std::vector<Line> lines_of(Section section) const;
  /// Two short numbers share a line.
  bool fits_half(const Control& control) const {
    return is_half(control) && measure(look_.body, look_.say(control.label)).x +
                                       measure(look_.strong, control.value.c_str()).x +
                                       3 * look_.unit <
                                   (right_ - left_) / 2;
  }
  bool is_focused(const Control& control) const { return panel_.model.field == control.field; }
  bool is_edited(const Control& control) const {
    return is_focused(control) && panel_.model.edits_field;
  }
  void breathe() {
    y_ += air_;
    ++gaps_;
  }
  void title(Section section);
  void draw(const Line& line);
  void draw(const stage::Wires& wires);
  void box(const Control& control, float left, float right);
  void figure(const Control& control, const stage::Wires& wires, float left, float right);
  void type(const Control& control, const Corner& area);
  /// What the keys moved to is brought into sight.
  void keep_in_sight(const Control& control, const Corner& area);

  const Panel& panel_;
  const Look& look_;
  ImDrawList& list_;
  const std::vector<Control> controls_;
  const std::vector<stage::Wires> wires_;
  float left_, right_, bottom_, y_;
  float air_ = 0;
  int gaps_ = 0;
  std::array<bool, std::size(all)> is_open_{};
};

std::vector<Line> Column::lines_of(Section section) const {
  std::vector<Line> lines;
  if (section == Section::wires) return lines;
  for (const Control& control : controls_) {
    if (control.section != section) continue;
    const bool shares = !lines.empty() && lines.back().right == nullptr && fits_half(control) &&
                        fits_half(*lines.back().left);
    if (shares)
      lines.back().right = &control;
    else
      lines.push_back({&control});
  }
  return lines;
}

float Column::height(Section section) const {
  float sum = static_cast<float>(lines_of(section).size()) * (box_height() + least_air());
  if (section != Section::wires) return sum;
  for (const auto& wires : wires_) sum += height(wires) + least_air();
  return sum;
}

void Column::open_sections() {
  float room = bottom_ - y_;
  for (const Section section : all)
    if (is_there(section)) room -= title_height() + least_air();
  const auto open = [&](Section section) {
    bool& is_open = is_open_[static_cast<std::size_t>(section)];
    if (!std::exchange(is_open, true)) room -= height(section);
  };
  open(first_open());
  for (const Section section : all)
    if (is_there(section) && height(section) <= room) open(section);
}

Section Column::first_open() const {
  ImGuiStorage& kept = *ImGui::GetStateStorage();
  const ImGuiID key = ImGui::GetID("open");
  for (const Control& control : controls_)
    if (is_focused(control)) kept.SetInt(key, static_cast<int>(control.section));
  const auto last = static_cast<Section>(kept.GetInt(key, static_cast<int>(Section::what)));
  if (is_there(last)) return last;
  return is_there(Section::what) || !is_there(Section::wires) ? Section::what : Section::wires;
}

/// Of a section that is closed, with its values: a click opens it.
void Column::title(Section section) {
  breathe();
  const char* words = look_.say(heading(section));
  const float height = title_height(), u = look_.unit;
  write(list_, {left_, y_}, {look_.small, look_.colour.quiet}, words);
  const float used = measure(look_.small, words).x + 3 * u;
  y_ += height;
  if (is_open(section)) return;
  std::string values;
  const Control* first = nullptr;
  for (const Control& control : controls_) {
    if (control.section != section) continue;
    if (first == nullptr) first = &control;
    values += (values.empty() ? "" : " · ") + shown(look_, control);
  }
  if (first == nullptr) return;
  const Corner row{{left_, y_ - height}, {right_, y_}};
  const Touch mouse = touch("section " + first->field, row);
  const float s = u * 0.4f, middle = row.min.y + measure(look_.small, "0").y / 2;
  const ImU32 ink = mouse.is_hovered ? look_.colour.ink : look_.colour.quiet;
  list_.AddTriangleFilled({right_ - u - s, middle - s}, {right_ - u - s, middle + s},
                          {right_ - u + s / 2, middle}, ink);
  write(list_, {right_ - 2 * u, row.min.y}, {look_.small, ink, 1},
        shortened(look_.small, right_ - left_ - used, values).c_str());
  if (mouse.is_clicked) panel_.actions.emplace_back(Focus{first->field, false});
}

void Column::draw(const Line& line) {
  const float middle = (left_ + right_) / 2, gap = look_.unit / 2;
  box(*line.left, left_, line.right != nullptr ? middle - gap : right_);
  if (line.right != nullptr) box(*line.right, middle + gap, right_);
  y_ += box_height();
  breathe();
}

void Column::keep_in_sight(const Control& control, const Corner& area) {
  if (!is_focused(control)) return;
  ImGuiStorage& kept = *ImGui::GetStateStorage();
  const ImGuiID key = ImGui::GetID("in sight"), now = ImGui::GetID(control.field.c_str());
  if (kept.GetInt(key) == static_cast<int>(now)) return;
  kept.SetInt(key, static_cast<int>(now));
  const float top = ImGui::GetWindowPos().y;
  if (area.min.y < top) ImGui::SetScrollY(ImGui::GetScrollY() - (top - area.min.y) - look_.unit);
  if (area.max.y > bottom_)
    ImGui::SetScrollY(ImGui::GetScrollY() + (area.max.y - bottom_) + look_.unit);
}

void Column::box(const Control& control, float left, float right) {
  const float u = look_.unit, h = box_height();
  const Corner area{{left, y_}, {right, y_ + h}};
  keep_in_sight(control, area);
  const Touch mouse =
      is_edited(control) && control.kind != Kind::choice ? Touch{} : touch(control.field, area);
  list_.AddRectFilled(area.min, area.max, mouse.is_hovered ? look_.colour.trough : look_.colour.box,
                      u / 2);
  if (is_focused(control))
    list_.AddRect(area.min, area.max, look_.colour.accent, u / 2, 0, std::max(1.f, u / 5));
  const float text_y = y_ + (h - measure(look_.body, "0").y) / 2;
  const char* label = look_.say(control.label);
  const bool types = is_edited(control) && control.kind != Kind::choice;
  float end = right - u;
  if (control.kind == Kind::choice) {
    const float s = u * 0.4f, middle = y_ + h / 2;
    list_.AddTriangleFilled({end - 2 * s, middle - s / 2}, {end, middle - s / 2},
                            {end - s, middle + s * 0.7f}, look_.colour.quiet);
    end -= 2 * s + u / 2;
  }
  // Where both do not fit the label is smaller; where they still do not, the value says enough.
  const std::string value = shown(look_, control);
  const float room = end - left - 2 * u;
  const float value_width = types ? 6 * u : measure(look_.strong, value.c_str()).x;
  ImFont* font = look_.body;
  if (measure(font, label).x + u / 2 + value_width > room) font = look_.small;
  const float label_width = measure(font, label).x + u / 2;
  const bool has_label = label_width + value_width <= room + u;
  if (has_label) {
    const float label_y = y_ + (h - measure(font, "0").y) / 2;
    write(list_, {left + u, label_y}, {font, look_.colour.quiet}, label);
  }
  if (types)
    return type(control, {{left + u + (has_label ? label_width : 0), y_}, {right - u, y_ + h}});
  write(list_, {end, text_y}, {look_.strong, look_.colour.ink, 1},
        shortened(look_.strong, room, value).c_str());
  if (mouse.is_clicked) panel_.actions.emplace_back(Focus{control.field, !is_edited(control)});
  if (is_edited(control)) draw_choices(panel_, control, area);
}

/// One text at a time is being typed: Dear ImGui edits it in place.
struct Draft {
  std::string field, before;
  std::array<char, 128> text{};
};

void Column::type(const Control& control, const Corner& area) {
  static Draft draft;
  const bool is_new = draft.field != control.field;
  if (is_new) {
    draft = {control.field, control.value, {}};
    control.value.copy(draft.text.data(), draft.text.size() - 1);
    ImGui::SetKeyboardFocusHere();
  }
  ImGui::PushFont(look_.strong);
  const float text_height = measure(look_.strong, "0").y;
  ImGui::PushStyleVar(ImGuiStyleVar_FramePadding,
                      {look_.unit / 2, (area.max.y - area.min.y - text_height) / 2});
  ImGui::SetCursorScreenPos(area.min);
  ImGui::SetNextItemWidth(area.max.x - area.min.x);
  const bool is_done =
      ImGui::InputText(("##" + control.field).c_str(), draft.text.data(), draft.text.size(),
                       ImGuiInputTextFlags_EnterReturnsTrue | ImGuiInputTextFlags_AutoSelectAll);
  ImGui::PopStyleVar();
  ImGui::PopFont();
  const bool is_left = ImGui::IsItemDeactivated();
  if (!is_done && !is_left) return;
  const std::string after(draft.text.data());
  draft.field.clear();
  panel_.actions.emplace_back(Focus{is_done ? control.field : "", false});
  if (after != draft.before) panel_.actions.emplace_back(stage::Edit{control.field, after});
}

/// A family of wires: its name, and bandwidth and latency to drag or to type.
void Column::draw(const stage::Wires& wires) {
  const float line = measure(look_.body, "0").y;
  const ImU32 ink = wires.is_used ? look_.colour.ink : look_.colour.quiet;
  const ImVec2 name = write(list_, {left_, y_}, {look_.body, ink}, look_.say(wires.label));
  if (!wires.is_used) {
    const std::string why = std::string(" · ") + look_.say(Word::not_on_this_path);
    write(list_, {left_ + name.x, y_}, {look_.body, look_.colour.quiet}, why.c_str());
  }
  y_ += line;
  if (!wires.is_there) {
    const float thick = look_.unit / 4, middle = y_ + look_.unit / 2;
    list_.AddRectFilled({left_, middle - thick}, {right_, middle + thick}, look_.colour.trough,
                        thick);
    y_ += look_.unit;
    breathe();
    return;
  }
  const std::string prefix = std::string(sim::name(wires.kind)) + ".";
  const float gap = look_.unit, split = left_ + (right_ - left_) * 0.58f;
  for (const Control& control : controls_) {
    if (!control.field.starts_with(prefix)) continue;
    const bool is_rate = control.kind == Kind::bandwidth;
    figure(control, wires, is_rate ? left_ : split + gap, is_rate ? split - gap : right_);
  }
  y_ += line + 2.25f * look_.unit;
  breathe();
}

void Column::figure(const Control& control, const stage::Wires& wires, float left, float right) {
  const float u = look_.unit, line = measure(look_.strong, "0").y;
  const Corner text{{left - u / 2, y_}, {right, y_ + line + u / 2}};
  const Corner track{{left, text.max.y}, {right, text.max.y + 1.75f * u}};
  keep_in_sight(control, {text.min, track.max});
  if (is_focused(control))
    list_.AddRect({left - u, y_ - u / 4}, {right + u, track.max.y + u / 4}, look_.colour.accent,
                  u / 2, 0, std::max(1.f, u / 5));
  if (is_edited(control)) {
    type(control, text);
  } else {
    const Touch mouse = touch(control.field + " text", text);
    const ImU32 ink = wires.is_used ? look_.colour.ink : look_.colour.quiet;
    write(list_, {left, y_ + u / 4}, {look_.strong, mouse.is_hovered ? look_.colour.accent : ink},
          shown(look_, control).c_str());
    if (mouse.is_clicked) panel_.actions.emplace_back(Focus{control.field, true});
  }
  const bool is_rate = control.kind == Kind::bandwidth;
  const double place =
      is_rate ? stage::slider_place(wires.bandwidth) : stage::slider_place(wires.latency);
  const double dragged =
      draw_slider(look_, track, {control.field + " slider", place, !wires.is_used});
  if (dragged < 0) return;
  const std::string value = stage::slider_value(control.kind, dragged);
  const std::string now = stage::slider_value(control.kind, place);
  if (value != now) panel_.actions.emplace_back(stage::Edit{control.field, value});
}

void draw_column(const Panel& panel, float bottom) {
  ImGui::SetCursorScreenPos(panel.min);
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {0, 0});
  ImGui::BeginChild("column", {panel.size().x, bottom - panel.min.y});
  Column(panel, bottom).draw();
  ImGui::EndChild();
  ImGui::PopStyleVar();
}

}  // namespace

void draw_controls(const Panel& panel) {
  begin_panel("controls", panel);
  draw_column(panel, draw_truth(panel));
  end_panel();
}

void draw_lesson_controls(const Panel& panel) {
  begin_panel("controls", panel);
  ImGui::GetWindowDrawList()->AddLine(panel.min, {panel.max.x, panel.min.y},
                                      panel.look.colour.faint);
  draw_column(panel, panel.max.y);
  end_panel();
}

}  // namespace ringside::panels
