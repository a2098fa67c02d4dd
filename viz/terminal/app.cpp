// The command line as a whole: which commands there are, and what is said when one is mistaken.

#include <CLI/CLI.hpp>
#include <algorithm>
#include <new>
#include <utility>

#include "core/suggest.hpp"
#include "viz/terminal/command.hpp"
#include "viz/terminal/processes.hpp"

namespace ringside::terminal {
namespace {

constexpr int exit_wrong_request = 2;

int exit_status(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::wrong:
      return 1;
    case ErrorKind::request:
      return exit_wrong_request;
    case ErrorKind::machine:
      return 3;
  }
  return 1;
}

int complain(std::string message, int status) {
  return leave(status, std::move(message));
}

/// The subcommand the user was in when parsing failed: the deepest one named.
const CLI::App& deepest(const CLI::App& app) {
  const auto given = app.get_subcommands();
  return given.empty() ? app : deepest(*given.front());
}

/// As it is typed: `schedule check`.
std::string path(const CLI::App& command) {
  const CLI::App* const parent = command.get_parent();
  if (parent == nullptr || parent->get_parent() == nullptr) return command.get_name();
  return path(*parent) + " " + command.get_name();
}

std::vector<std::string> words(const CLI::App& app, bool flags) {
  std::vector<std::string> known;
  if (flags)
    for (const CLI::Option* option : app.get_options()) {
      for (const auto& name : option->get_lnames()) known.push_back("--" + name);
      for (const auto& name : option->get_snames()) known.push_back("-" + name);
    }
  else
    for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; }))
      known.push_back(command->get_name());
  return known;
}

/// What was not understood, and the nearest thing that would have been.
std::string explain_extra(const CLI::App& app) {
  const CLI::App& command = deepest(app);
  std::string extra;
  for (const auto& word : app.remaining(true))
    if (extra.empty()) extra = word;
  const bool flag = extra.starts_with('-');
  const auto known = words(command, flag);
  const std::vector<std::string_view> views(known.begin(), known.end());
  if (flag || !known.empty()) {
    const auto bare = flag ? extra.substr(0, extra.find('=')) : extra;
    const auto guess = bare.size() > 2 ? nearest(bare, views) : "";  // -x is near to every -y
    std::string text = "there is no " + std::string(flag ? "option " : "command ") +
                       (flag ? bare.substr(0, 64) : in_quotes(bare));
    if (&command != &app) text += " in " + path(command);
    if (!guess.empty()) return text + "; did you mean " + std::string(guess) + "?";
    return text + "; ringside " + (&command != &app ? path(command) + " " : "") +
           "--help lists what there is";
  }
  return path(command) + " takes no further argument, but got " + in_quotes(extra);
}

/// What is missing, in the words of its own help.
std::string explain_missing(const CLI::App& command) {
  const auto options = command.get_options();
  for (const CLI::Option* option : options)
    if (option->get_required() && option->count() == 0)
      return path(command) + " needs " + option->get_name() + ": " + option->get_description();
  std::string text = path(command) + " needs a command:";
  for (const auto& name : words(command, false)) text += " " + name;
  return text;
}

/// `bogus --help`: there is no such command to help with.
bool names_no_command(const CLI::App& app) {
  const auto rest = app.remaining(true);
  const bool has_word =
      std::any_of(rest.begin(), rest.end(), [](const std::string& word) { return word[0] != '-'; });
  return has_word && !words(deepest(app), false).empty();
}

int parse_failed(CLI::App& app, const CLI::ParseError& error) {
  if (error.get_exit_code() == 0)  // --help, --version
    return names_no_command(app) ? complain(explain_extra(app), exit_wrong_request)
                                 : app.exit(error);
  const bool is_required = dynamic_cast<const CLI::RequiredError*>(&error) != nullptr;
  if (dynamic_cast<const CLI::ExtrasError*>(&error) ||
      (is_required && !app.remaining(true).empty()))
    return complain(explain_extra(app), exit_wrong_request);
  const CLI::App& command = deepest(app);
  std::string message = error.what();
  if (is_required) message = explain_missing(command);
  if (dynamic_cast<const CLI::ArgumentMismatch*>(&error))
    message = message.substr(0, message.find(':')) + " needs a value";
  if (&command != &app) message += " (ringside " + path(command) + " --help shows how)";
  return complain(message, exit_wrong_request);
}

}  // namespace

int run_command_line(int argc, const char* const* argv) {
  CLI::App app{
      "Ringside: a laboratory for collective communication.\n"
      "Start with: ringside demo"};
  app.name("ringside");
  app.set_version_flag("--version", RINGSIDE_VERSION);
  app.get_formatter()->label("UINT", "N");
  app.require_subcommand(0, 1);
  Job chosen;
  for (const auto add : {add_demo, add_list, add_topo, add_simulate, add_step, add_view, add_run,
                         add_verify, add_compare, add_calibrate, add_schedule, add_trace, add_train,
                         add_scale, add_export, add_learn, add_grade, add_completion})
    add(app, chosen);

  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return parse_failed(app, error);
  }
  if (!chosen) chosen = can_open_window() ? open_window : demo;
  try {
    const auto status = chosen();
    return status ? leave(*status, "")
                  : complain(status.error().message, exit_status(status.error().kind));
  } catch (const std::bad_alloc&) {
    return complain(
        "this machine has too little memory for that; ask for fewer ranks or chunks, "
        "or for smaller sizes",
        3);
  }
}

}  // namespace ringside::terminal
