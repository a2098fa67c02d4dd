#include "gpu/mpi/shared_window.hpp"

#include <new>
#include <string>

#include "gpu/mpi/world.hpp"

namespace ringside::mpi {
namespace {

SharedWindow* kept = nullptr;  // as MPI itself, one for the whole process

}  // namespace

Result<SharedWindow*> SharedWindow::of(World& world, Duration timeout) {
  if (kept != nullptr) return kept;
  MPI_Comm here = MPI_COMM_NULL;
  MPI_Comm_split_type(world.data(), MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &here);
  int size = 0;
  MPI_Comm_size(here, &size);
  MPI_Comm_free(&here);
  RS_ASSIGN(const auto sizes, world.share(std::to_string(size), timeout));
  for (const auto& said : sizes)
    if (said != std::to_string(world.size()))
      return machine_lacks(
          "executor window needs all ranks on one machine; messages reach several");
  static SharedWindow window(world);
  return kept = &window;
}

SharedWindow::SharedWindow(World& world) : world_(world) {
  const std::size_t bytes = 3 * line + 2 * half_bytes;
  void* mine = nullptr;
  MPI_Win_allocate_shared(static_cast<MPI_Aint>(bytes), 1, MPI_INFO_NULL, world.data(), &mine,
                          &window_);
  for (std::uint32_t rank = 0; rank < world.size(); ++rank) {
    MPI_Aint size = 0;
    int unit = 0;
    void* base = nullptr;
    MPI_Win_shared_query(window_, static_cast<int>(rank), &size, &unit, &base);
    auto* const at = static_cast<std::byte*>(base);
    auto* const mark = rank == world.rank() ? new (at) std::atomic<std::uint64_t>(0)
                                            : reinterpret_cast<std::atomic<std::uint64_t>*>(at);
    marks_.push_back(mark);
    rooms_.push_back(at + 3 * line);
    if (rank == 0) counters_ = at + line;
    if (rank == 0 && world.rank() == 0)
      for (const std::size_t turn : {0, 1})
        new (counters_ + turn * line) std::atomic<std::uint64_t>(0);
  }
  static_assert(std::atomic<std::uint64_t>::is_always_lock_free);
  MPI_Barrier(world.data());  // every mark is 0 before anyone moves it
}

void SharedWindow::free_kept() {
  if (kept != nullptr) MPI_Win_free(&kept->window_);
  kept = nullptr;
}

std::atomic<std::uint64_t>& SharedWindow::fresh_counter() {
  ++turn_;
  // The other one is at rest: all have met since it was used, and will meet before it is used
  // again.
  if (world_.rank() == 0) counter(turn_ + 1).store(0, std::memory_order_relaxed);
  return counter(turn_);
}

Result<void> SharedWindow::meet(Duration timeout) {
  ++met_;
  mark(world_.rank()).store(met_, std::memory_order_release);
  Patience patience(world_, timeout);
  for (std::uint32_t step = 1; step < world_.size(); ++step) {
    const auto rank = (world_.rank() + step) % world_.size();
    while (mark(rank).load(std::memory_order_acquire) < met_)
      if (patience.is_over())
        return tl::unexpected<Error>(world_.give_up(
            {{rank, "rank " + std::to_string(rank) + " has not come as far as the others"}},
            patience.waited()));
    patience.refresh();
  }
  return {};
}

}  // namespace ringside::mpi
