#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.hpp"
#include "core/units.hpp"

namespace ringside::nccl {

/// The processes that share out the ranks, one rank each, as one of them sees them. Alone, a
/// process has all ranks. All make the same calls in the same order.
struct Company {
  std::uint32_t rank = 0, size = 1;
  /// Every process's words, in order of rank: the same everywhere. An error if one of them is
  /// silent for `timeout`, or has left.
  std::function<Result<std::vector<std::string>>(std::string_view words, Duration timeout)> share;

  bool is_alone() const { return size == 1; }
};

/// As whoever started this process has it: mpirun and srun by MPI, where this build has it; any
/// launcher that tells ranks in the environment by files whose names begin with `id_file`, on a
/// disk that all see. No wait of joining or leaving by files lasts longer than `timeout`. Errors:
/// processes that have no way to meet.
Result<Company> find_company(const std::string& id_file, Duration timeout);

/// Whether this process writes the results.
bool is_first();
/// Whether it meets others by files; then it must leave() them.
bool has_joined();
/// The last thing that such a process does: as mpi::leave().
int leave(int status, std::string_view complaint);

}  // namespace ringside::nccl
