#include "viz/stage/action.hpp"

#include <algorithm>
#include <cmath>

#include "viz/stage/clock.hpp"
#include "viz/stage/controls.hpp"
#include "viz/stage/experiments.hpp"
#include "viz/stage/keys.hpp"
#include "viz/stage/lesson.hpp"
#include "viz/stage/looks.hpp"
#include "viz/stage/scene.hpp"
#include "viz/stage/training_views.hpp"

namespace ringside::stage {
namespace {

constexpr double key_zoom = 2;
constexpr std::int64_t key_pan = 4;  // a quarter of what is seen

bool is_there(const Model& model, const Pick& pick) {
  if (!model.run) return pick == Pick{};
  const StagedRun& run = *model.run;
  const Schedule& schedule = *run.schedule;
  const auto is_slot = [&](const Slot& slot) {
    return slot.rank.value < schedule.participants() &&
           slot.chunk.value <
               (slot.buffer == Buffer::scratch ? schedule.scratch_chunks() : schedule.chunks());
  };
  return (!pick.transfer || pick.transfer->value < schedule.transfers().size()) &&
         (!pick.rank || pick.rank->value < schedule.participants()) &&
         (!pick.chunk || pick.chunk->value < schedule.chunks()) &&
         (!pick.slot || is_slot(*pick.slot)) &&
         (!pick.link || pick.link->value < run.topology->links.size());
}

/// The key's zoom: about the moment that is played, where that can be seen.
void zoom_by_key(Model& model, double factor) {
  const TimePoint now = model.playback.now;
  const TimeWindow& window = model.window;
  const bool seen = window.from <= now && now <= window.to;
  const TimePoint middle{window.from.picoseconds +
                         (window.to.picoseconds - window.from.picoseconds) / 2};
  zoom(model, seen ? now : middle, factor);
}

void change_speed(Model& model, Duration per_second) {
  if (!model.run) return;
  model.playback.per_second = per_second;
  model.playback.chosen = true;
}

/// Commands that move through time. False if it is none of them.
bool move_in_time(Model& model, Command command) {
  switch (command) {
    case Command::play_pause:
      toggle_playing(model);
      return true;
    case Command::step_forward:
      step_forward(model);
      return true;
    case Command::step_back:
      step_back(model);
      return true;
    case Command::to_start:
    case Command::to_end:
      model.playback.is_playing = false;
      seek(model, command == Command::to_start ? TimePoint{} : end_of(model));
      return true;
    case Command::faster:
      change_speed(model, faster(model.playback.per_second));
      return true;
    case Command::slower:
      change_speed(model, slower(model.playback.per_second));
      return true;
    case Command::zoom_in:
      zoom_by_key(model, key_zoom);
      return true;
    case Command::zoom_out:
      zoom_by_key(model, 1 / key_zoom);
      return true;
    case Command::pan_forward:
    case Command::pan_back: {
      const Duration by{(model.window.to - model.window.from).picoseconds / key_pan};
      pan(model, command == Command::pan_forward ? by : -1 * by);
      return true;
    }
    case Command::focus:
      focus(model);
      return true;
    default:
      return false;
  }
}

bool is_experiment(Command command) {
  using enum Command;
  constexpr Command all[] = {race, fork, break_it, slow_down, kill, straggle, repair};
  return std::ranges::count(all, command) > 0;
}

/// Commands that change what is run. False if it is none of them.
bool experiment(Model& model, Command command, Director& director) {
  switch (command) {
    case Command::race:
      toggle_race(model, director);
      return true;
    case Command::fork:
      toggle_ghost(model);
      return true;
    case Command::break_it:
      break_it(model, director);
      return true;
    case Command::slow_down:
      toggle_slow(model, director);
      return true;
    case Command::kill:
      kill(model, director);
      return true;
    case Command::straggle:
      toggle_straggler(model, director);
      return true;
    case Command::repair:
      repair(model, director);
      return true;
    default:
      return false;
  }
}

/// The next control, round and round, with none between the last and the first.
void move_to_field(Model& model, std::int64_t by) {
  std::vector<std::string> fields{""};
  for (const Control& control : controls_of(model)) fields.push_back(control.field);
  const auto n = static_cast<std::int64_t>(fields.size());
  const auto here = std::ranges::find(fields, model.field);
  const std::int64_t at = here == fields.end() ? 0 : here - fields.begin();
  model.field = fields[static_cast<std::size_t>((at + by + n) % n)];
  model.edits_field = false;
}

/// Commands of the control that has the keys. False if it is none of them.
bool use_field(Model& model, Command command, Director& director) {
  switch (command) {
    case Command::next_field:
    case Command::previous_field:
      move_to_field(model, command == Command::next_field ? 1 : -1);
      return true;
    case Command::edit_field:
      model.edits_field = !model.field.empty() && !model.edits_field;
      return true;
    case Command::raise:
    case Command::lower:
      if (const auto next = stepped(model, model.field, command == Command::raise ? 1 : -1)) {
        model.wish = {.field = next->field, .value = next->value};
        edit(model, next->field, next->value, director);
      }
      return true;
    default:
      return false;
  }
}

/// The menu is of what is selected, and its own way out.
bool leaves_menu_open(Command command) {
  switch (command) {
    case Command::menu:
    case Command::escape:
    case Command::next_rank:
    case Command::previous_rank:
    case Command::next_link:
    case Command::previous_link:
      return true;
    default:
      return false;
  }
}

struct Apply {
  Model& model;
  Director& director;

