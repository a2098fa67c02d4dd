// The top: what runs, in one line, and what a lecturer reaches for.

#include <fmt/format.h>

#include <vector>

#include "sim/shapes.hpp"
#include "viz/panels/people.hpp"
#include "viz/panels/phrases.hpp"
#include "viz/panels/widgets.hpp"

namespace ringside::panels {
namespace {

using stage::Command;
using stage::Word;

struct Tool {
  Command command;
  Word label;
  bool is_on;
  bool is_bad = false;
};

std::vector<Tool> tools(const stage::Model& model) {
  const bool is_broken = !model.scenario.mistake.empty();
  if (model.lesson)
    return {{Command::lessons, Word::tool_lessons, true},
            {Command::share, Word::tool_share, false},
            {Command::language, Word::tool_language, false},
            {Command::theme, Word::tool_theme, model.theme == stage::Theme::projector},
            {Command::help, Word::tool_help, model.shows_help}};
  return {{Command::lessons, Word::tool_lessons, model.shows_lessons},
          {Command::run_here, Word::tool_run_here, model.runs_here},
          {Command::race, Word::tool_race, model.rival_scenario.has_value()},
          {Command::break_it, Word::tool_break_it, is_broken, true},
          {Command::fork, Word::tool_fork, model.ghost != nullptr},
          {Command::training_step, Word::tool_training, model.view != stage::Model::View::run},
          {Command::share, Word::tool_share, false},
          {Command::language, Word::tool_language, false},
          {Command::theme, Word::tool_theme, model.theme == stage::Theme::projector},
          {Command::help, Word::tool_help, model.shows_help}};
}

/// From the right edge; returns where they begin. Those for which there is no room are left out,
/// the first ones first: keys do the same.
float draw_tools(const Panel& panel) {
  const Look& look = panel.look;
  const auto all = tools(panel.model);
  const float height = 4 * look.unit, top = panel.min.y + (panel.size().y - height) / 2;
  float right = panel.max.x - look.unit;
  for (auto tool = all.rbegin(); tool != all.rend(); ++tool) {
    const char* label = look.say(tool->label);
    const float left = right - button_width(look, label);
    if (left < panel.min.x + 14 * look.unit) break;
    const Button button{.id = label,
                        .label = label,
                        .is_on = tool->is_on,
                        .on_colour = tool->is_bad ? look.colour.bad : 0};
    if (draw_button(look, {{left, top}, {right, top + height}}, button))
      panel.actions.emplace_back(tool->command);
    right = left - look.unit / 2;
  }
  return right;
}

/// `8 ranks`, `256 MiB`, `ring, 25 GB/s and 1 µs a link`: the most telling first.
std::vector<std::string> summary(const Panel& panel, const stage::StagedRun& run) {
  const Look& look = panel.look;
  std::vector<std::string> parts{fmt::format(fmt::runtime(look.say(Word::n_ranks)), run.ranks())};
  if (run.row.size) parts.push_back(people(*run.row.size));
  const auto& system = run.scenario.system;
  parts.push_back(run.is_measured ? run.row.backend : file_name(system.system));
  if (run.is_measured) return parts;
  if (sim::is_shape(system.system) && !run.topology->links.empty()) {
    const auto wires = stage::wires_of(panel.model).front();
    parts.back() = fmt::format(fmt::runtime(look.say(Word::shape_of_links)), system.system,
                               to_string(wires.bandwidth), people(wires.latency));
  } else if (run.topology->nodes > 1) {
    parts.back() += fmt::format(" × {}", run.topology->nodes);
  }
  return parts;
}

/// As many of them as fit, joined.
std::string that_fit(const Look& look, const std::vector<std::string>& parts, float width) {
  std::string text;
  for (const auto& part : parts) {
    const std::string longer = text.empty() ? part : fmt::format("{} · {}", text, part);
    if (measure(look.body, longer.c_str()).x > width) break;
    text = longer;
  }
  return text;
}

}  // namespace

void draw_toolbar(const Panel& panel) {
  const Look& look = panel.look;
  begin_panel("toolbar", panel);
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const float end = draw_tools(panel) - look.unit;
  const float middle = panel.min.y + panel.size().y / 2;
  float x = panel.min.x + 2 * look.unit;
  const auto say = [&](ImFont* font, ImU32 colour, const std::string& text) {
    const ImVec2 size = measure(font, text.c_str());
    if (size.x > end - x) return;
    x += write(list, {x, middle - size.y / 2}, {font, colour}, text.c_str()).x + 3 * look.unit;
  };
  say(look.title, look.colour.ink, "Ringside");
  const stage::Run& run = panel.model.run;
  if (run && !stage::hides_future(panel.model)) {
    say(look.strong, look.colour.ink, title_of(look, *run));
    say(look.body, look.colour.quiet, that_fit(look, summary(panel, *run), end - x));
  }
  end_panel();
}

}  // namespace ringside::panels
