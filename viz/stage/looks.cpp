#include "viz/stage/looks.hpp"

#include <algorithm>
#include <cmath>

#include "viz/stage/scene.hpp"

namespace ringside::stage {
namespace {

constexpr double scale_step = 0.25, least_scale = 1, most_scale = 4;

void rescale(Model& model, double by) {
  model.scale =
      std::clamp(std::round((model.scale + by) / scale_step) * scale_step, least_scale, most_scale);
}

/// From what is selected to the one `by` further, round and round.
template <typename Thing>
void select_next(Model& model, std::optional<Thing> Pick::*kind, std::int64_t by,
                 std::size_t count) {
  if (count == 0) return;
  const auto n = static_cast<std::int64_t>(count);
  const std::int64_t none = by > 0 ? -1 : n;
  const auto& now = model.selected.*kind;
  const std::int64_t next = (now ? static_cast<std::int64_t>(now->value) : none) + by;
  Pick pick;
  pick.*kind = Thing{static_cast<std::uint32_t>((next % n + n) % n)};
  model.selected = pick;
}

void select_next_rank(Model& model, std::int64_t by) {
  if (model.run) select_next(model, &Pick::rank, by, model.run->schedule->participants());
}

void select_next_link(Model& model, std::int64_t by) {
  if (model.run) select_next(model, &Pick::link, by, model.run->topology->links.size());
}

/// What lies over all else goes first.
void close_topmost(Model& model) {
  if (model.is_blank)
    model.is_blank = false;
  else if (model.shows_help)
    model.shows_help = false;
  else if (model.shows_menu)
    model.shows_menu = false;
  else if (model.shows_lessons)
    model.shows_lessons = false;
  else if (model.edits_field)
    model.edits_field = false;
  else if (!model.refusal.sentence.empty())
    model.refusal = {};
  else if (!model.field.empty())
    model.field.clear();
  else if (model.measure)
    model.measure.reset();
  else if (model.selected != Pick{})
    model.selected = {};
  else if (model.view != Model::View::run && !model.lesson)
    model.view = Model::View::run;
  else
    model.is_full_screen = false;
}

/// From what is seen to the other.
void change_layout(Model& model) {
  using Layout = Model::Layout;
  Layout now = model.layout;
  if (now == Layout::automatic) now = model.run ? usual_layout(*model.run) : Layout::ring;
  model.layout = now == Layout::ring ? Layout::machine : Layout::ring;
}

void toggle(bool& value) {
  value = !value;
}

}  // namespace

void change_looks(Model& model, Command command) {
  using Side = Model::Side;
  switch (command) {
    case Command::blank:
      return toggle(model.is_blank);
    case Command::full_screen:
      return toggle(model.is_full_screen);
    case Command::help:
      return toggle(model.shows_help);
    case Command::menu:
      return toggle(model.shows_menu);
    case Command::values:
      return toggle(model.shows_values);
    case Command::language:
      model.language = model.language == Language::english ? Language::chinese : Language::english;
      return;
    case Command::theme:
      model.theme = model.theme == Theme::dark ? Theme::projector : Theme::dark;
      return;
    case Command::side_panel:
      model.side = model.side == Side::addition_tree
                       ? Side::curves
                       : static_cast<Side>(static_cast<int>(model.side) + 1);
      return;
    case Command::larger:
      return rescale(model, scale_step);
    case Command::smaller:
      return rescale(model, -scale_step);
    case Command::layout:
      return change_layout(model);
    case Command::next_rank:
      return select_next_rank(model, 1);
    case Command::previous_rank:
      return select_next_rank(model, -1);
    case Command::next_link:
      return select_next_link(model, 1);
    case Command::previous_link:
      return select_next_link(model, -1);
    case Command::escape:
      return close_topmost(model);
    case Command::quit:
      model.has_quit = true;
      return;
    default:
      return;
  }
}

}  // namespace ringside::stage
