#pragma once

#include <functional>
#include <string>

#include "core/result.hpp"

namespace CLI {
class App;
}

namespace ringside::terminal {

/// What a parsed command line asks for: run it to get the exit status (0 done and right, 1
/// something is wrong), or the error that says why it cannot be done.
using Job = std::function<Result<int>()>;

/// What `ringside` alone does: the demo, as for people ...
Result<int> demo();
/// ... where there is a display to show it on: the window. Does not return once it is open.
bool can_open_window();
Result<int> open_window();

/// Adds one subcommand to `app`; when the user gives it, parsing sets `chosen` to its action.
/// One command a file: commands/NAME.cpp.
void add_demo(CLI::App& app, Job& chosen);
void add_list(CLI::App& app, Job& chosen);
void add_topo(CLI::App& app, Job& chosen);
void add_simulate(CLI::App& app, Job& chosen);
void add_step(CLI::App& app, Job& chosen);
void add_view(CLI::App& app, Job& chosen);
void add_run(CLI::App& app, Job& chosen);
void add_verify(CLI::App& app, Job& chosen);
void add_compare(CLI::App& app, Job& chosen);
void add_calibrate(CLI::App& app, Job& chosen);
void add_schedule(CLI::App& app, Job& chosen);
void add_trace(CLI::App& app, Job& chosen);
void add_train(CLI::App& app, Job& chosen);
void add_scale(CLI::App& app, Job& chosen);
void add_export(CLI::App& app, Job& chosen);
void add_learn(CLI::App& app, Job& chosen);
void add_grade(CLI::App& app, Job& chosen);
void add_completion(CLI::App& app, Job& chosen);

/// Parses and runs a whole command line. Returns the exit status of the program.
int run_command_line(int argc, const char* const* argv);

}  // namespace ringside::terminal
