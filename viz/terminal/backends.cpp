#include "viz/terminal/backends.hpp"

#include <algorithm>
#include <vector>

#include "core/suggest.hpp"
#include "gpu/host/host_backend.hpp"

namespace ringside::terminal {
namespace {

constexpr BackendEntry here[] = {
    {"sim", "links as the flow or the stream model shares them; no data moves", nullptr},
    {"reference", "one thread moves and reduces real data, in told order", make_reference_backend},
    {"host", "every rank a thread of this process, real data, fast", make_host_backend},
};

/// Names that people will ask for and other builds may have.
constexpr std::string_view elsewhere[] = {"cuda", "nccl", "mpi"};

}  // namespace

std::span<const BackendEntry> backends() {
  return here;
}

Result<std::unique_ptr<Backend>> make_backend(const std::string& name) {
  for (const BackendEntry& entry : here) {
    if (entry.name != name) continue;
    if (entry.make != nullptr) return entry.make();
    return bad_request(name +
                       " moves no data, so there is none to compare; without --backend, schedules "
                       "are proven, and --backend reference runs them");
  }
  if (std::find(std::begin(elsewhere), std::end(elsewhere), name) == std::end(elsewhere)) {
    std::vector<std::string_view> names;
    for (const BackendEntry& entry : here) names.push_back(entry.name);
    return bad_request(unknown("backend", name, names));
  }
  return machine_lacks("this build has no " + name +
                       " backend; ringside list backends lists those it has");
}

}  // namespace ringside::terminal
