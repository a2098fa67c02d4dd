#include "gpu/mpi/clocks.hpp"

#include <chrono>
#include <cstdint>
#include <string>

namespace ringside::mpi {
namespace {

constexpr int questions = 100;
constexpr int tag = 0;

Result<void> finish(World& world, MPI_Request request, int peer, Duration timeout) {
  int done = 0;
  for (Patience patience(world, timeout);;) {
    MPI_Test(&request, &done, MPI_STATUS_IGNORE);
    if (done != 0) return {};
    if (patience.is_over())
      return tl::unexpected<Error>(
          world.give_up({{static_cast<std::uint32_t>(peer),
                          "rank " + std::to_string(peer) + " has not said what time it is"}},
                        patience.waited()));
  }
}

Result<void> tell(World& world, int peer, Duration timeout) {
  const std::int64_t time = clock_now().picoseconds;
  MPI_Request request{};
  MPI_Isend(&time, 1, MPI_INT64_T, peer, tag, world.data(), &request);
  return finish(world, request, peer, timeout);
}

Result<Duration> hear(World& world, int peer, Duration timeout) {
  std::int64_t time = 0;
  MPI_Request request{};
  MPI_Irecv(&time, 1, MPI_INT64_T, peer, tag, world.data(), &request);
  RS_TRY(finish(world, request, peer, timeout));
  return Duration{time};
}

}  // namespace

TimePoint clock_now() {
  const auto since = std::chrono::steady_clock::now().time_since_epoch();
  return nanoseconds(std::chrono::duration_cast<std::chrono::nanoseconds>(since).count());
}

Result<ClockOffset> clock_offset(World& world, Duration timeout) {
  RS_TRY(world.meet(timeout));
  ClockOffset best{{}, forever};
  for (std::uint32_t other = 1; other < world.size(); ++other) {
    if (world.rank() != 0 && world.rank() != other) continue;
    const int peer = world.rank() == 0 ? static_cast<int>(other) : 0;
    for (int i = 0; i < questions; ++i) {
      if (world.rank() == 0) {
        RS_TRY(hear(world, peer, timeout));
        RS_TRY(tell(world, peer, timeout));
        continue;
      }
      const auto asked = clock_now();
      RS_TRY(tell(world, peer, timeout));
      RS_ASSIGN(const auto theirs, hear(world, peer, timeout));
      const auto half = (clock_now() - asked).picoseconds / 2;
      if (half < best.error.picoseconds) best = {theirs - asked - Duration{half}, {half}};
    }
  }
  RS_TRY(world.meet(timeout));
  // What may be one clock, as on one machine, is one.
  const auto apart = best.offset < Duration{} ? Duration{} - best.offset : best.offset;
  if (world.rank() == 0) return ClockOffset{};
  if (apart <= best.error) best.offset = {};
  return best;
}

}  // namespace ringside::mpi
