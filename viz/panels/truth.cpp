// Whether the run is right, or why there is none.

#include "viz/panels/truth.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "viz/panels/people.hpp"
#include "viz/panels/phrases.hpp"
#include "viz/panels/widgets.hpp"

namespace ringside::panels {
namespace {

using stage::Word;

/// What can be said of the run's truth, each a paragraph in its colour.
struct Paragraph {
  ImFont* font;
  ImU32 colour;
  std::string text;
};
/// How much of it there is room for.
enum class Detail : std::uint8_t { full, no_formula, least };

/// Said before a sentence of the program's own, which is in English whatever the window speaks;
/// empty where the window has words for the reason.
std::string asked_for(const Panel& panel) {
  const auto& [sentence, word, wish, until] = panel.model.refusal;
  const Look& look = panel.look;
  if (word) return "";
  if (wish.deed)
    return fmt::format(fmt::runtime(look.say(Word::asked_to_do)), look.say(*wish.deed));
  if (wish.field.empty()) return "";
  std::string label = wish.field;
  for (const auto& control : stage::controls_of(panel.model))
    if (control.field == wish.field) label = look.say(control.label);
  return fmt::format(fmt::runtime(look.say(Word::asked_to_set)), label,
                     shown(look, wish.field, wish.value));
}

std::vector<Paragraph> truth(const Panel& panel, Detail detail) {
  const Look& look = panel.look;
  const auto& model = panel.model;
  std::vector<Paragraph> all;
  constexpr double soon = 0.3;  // seconds: what comes within them needs no words
  if (model.runs_here)
    all.push_back({look.body, look.colour.quiet, look.say(Word::truth_runs_here)});
  else if (model.waiting > soon)
    all.push_back({look.body, look.colour.quiet, look.say(Word::truth_to_come)});
  if (const auto& refusal = model.refusal; !refusal.sentence.empty()) {
    if (const auto asked = asked_for(panel); !asked.empty())
      all.push_back({look.small, look.colour.quiet, asked});
    all.push_back(
        {look.body, look.colour.warn, refusal.word ? look.say(*refusal.word) : refusal.sentence});
  }
  if (!model.run || model.view != stage::Model::View::run) return all;
  const stage::StagedRun& run = *model.run;
  const auto format = [&](Word word, const auto&... values) {
    return fmt::format(fmt::runtime(look.say(word)), values...);
  };
  if (!run.mistake.empty())
    all.push_back(
        {look.body, look.colour.bad, format(Word::broken_on_purpose, mistake_of(look, run))});
  if (!run.violations.empty())
    all.push_back({look.body, look.colour.bad, "✗ " + phrase(look, run.violations.front())});
  else
    all.push_back({look.body, look.colour.good,
                   std::string("✓ ") + look.say(!run.mistake.empty()      ? Word::truth_harmless
                                                : detail == Detail::least ? Word::truth_in_short
                                                                          : Word::truth_proven)});
  if (run.is_measured) all.push_back({look.small, look.colour.quiet, recorded_on(look, run)});
  if (model.ghost && model.ghost != model.run && model.ghost->time() > Duration{})
    all.push_back(
        {look.small, look.colour.ink,
         format(Word::fork_compared, people(model.ghost->time()), people(run.time()),
                fmt::format("{:.2f}", run.time().seconds() / model.ghost->time().seconds()))});
  if (detail != Detail::full) return all;
  if (const auto formula = formula_for(look, run); !formula.empty())
    all.push_back({look.small, look.colour.quiet, formula});
  return all;
}

/// As detailed as a third of the column allows.
std::vector<Paragraph> truth_that_fits(const Panel& panel, float width, float& height) {
  const Look& look = panel.look;
  std::vector<Paragraph> all;
  for (const Detail detail : {Detail::full, Detail::no_formula, Detail::least}) {
    all = truth(panel, detail);
    height = measure(look.small, "0").y + 2 * look.unit;
    for (const Paragraph& p : all) height += height_of_lines(p.font, width, p.text) + look.unit / 2;
    if (height < panel.size().y / 3) break;
  }
  return all;
}

}  // namespace

float draw_truth(const Panel& panel) {
  const Look& look = panel.look;
  const float u = look.unit, left = panel.min.x + 2 * u, right = panel.max.x - 2 * u;
  float height = 0;
  const auto paragraphs = truth_that_fits(panel, right - left, height);
  if (paragraphs.empty()) return panel.max.y;
  const float most = panel.size().y * 0.6f;
  const float top = panel.max.y - std::min(height, most);
  ImDrawList& list = *ImGui::GetWindowDrawList();
  list.AddLine({panel.min.x, top}, {panel.max.x, top}, look.colour.faint);
  float y = top + u;
  const bool is_refused = !panel.model.refusal.sentence.empty();
  write(list, {left, y}, {look.small, is_refused ? look.colour.warn : look.colour.quiet},
        look.say(is_refused ? Word::not_possible : Word::section_truth));
  y += measure(look.small, "0").y + u / 2;
  for (const Paragraph& p : paragraphs)
    y += write_lines(list, {{left, y}, {right, panel.max.y - u / 2}}, {p.font, p.colour}, p.text) +
         u / 2;
  return top;
}

}  // namespace ringside::panels
