#include "viz/terminal/backends.hpp"

#include <algorithm>
#include <cstdio>
#include <vector>

#include "core/suggest.hpp"
#include "gpu/host/host_backend.hpp"

#ifdef RINGSIDE_HAS_CUDA
#include "gpu/cuda/cuda_backend.hpp"
#endif
#ifdef RINGSIDE_HAS_MPI
#include "gpu/mpi/mpi_backend.hpp"
#endif

namespace ringside::terminal {
namespace {

Result<std::unique_ptr<Backend>> reference() {
  return make_reference_backend();
}

Result<std::unique_ptr<Backend>> host_threads() {
  return make_host_backend();
}

#ifdef RINGSIDE_HAS_CUDA
Result<std::unique_ptr<Backend>> cuda_devices() {
  return make_cuda_backend({});
}
#endif

#ifdef RINGSIDE_HAS_MPI
Result<std::unique_ptr<Backend>> mpi_processes() {
  RS_ASSIGN(auto backend, make_mpi_backend());
  if (mpi::processes() == 1)
    std::fputs(
        "ringside: mpi has one process here, so there is one rank; for four: mpirun -n 4 ringside "
        "... --backend mpi\n",
        stderr);
  return backend;
}
#endif

constexpr BackendEntry here[] = {
    {"sim", "links as the flow or the stream model shares them; no data moves", nullptr},
    {"reference", "one thread moves and reduces real data, in told order", reference},
    {"host", "every rank a thread of this process, real data, fast", host_threads},
#ifdef RINGSIDE_HAS_CUDA
    {"cuda", "a rank is a GPU of this machine, or shares one; real data", cuda_devices},
#endif
#ifdef RINGSIDE_HAS_MPI
    {"mpi", "a rank is a process of mpirun's or srun's; real data, any schedule", mpi_processes},
#endif
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

Result<std::uint32_t> choose_ranks(const Backend& backend, std::uint32_t asked,
                                   std::uint32_t usual) {
  const auto has = backend.capabilities().ranks;
  if (has == 0) return asked > 0 ? asked : usual;
  if (asked == 0 || asked == has) return has;
  return bad_request("backend " + std::string(backend.name()) + " has " +
                     (has == 1 ? "one rank" : std::to_string(has) + " ranks") +
                     " here: leave --ranks away, or start it with mpirun -n " +
                     std::to_string(asked));
}

}  // namespace ringside::terminal
