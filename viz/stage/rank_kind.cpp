#include "viz/stage/rank_kind.hpp"

#include <set>

namespace ringside::stage {

RankKind rank_kind(const Row& row, bool is_measured) {
  if (!is_measured) return RankKind::gpu;
  const auto backend = row.backend.substr(0, row.backend.find('/'));
  if (backend == "host") return RankKind::thread;
  if (backend == "mpi") return RankKind::process;
  if (backend != "cuda" && backend != "nccl") return RankKind::unknown;
  if (row.devices.empty()) return backend == "nccl" ? RankKind::gpu : RankKind::unknown;
  if (std::set(row.devices.begin(), row.devices.end()).size() < row.devices.size())
    return RankKind::virtual_gpu;
  for (std::uint32_t r = 0; r < row.devices.size(); ++r)
    if (row.devices[r] != r) return RankKind::on_gpu;
  return RankKind::gpu;
}

}  // namespace ringside::stage
