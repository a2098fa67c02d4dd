#pragma once

#include <string>

#include "core/backend.hpp"

namespace ringside::terminal {

// mpirun starts a program several times. One of the processes speaks for all.

/// Whether this process writes results: files too.
bool is_first_process();

/// This machine's name.
std::string host_name();
/// The machines of all processes that share a backend's ranks, each once, in order of rank:
/// `node0,node1`. All of them at the same time.
Result<std::string> hosts_of(Backend& backend);

/// The last thing the program does. All processes return the worst status of any; one of them says
/// the first complaint, if there is one, in one line on standard error: what a user or a file
/// smuggled into it does not command the terminal.
int leave(int status, std::string complaint);

}  // namespace ringside::terminal
