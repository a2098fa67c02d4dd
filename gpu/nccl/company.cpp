#include "gpu/nccl/company.hpp"

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <optional>

#include "gpu/nccl/meeting_files.hpp"

#ifdef RINGSIDE_HAS_MPI
#include "gpu/mpi/world.hpp"
#endif

namespace ringside::nccl {
namespace {

std::unique_ptr<MeetingFiles> the_files;  // a process meets others in one place
Duration to_leave{};

struct Launched {
  std::uint32_t rank = 0, size = 1;
};

std::optional<std::uint32_t> number_of(const char* variable) {
  const char* const text = std::getenv(variable);
  if (text == nullptr) return std::nullopt;
  std::uint32_t value = 0;
  const auto [end, error] = std::from_chars(text, text + std::strlen(text), value);
  if (error != std::errc() || *end != '\0') return std::nullopt;
  return value;
}

/// What the launcher says in the environment: torchrun, Open MPI's mpirun, srun, others' mpirun.
std::optional<Launched> launched() {
  constexpr const char* variables[][2] = {{"RANK", "WORLD_SIZE"},
                                          {"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"},
                                          {"SLURM_PROCID", "SLURM_STEP_NUM_TASKS"},
                                          {"PMI_RANK", "PMI_SIZE"}};
  for (const auto& [rank_variable, size_variable] : variables) {
    const auto rank = number_of(rank_variable), size = number_of(size_variable);
    if (rank && size && *rank < *size) return Launched{*rank, *size};
  }
  return std::nullopt;
}

Result<Company> meet_by_files(const std::string& id_file, const Launched& mine, Duration timeout) {
  RS_ASSIGN(auto files, MeetingFiles::join(id_file, mine.rank, mine.size, timeout));
  to_leave = timeout;
  the_files = std::make_unique<MeetingFiles>(std::move(files));
  return Company{mine.rank, mine.size, [](std::string_view words, Duration limit) {
                   return the_files->share(words, limit);
                 }};
}

Company alone() {
  return {0, 1, [](std::string_view words, Duration) -> Result<std::vector<std::string>> {
            return std::vector<std::string>{std::string(words)};
          }};
}

}  // namespace

Result<Company> find_company(const std::string& id_file, Duration timeout) {
  const auto mine = launched();
  if (!id_file.empty()) {
    if (mine) return meet_by_files(id_file, *mine, timeout);
    return bad_request(
        "--id-file is for one process a GPU: torchrun, srun or mpirun start them and tell each its "
        "rank (RANK and WORLD_SIZE, ...)");
  }
  if (!mine || mine->size == 1) return alone();
#ifdef RINGSIDE_HAS_MPI
  if (std::getenv("TORCHELASTIC_RUN_ID") == nullptr) {
    RS_ASSIGN(mpi::World* const world, mpi::World::join());
    if (world->size() == mine->size)
      return Company{world->rank(), world->size(), [world](std::string_view words, Duration limit) {
                       return world->share(words, limit);
                     }};
  }
#endif
  return bad_request("there are " + std::to_string(mine->size) +
                     " processes, but no MPI joins them: --id-file FILE, on a disk that all see, "
                     "lets them meet");
}

bool is_first() {
  return !the_files || the_files->rank() == 0;
}

bool has_joined() {
  return the_files != nullptr;
}

int leave(int status, std::string_view complaint) {
  const auto all = the_files->leave({status, std::string(complaint)}, to_leave);
  const bool speaks = the_files->rank() == 0;
  the_files.reset();
  if (speaks && !all.complaint.empty())
    std::fprintf(stderr, "ringside: %s\n", all.complaint.c_str());
  return all.status;
}

}  // namespace ringside::nccl
