#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

#include "core/schedule.hpp"

// Bookkeeping of those who retell a schedule slot by slot.

namespace ringside {

/// Numbers the slots of all ranks: each rank's input and output chunks, then as much scratch as
/// transfers name on it.
class SlotIndex {
 public:
  explicit SlotIndex(const Schedule& schedule)
      : chunks_(schedule.chunks()), first_(std::size_t{schedule.participants()} + 1, 2 * chunks_) {
    first_[0] = 0;
    for (const Transfer& t : schedule.transfers())
      for (const Slot& slot : {t.src(), t.with(), t.dst()})
        if (slot.buffer == Buffer::scratch) {
          auto& room = first_[slot.rank.value + 1];
          room = std::max(room, 2 * chunks_ + slot.chunk.value + t.chunks());
        }
    std::partial_sum(first_.begin(), first_.end(), first_.begin());
  }
  /// The `nth` slot from `slot` on.
  std::size_t operator()(const Slot& slot, std::uint32_t nth = 0) const {
    return first_[slot.rank.value] + static_cast<std::size_t>(slot.buffer) * chunks_ +
           slot.chunk.value + nth;
  }
  /// False for scratch that no transfer names on that rank: it has no number.
  bool contains(const Slot& slot) const {
    return slot.buffer != Buffer::scratch || (*this)(slot) < first_[slot.rank.value + 1];
  }
  std::size_t size() const { return first_.back(); }

 private:
  std::size_t chunks_;
  std::vector<std::size_t> first_;  // by rank
};

/// What each slot remembers: who wrote it last, and who has used that value since, as a source
/// (until its read) or as the operand of a reduce (until its commit).
class SlotHistory {
 public:
  static constexpr std::uint32_t nobody = UINT32_MAX;
  struct Use {
    std::uint32_t by, older;
    bool as_operand;
  };

  explicit SlotHistory(std::size_t slots) : writer_(slots, nobody), newest_(slots, nobody) {}

  std::uint32_t writer(std::size_t slot) const { return writer_[slot]; }
  void used(std::size_t slot, std::uint32_t by, bool as_operand) {
    const Use use{by, newest_[slot], as_operand};
    if (free_ == nobody) {
      newest_[slot] = static_cast<std::uint32_t>(uses_.size());
      uses_.push_back(use);
    } else {
      newest_[slot] = std::exchange(free_, uses_[free_].older);
      uses_[newest_[slot]] = use;
    }
  }
  /// Newest first.
  template <typename Visit>
  void for_each_use(std::size_t slot, Visit visit) const {
    for (auto u = newest_[slot]; u != nobody; u = uses_[u].older) visit(uses_[u]);
  }
  void written(std::size_t slot, std::uint32_t by) {
    writer_[slot] = by;
    for (auto u = newest_[slot]; u != nobody;) {
      const auto older = std::exchange(uses_[u].older, free_);
      free_ = std::exchange(u, older);
    }
    newest_[slot] = nobody;
  }

 private:
  std::vector<std::uint32_t> writer_, newest_;  // by slot
  std::vector<Use> uses_;
  std::uint32_t free_ = nobody;  // a list of uses that nobody asks for any more
};

}  // namespace ringside
