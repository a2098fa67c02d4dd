#include "viz/scenario/view_options.hpp"

#include "viz/scenario/fields.hpp"
#include "viz/scenario/flags.hpp"

namespace ringside::scenario {

namespace {

void add_lessons(CLI::App& command, ViewOptions& options) {
  const std::string teaching = "Lessons";
  command.add_option("--lesson", options.lesson, "A lesson by number or name, such as 3 or ring")
      ->check(not_empty())
      ->group(teaching);
  command.add_option("--beat", options.beat, "Where in it: a number from 1, or a name")
      ->check(not_empty())
      ->group(teaching);
  command.add_option("--seed", options.seed, "Of a lesson's numbers; 0 is the sample")
      ->check(whole_number(0, 1u << 31))
      ->group(teaching);
  command
      .add_flag("--present", options.present, "In front of a class: votes, notes in this terminal")
      ->group(teaching);
  command.add_option("--lessons", options.lessons, "A folder of lessons")
      ->check(not_empty())
      ->group(teaching);
  command.add_option("--ledger", options.ledger, "The file that progress is kept in")
      ->check(not_empty())
      ->group(teaching);
}

}  // namespace

void ViewOptions::add_to(CLI::App& command) {
  constexpr double most_scale = 4, longest_frame = 10;
  command.add_option("share", share, "A share string, such as 'ring?ranks=8&t=40us'");
  scenario.collective.add_to(command);
  scenario.collective.add_size_to(command, scenario.collective.bytes);
  scenario.system.add_machine_to(command, false);
  scenario.system.add_run_to(command);
  command.add_option("--mistake", scenario.mistake,
                     "Break the schedule, as wrong_neighbour:3 does");
  command.add_option("--trace", trace, "A trace file to play")->check(not_empty());
  command.add_option("--log", log, "Measured times beside the curves, such as nccl-tests' output")
      ->check(not_empty());
  command.add_flag("--beside", beside,
                   "And the simulation of that run beside it, on the machine that flags say");
  command.add_option("--t", t, "The moment it starts at, such as 40us");
  const std::string looks = "How it looks";
  command.add_option("--theme", theme, "dark or projector")->group(looks);
  command.add_option("--lang", language, "en or zh")->group(looks);
  command.add_option("--ui-scale", scale, "Everything this much larger, 1 to 4")
      ->check(CLI::Range(1., most_scale))
      ->group(looks);
  command.add_option("--monitor", monitor, "Fill this monitor, counted from 1")
      ->check(whole_number(1, 64))
      ->group(looks);
  command.add_option("--size", size, "Size of the window, such as 1280x720")->group(looks);
  add_lessons(command, *this);
  const std::string unattended = "Unattended";
  command.add_option("--script", script, "A file of user actions, carried out in order")
      ->check(not_empty())
      ->group(unattended);
  command.add_option("--dump-state", dump_state, "Write what is on the stage at the end (JSON)")
      ->check(not_empty())
      ->group(unattended);
  command.add_option("--shot", shot, "Write a picture of the window at the end (PNG)")
      ->check(not_empty())
      ->group(unattended);
  command.add_option("--record", record, "Write a film: .mp4, .gif, or a folder of PNG pictures")
      ->check(not_empty())
      ->group(unattended);
  command.add_flag("--bench", bench, "Measure frame times")->group(unattended);
  command.add_flag("--json", json, "Frame times as JSON")->group(unattended);
  command.add_flag("--exit", exit, "Close the window at the end")->group(unattended);
  command.add_option("--frame-dt", frame_dt, "Seconds that a frame takes, whatever it took")
      ->check(CLI::Range(1e-4, longest_frame))
      ->group(unattended);
}

Result<void> ViewOptions::read_share(const CLI::App& command) {
  given.clear();
  for (const std::string_view name : field_names()) {
    const auto flag = "--" + std::string(name == "redop" ? "op" : name);
    const CLI::Option* option = command.get_option_no_throw(flag);
    if (option == nullptr || option->count() == 0) continue;
    RS_ASSIGN(std::string value, field(scenario, name));
    given.emplace_back(name, std::move(value));
  }
  if (share.empty()) return {};
  RS_ASSIGN(Share read, parse_share_string(share));
  for (const auto& [name, value] : given) RS_TRY(set_field(read.scenario, name, value));
  scenario = std::move(read.scenario);
  extra = std::move(read.extra);
  return {};
}

}  // namespace ringside::scenario
