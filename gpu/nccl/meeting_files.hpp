#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/farewell.hpp"
#include "core/result.hpp"
#include "core/units.hpp"

namespace ringside::nccl {

/// Processes that speak through files on a disk that all see. The first one makes FILE, with a
/// number that is this run's alone; what each then says is a file FILE.NUMBER.TURN.RANK, complete
/// when it appears, and removed when all have read it.
class MeetingFiles {
 public:
  /// Error: FILE is there before the first process made it, or does not appear within `timeout`.
  static Result<MeetingFiles> join(const std::string& file, std::uint32_t rank, std::uint32_t size,
                                   Duration timeout);

  std::uint32_t rank() const { return rank_; }
  /// Every process's words. An error: one is silent for too long, or has left.
  Result<std::vector<std::string>> share(std::string_view words, Duration timeout);
  /// All leave: returns the worst status, and the first complaint of all. Whoever was silent before
  /// is not waited for again. Nothing stays on the disk, here or where a signal ends this process.
  Farewell leave(const Farewell& mine, Duration timeout);

 private:
  Result<std::vector<std::string>> exchange(const std::string& letter, Duration timeout);
  void clean_up(Duration timeout);
  void remove_letters(std::uint32_t rank) const;
  std::string path(std::uint64_t turn, std::uint32_t rank) const;

  std::string file_, number_;
  std::uint32_t rank_ = 0, size_ = 1;
  std::uint64_t turn_ = 0;
  bool has_waited_in_vain_ = false;
};

}  // namespace ringside::nccl
