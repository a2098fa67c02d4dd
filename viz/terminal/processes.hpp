#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/backend.hpp"

namespace ringside::terminal {

// mpirun starts a program several times. One of the processes speaks for all.

/// Whether this process writes results: files too.
bool is_first_process();

/// This machine's name.
std::string host_name();
/// The machines of all processes that share a backend's ranks.
struct Hosts {
  std::vector<std::string> names;         ///< each once, in order of rank
  std::vector<std::uint32_t> of_process;  ///< which of them

  std::string list() const;  ///< `node0,node1`
};
/// All processes at the same time.
Result<Hosts> hosts_of(Backend& backend);

/// The last thing the program does. All processes return the worst status of any; one of them says
/// the first complaint, if there is one, in one line on standard error: what a user or a file
/// smuggled into it does not command the terminal.
int leave(int status, std::string complaint);

}  // namespace ringside::terminal
