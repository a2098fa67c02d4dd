#pragma once

#include <string>

namespace ringside::terminal {

// mpirun starts a program several times. One of the processes speaks for all.

/// Whether this process writes results: files too.
bool is_first_process();

/// The last thing the program does. All processes return the worst status of any; one of them says
/// the first complaint, if there is one, in one line on standard error: what a user or a file
/// smuggled into it does not command the terminal.
int leave(int status, std::string complaint);

}  // namespace ringside::terminal
