#pragma once

#include <mpi.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/result.hpp"
#include "core/units.hpp"

namespace ringside::mpi {

class World;

/// Memory that all processes of one machine see: each has a room in it that it alone writes, in two
/// halves, and a mark that says how far it has come. Made once and kept.
class SharedWindow {
 public:
  static constexpr std::size_t half_bytes = 256 << 10;
  static constexpr std::size_t line = 128;  ///< of two caches, so that no mark shares one

  /// All processes at the same time. An error, the same everywhere: they are on several machines.
  static Result<SharedWindow*> of(World& world, Duration timeout);
  SharedWindow(const SharedWindow&) = delete;
  SharedWindow& operator=(const SharedWindow&) = delete;
  /// If there is one: all processes at the same time, before MPI ends.
  static void free_kept();

  /// Half 0 or 1 of a rank's room.
  std::byte* room(std::uint32_t rank, std::uint64_t half) const {
    return rooms_[rank] + (half % 2) * half_bytes;
  }
  /// Tells the others that this rank has come to its next mark, and waits for theirs. An error
  /// where one does not come.
  Result<void> meet(Duration timeout);
  /// All ranks, between the same two meetings: one counter for all of them, which stands at 0.
  std::atomic<std::uint64_t>& fresh_counter();

 private:
  explicit SharedWindow(World& world);
  std::atomic<std::uint64_t>& counter(std::uint64_t turn) const {
    return *reinterpret_cast<std::atomic<std::uint64_t>*>(counters_ + turn % 2 * line);
  }
  std::atomic<std::uint64_t>& mark(std::uint32_t rank) const { return *marks_[rank]; }

  World& world_;
  MPI_Win window_ = MPI_WIN_NULL;
  std::vector<std::byte*> rooms_;
  std::vector<std::atomic<std::uint64_t>*> marks_;
  std::byte* counters_ = nullptr;     // two in turn, each on a line of its own
  std::uint64_t met_ = 0, turn_ = 0;  // how often
};

}  // namespace ringside::mpi