  void operator()(Command command) const {
    if (!leaves_menu_open(command)) model.shows_menu = false;
    if (!lets(model, command)) return;
    if (teach(model, command, director)) return;
    if (is_experiment(command)) model.wish = {.deed = words_of(command)};
    if (!move_in_time(model, command) && !experiment(model, command, director) &&
        !use_field(model, command, director) && !show_training(model, command))
      change_looks(model, command);
  }
  void operator()(const Edit& e) const {
    model.wish = {.field = e.field, .value = e.value};
    if (!lets_edit(model, e.field)) return refuse(model, Word::lesson_keeps_it);
    edit(model, e.field, e.value, director);
  }
  void operator()(const Focus& f) const {
    model.field = f.field;
    model.edits_field = f.edits && !f.field.empty();
  }
  void operator()(const Open& o) const {
    model.wish = {.deed = Word::key_paste};
    teach(model, Command::leave_lesson, director);
    open(model, o.share, director);
  }
  void operator()(const Seek& s) const { seek(model, s.to); }
  void operator()(const Hover& h) const { model.hover = is_there(model, h.what) ? h.what : Pick{}; }
  void operator()(const Select& s) const {
    model.selected = is_there(model, s.what) ? s.what : Pick{};
    take_pick(model);
  }
  void operator()(const Zoom& z) const { zoom(model, z.at, z.factor); }
  void operator()(const Pan& p) const { pan(model, p.by); }
  void operator()(const Draw& stroke) const {
    draw_answer(model, stroke);
    if (!hides_future(model) && model.view == Model::View::scaling)
      draw(model.drawing, counts_of(model.workload), stroke);
  }
  void operator()(const Measure& m) const { measure(model, m.from, m.to); }
  void operator()(const OpenLesson& o) const {
    model.wish = {.deed = Word::key_lessons};
    if (auto done = open_lesson(model, o.lesson, o.beat, director); !done)
      refuse(model, done.error().message);
  }
  void operator()(const Digit& d) const {
    if (model.lesson)
      take_digit(model, d.digit);
    else
      seek(model, {end_of(model).picoseconds / 10 * d.digit});
  }
  void operator()(const Enter& e) const { enter(model, e.nth, e.text); }
  void operator()(const Answer& a) const { answer(model, a.text, director); }
  void operator()(const Tick& t) const {
    pass_time(model, t.seconds);
    if (director.is_busy() && t.seconds > 0) model.waiting += t.seconds;
  }
};

/// The new lead takes the stage, and plays if it is to.
void enter(Model& model, Run run, bool plays) {
  const Extent before = extent_of(model);
  const bool is_same = model.run && model.run->schedule == run->schedule;
  if (model.run) {
    model.hover = found_again(model.hover, *model.run, *run);
    model.selected = found_again(model.selected, *model.run, *run);
  }
  const bool is_first = !model.run;
  model.run = std::move(run);
  if (!model.playback.chosen) model.playback.per_second = usual_speed(*model.run);
  follow(model, before, is_same ? Place::share : is_first ? Place::moment : Place::beginning);
  // A learner may have changed what the question is about.
  if (hides_future(model)) model.lesson->is_placed = false;
  if (const auto start = std::exchange(model.playback.start, std::nullopt)) seek(model, *start);
  if (plays && !model.playback.is_playing) toggle_playing(model);
}

void enter_rival(Model& model, Run run) {
  const Extent before = extent_of(model);
  model.rival = std::move(run);
  follow(model, before, Place::moment);
}

}  // namespace

void apply(Model& model, const Action& action, Director& director) {
  std::visit(Apply{model, director}, action);
  if (model.view == Model::View::run || std::holds_alternative<Tick>(action)) return;
  if (model.view == Model::View::loss)
    director.train(model.workload);
  else
    director.request(model.scenario, model.workload);
}

bool receive(Model& model, Director& director) {
  bool has_changed = false;
  while (auto delivery = director.take()) {
    const bool is_lead = delivery->part == Director::Part::lead;
    if (!is_lead && !model.rival_scenario) continue;  // the race was called off meanwhile
    has_changed = true;
    const bool is_from_here =
        is_lead && model.runs_here && (!delivery->run || (*delivery->run)->is_measured);
    if (is_from_here) model.runs_here = false;
    const auto until = is_lead ? Refusal::Until::lead : Refusal::Until::rival;
    if (!delivery->run) {
      model.refusal = {delivery->run.error().message, std::nullopt, model.staged, until};
      continue;
    }
    if (model.refusal.until == until) model.refusal = {};
    if (is_lead)
      enter(model, *std::move(delivery->run), is_from_here);
    else
      enter_rival(model, *std::move(delivery->run));
  }
  place(model);
  if (!director.is_busy()) model.waiting = 0;
  if (auto curves = director.curves(); curves != model.curves) {
    model.curves = std::move(curves);
    has_changed = true;
  }
  if (auto forecast = director.forecast(); forecast != model.forecast) {
    model.forecast = std::move(forecast);
    has_changed = true;
  }
  if (auto practice = director.practice(); practice != model.practice) {
    model.practice = std::move(practice);
    has_changed = true;
  }
  return has_changed;
}

}  // namespace ringside::stage
