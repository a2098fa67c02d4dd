#include "viz/terminal/processes.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string_view>
#include <thread>

#ifdef RINGSIDE_HAS_NCCL
#include "gpu/nccl/company.hpp"
#endif
#ifdef RINGSIDE_HAS_MPI
#include "gpu/mpi/mpi_backend.hpp"
#endif

namespace ringside::terminal {
namespace {

/// What launchers say of a process before it has asked: Open MPI's, and others that speak PMIx.
bool was_started_first() {
  for (const char* const variable : {"OMPI_COMM_WORLD_RANK", "PMIX_RANK"})
    if (const char* const rank = std::getenv(variable)) return std::string_view(rank) == "0";
  return true;
}

}  // namespace

bool is_first_process() {
#ifdef RINGSIDE_HAS_NCCL
  if (!nccl::is_first()) return false;
#endif
#ifdef RINGSIDE_HAS_MPI
  return mpi::is_first();
#else
  return true;
#endif
}

std::string host_name() {
  std::array<char, 256> name{};
  gethostname(name.data(), name.size() - 1);
  return name.data();
}

Result<Hosts> hosts_of(Backend& backend) {
  RS_ASSIGN(const auto names, backend.share(host_name()));
  Hosts hosts;
  for (const auto& name : names) {
    const auto at = std::find(hosts.names.begin(), hosts.names.end(), name);
    hosts.of_process.push_back(static_cast<std::uint32_t>(at - hosts.names.begin()));
    if (at == hosts.names.end()) hosts.names.push_back(name);
  }
  return hosts;
}

std::string Hosts::list() const {
  std::string all;
  for (const auto& name : names) all += (all.empty() ? "" : ",") + name;
  return all;
}

int leave(int status, std::string complaint) {
  for (char& c : complaint)
    if (static_cast<unsigned char>(c) < ' ' || c == 127) c = '?';
#ifdef RINGSIDE_HAS_NCCL
  if (nccl::has_joined()) return nccl::leave(status, complaint);
#endif
#ifdef RINGSIDE_HAS_MPI
  if (mpi::has_joined()) return mpi::leave(status, complaint);
#endif
  if (complaint.empty()) return status;
  if (was_started_first())
    std::fprintf(stderr, "ringside: %s\n", complaint.c_str());
  else  // mpirun ends all as soon as one fails: who speaks goes first
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
  return status;
}

}  // namespace ringside::terminal
