#include "viz/stage/keys.hpp"

#include <algorithm>
#include <iterator>

#include "core/suggest.hpp"
#include "viz/stage/clock.hpp"

namespace ringside::stage {
namespace {

using enum KeyGroup;

constexpr Binding table[] = {
    {Command::play_pause, {"Space"}, Word::key_play_pause, time},
    {Command::step_forward, {"Right", "PageDown"}, Word::key_step, time},
    {Command::step_back, {"Left", "PageUp"}, Word::key_step, time},
    {Command::to_start, {"Home"}, Word::key_ends, time},
    {Command::to_end, {"End"}, Word::key_ends, time},
    {Command::faster, {">"}, Word::key_speed, time},
    {Command::slower, {"<"}, Word::key_speed, time},
    {Command::race, {"R"}, Word::key_race, run},
    {Command::fork, {"G"}, Word::key_fork, run},
    {Command::break_it, {"X"}, Word::key_break_it, run},
    {Command::run_here, {"H"}, Word::key_run_here, run},
    {Command::run_on_gpus, {"Shift+H"}, Word::key_run_on_gpus, run},
    {Command::run_by_nccl, {"Ctrl+H"}, Word::key_run_by_nccl, run},
    {Command::slow_down, {"S"}, Word::key_slow_down, run},
    {Command::kill, {"D"}, Word::key_kill, run},
    {Command::straggle, {"W"}, Word::key_straggle, run},
    {Command::repair, {"Backspace"}, Word::key_repair, run},
    {Command::next_rank, {"Down"}, Word::key_rank, select},
    {Command::previous_rank, {"Up"}, Word::key_rank, select},
    {Command::next_link, {"Shift+Down"}, Word::key_link, select},
    {Command::previous_link, {"Shift+Up"}, Word::key_link, select},
    {Command::menu, {"M", "Shift+F10"}, Word::key_menu, select},
    {Command::next_field, {"Tab"}, Word::key_field, select},
    {Command::previous_field, {"Shift+Tab"}, Word::key_field, select},
    {Command::edit_field, {"Enter"}, Word::key_edit_field, select},
    {Command::raise, {"Up"}, Word::key_value, select},
    {Command::lower, {"Down"}, Word::key_value, select},
    {Command::zoom_in, {"+", "="}, Word::key_zoom, diagram},
    {Command::zoom_out, {"-"}, Word::key_zoom, diagram},
    {Command::pan_forward, {"Shift+Right"}, Word::key_pan, diagram},
    {Command::pan_back, {"Shift+Left"}, Word::key_pan, diagram},
    {Command::focus, {"F"}, Word::key_focus, diagram},
    {Command::training_step, {"K"}, Word::key_training_step, training},
    {Command::scaling, {"J"}, Word::key_scaling, training},
    {Command::loss, {"U"}, Word::key_loss, training},
    {Command::compare, {"C"}, Word::key_compare, training},
    {Command::redraw, {"Z"}, Word::key_redraw, training},
    {Command::lessons, {"N"}, Word::key_lessons, lesson},
    {Command::lesson_on, {"PageDown"}, Word::key_lesson_on, lesson},
    {Command::lesson_back, {"PageUp"}, Word::key_lesson_on, lesson},
    {Command::lock, {"Enter"}, Word::key_lock, lesson},
    {Command::hint, {"Q"}, Word::key_hint, lesson},
    {Command::reveal, {"Y"}, Word::key_reveal, lesson},
    {Command::skip, {"Shift+PageDown"}, Word::key_skip, lesson},
    {Command::layout, {"O"}, Word::key_layout, look},
    {Command::values, {"V"}, Word::key_values, look},
    {Command::side_panel, {"A"}, Word::key_side_panel, look},
    {Command::theme, {"T"}, Word::key_theme, look},
    {Command::language, {"L"}, Word::key_language, look},
    {Command::larger, {"Ctrl+=", "Ctrl++"}, Word::key_size, look},
    {Command::smaller, {"Ctrl+-"}, Word::key_size, look},
    {Command::blank, {"B", "."}, Word::key_blank, lecture},
    {Command::full_screen, {"F5", "F11", "Shift+F5"}, Word::key_full_screen, lecture},
    {Command::share, {"Ctrl+C"}, Word::key_share, lecture},
    {Command::paste, {"Ctrl+V"}, Word::key_paste, lecture},
    {Command::picture, {"P"}, Word::key_picture, lecture},
    {Command::csv, {"E"}, Word::key_csv, lecture},
    {Command::help, {"?", "F1"}, Word::key_help, lecture},
    {Command::escape, {"Escape"}, Word::key_escape, lecture},
    {Command::quit, {"Ctrl+Q"}, Word::key_quit, lecture},
};

constexpr Word headings[key_group_count] = {
    Word::keys_time,     Word::keys_run,    Word::keys_select, Word::keys_diagram,
    Word::keys_training, Word::keys_lesson, Word::keys_look,   Word::keys_lecture};

constexpr std::string_view names[] = {
#define RINGSIDE_COMMAND(id) #id,
#include "viz/stage/commands.def"
#undef RINGSIDE_COMMAND
};

bool has_key(const Binding& binding, std::string_view key) {
  return std::ranges::count(binding.keys, key) > 0;
}

/// Up and Down serve the control that has the keys, and else the selection.
bool is_for_field(Command command) {
  return command == Command::raise || command == Command::lower;
}

/// What a clicker sends to go on, or a hand that looks for the way out.
bool goes_on(Command command) {
  return command == Command::step_forward || command == Command::step_back ||
         command == Command::play_pause || command == Command::lesson_on ||
         command == Command::lesson_back;
}

/// What such keys mean elsewhere is something else.
bool is_for_lesson(Command command) {
  using enum Command;
  constexpr Command all[] = {lesson_on, lesson_back, lock, hint, reveal, skip};
  return std::ranges::count(all, command) > 0;
}

std::optional<Command> command_of(std::string_view key, const Model& model) {
  std::optional<Command> found;
  for (const Binding& binding : table) {
    if (!has_key(binding, key)) continue;
    if (is_for_field(binding.command) && model.field.empty()) continue;
    if (is_for_lesson(binding.command) && (!model.lesson || !model.field.empty())) continue;
    found = binding.command;  // a field's and a lesson's meanings are the later ones
  }
  return found;
}

}  // namespace

Word heading(KeyGroup group) {
  return headings[static_cast<std::size_t>(group)];
}

std::span<const Binding> key_table() {
  return table;
}

Word words_of(Command command) {
  for (const Binding& binding : table)
    if (binding.command == command) return binding.what;
  return Word::key_menu;
}

std::string_view key_of(Command command) {
  for (const Binding& binding : table)
    if (binding.command == command) return binding.keys.front();
  return {};
}

std::span<const std::string_view> command_names() {
  return names;
}

Result<Command> parse_command(std::string_view name) {
  const auto found = std::ranges::find(names, name);
  if (found == std::end(names)) return bad_request(unknown("command", name, names));
  return static_cast<Command>(found - std::begin(names));
}

std::optional<Action> meaning(const Model& model, std::string_view key) {
  if (key.empty()) return std::nullopt;
  const auto command = command_of(key, model);
  if (command == Command::quit) return Command::quit;
  if (model.is_blank) return Command::blank;
  if (command && goes_on(*command)) {
    if (model.shows_help) return Command::help;
    if (model.shows_menu) return Command::menu;
    if (model.shows_lessons && model.lesson) return Command::lessons;
  }
  if (command) return *command;
  if (key.size() != 1 || key[0] < '0' || key[0] > '9') return std::nullopt;
  return Digit{static_cast<unsigned>(key[0] - '0')};
}

}  // namespace ringside::stage
