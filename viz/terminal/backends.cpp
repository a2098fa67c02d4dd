#include "viz/terminal/backends.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <cstdio>
#include <vector>

#include "core/suggest.hpp"
#include "gpu/host/host_backend.hpp"
#include "viz/scenario/flags.hpp"

#ifdef RINGSIDE_HAS_CUDA
#include "gpu/cuda/cuda_backend.hpp"
#endif
#ifdef RINGSIDE_HAS_NCCL
#include "gpu/nccl/nccl_backend.hpp"
#endif
#ifdef RINGSIDE_HAS_MPI
#include "gpu/mpi/mpi_backend.hpp"
#endif

namespace ringside::terminal {
namespace {

tl::unexpected<Error> id_file_is_for_nccl() {
  return bad_request("--id-file is for backend nccl");
}

/// Refuses what only GPUs can be told.
Result<void> takes_no_options(std::string_view name, const BackendOptions& options) {
  if (!options.id_file.empty()) return id_file_is_for_nccl();
  if (options.devices.empty() && options.ctas == 0 && options.threads == 0) return {};
  return bad_request("--devices, --ctas and --threads are for GPUs: backend " + std::string(name) +
                     " has none");
}

Result<std::unique_ptr<Backend>> reference(const BackendOptions& options) {
  RS_TRY(takes_no_options("reference", options));
  return make_reference_backend();
}

Result<std::unique_ptr<Backend>> host_threads(const BackendOptions& options) {
  RS_TRY(takes_no_options("host", options));
  return make_host_backend();
}

#ifdef RINGSIDE_HAS_CUDA
Result<std::vector<int>> parse_devices(const std::string& text) {
  std::vector<int> devices;
  const char* at = text.data();
  const char* const end = at + text.size();
  while (at != end) {
    int device = 0;
    const auto [rest, error] = std::from_chars(at, end, device);
    if (error != std::errc() || device < 0 || (rest != end && *rest != ',') || rest + 1 == end)
      return bad_request("--devices: " + in_quotes(text) +
                         " is not a list of GPU numbers, such as 0,2,3");
    devices.push_back(device);
    at = rest == end ? end : rest + 1;
  }
  return devices;
}

Result<std::unique_ptr<Backend>> cuda_devices(const BackendOptions& options) {
  if (!options.id_file.empty()) return id_file_is_for_nccl();
  RS_ASSIGN(auto devices, parse_devices(options.devices));
  return make_cuda_backend({std::move(devices), options.ctas, options.threads});
}
Result<void> cuda_usable() {
  RS_TRY(make_cuda_backend({}));
  return {};
}
#endif

#ifdef RINGSIDE_HAS_NCCL
Result<std::unique_ptr<Backend>> nccl_devices(const BackendOptions& options) {
  if (options.ctas != 0 || options.threads != 0)
    return bad_request(
        "--ctas and --threads are for executor kernel of backend cuda: NCCL_MAX_CTAS "
        "in the environment limits NCCL");
  RS_ASSIGN(auto devices, parse_devices(options.devices));
  return make_nccl_backend({std::move(devices), options.id_file, options.timeout});
}
#endif

#ifdef RINGSIDE_HAS_MPI
Result<std::unique_ptr<Backend>> mpi_processes(const BackendOptions& options) {
  RS_TRY(takes_no_options("mpi", options));
  RS_ASSIGN(auto backend, make_mpi_backend(options.timeout));
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
    {"cuda", "ranks on this machine's GPUs; real data, any schedule", cuda_devices, cuda_usable},
#endif
#ifdef RINGSIDE_HAS_NCCL
    {"nccl", "NCCL's own collectives, and any schedule by its send and receive", nccl_devices,
     cuda_usable},
#endif
#ifdef RINGSIDE_HAS_MPI
    {"mpi", "a rank is a process of mpirun's or srun's; real data, any schedule", mpi_processes},
#endif
};

/// What people will ask for and other builds may have.
struct Elsewhere {
  std::string_view name, summary;
};
constexpr Elsewhere elsewhere[] = {
    {"mpi", "a rank is a process of mpirun's or srun's; real data, any schedule"},
    {"cuda", "ranks on this machine's GPUs; real data, any schedule"},
    {"nccl", "NCCL's own collectives, and any schedule by its send and receive"},
};

const BackendEntry* find_here(std::string_view name) {
  const auto* const found = std::ranges::find(here, name, &BackendEntry::name);
  return found == std::end(here) ? nullptr : found;
}

std::string not_built(std::string_view name) {
  return "this build has no " + std::string(name) + " backend";
}

}  // namespace

std::vector<KnownBackend> known_backends() {
  std::vector<KnownBackend> all;
  for (const BackendEntry& entry : here) {
    all.push_back({entry.name, entry.summary, entry.make != nullptr});
    if (entry.check == nullptr) continue;
    if (const auto usable = entry.check(); !usable) all.back().lacks = usable.error().message;
  }
  for (const auto& [name, summary] : elsewhere)
    if (find_here(name) == nullptr) all.push_back({name, summary, true, false, not_built(name)});
  return all;
}

std::span<const BackendEntry> backends() {
  return here;
}

void BackendOptions::add_to(CLI::App& command) {
  command.add_option("--devices", devices, "GPUs by number, such as 0,2,3; default: all")
      ->check(scenario::not_empty());
  command
      .add_option("--id-file", id_file,
                  "nccl without MPI, a process a GPU: a new file that all see")
      ->check(scenario::not_empty());
  command.add_option("--ctas", ctas, "Executor kernel: thread blocks of each rank")
      ->check(scenario::whole_number(1, 1024));
  command.add_option("--threads", threads, "Executor kernel: threads of each block")
      ->check(scenario::whole_number(32, 1024));
}

bool BackendOptions::are_given() const {
  return !devices.empty() || !id_file.empty() || ctas > 0 || threads > 0;
}

Result<void> BackendOptions::check_for(const std::string& backend,
                                       const std::string& executor) const {
  if (backend != "cuda" || executor == "kernel" || (ctas == 0 && threads == 0)) return {};
  return bad_request(
      "--ctas and --threads are for executor kernel: add --executor kernel, or leave "
      "them away");
}

Result<std::unique_ptr<Backend>> make_backend(const std::string& name,
                                              const BackendOptions& options) {
  if (const BackendEntry* entry = find_here(name)) {
    if (entry->make != nullptr) return entry->make(options);
    return bad_request(name +
                       " moves no data that could be measured or compared: ringside simulate "
                       "predicts, verify without --backend proves, --backend host really runs");
  }
  if (std::ranges::find(elsewhere, name, &Elsewhere::name) == std::end(elsewhere)) {
    std::vector<std::string_view> names;
    for (const BackendEntry& entry : here) names.push_back(entry.name);
    return bad_request(unknown("backend", name, names));
  }
  return machine_lacks(not_built(name) + "; ringside list backends lists those it has");
}

Result<Duration> parse_timeout(const std::string& text) {
  RS_ASSIGN(const Duration timeout, scenario::of_flag("--timeout", parse_duration(text)));
  constexpr Duration least = microseconds(1000);
  if (timeout >= least) return timeout;
  return bad_request("--timeout " + text + ": no wait can be held to less than " +
                     to_string(least));
}

Result<std::uint32_t> choose_ranks(const Backend& backend, std::uint32_t asked,
                                   std::uint32_t usual) {
  const auto capabilities = backend.capabilities();
  const auto has = capabilities.ranks;
  if (capabilities.usual_ranks > 0) usual = capabilities.usual_ranks;
  if (has == 0) return asked > 0 ? asked : usual;
  if (asked == 0 || asked == has) return has;
  return bad_request("backend " + std::string(backend.name()) + " has " + counted(has, "rank") +
                     " here: leave the number away, or start it with mpirun -n " +
                     std::to_string(asked));
}

}  // namespace ringside::terminal
