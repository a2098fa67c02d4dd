#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/machine_memory.hpp"
#include "core/slot.hpp"
#include "core/story.hpp"
#include "sim/models/zero_pages.hpp"

// What a told story must remember of its slots. A word a slot, all zero at first: written at time
// 0, used by nobody. Inputs that are never written need none.

namespace ringside::sim::models {

/// When a slot was written, and whether it has been used since.
struct BriefWord {
  std::uint64_t written_and_used = 0;
  std::int64_t written() const { return static_cast<std::int64_t>(written_and_used >> 1); }
  bool is_used() const { return written_and_used & 1; }
  void use(std::int64_t) { written_and_used |= 1; }
  void write(std::int64_t when) { written_and_used = static_cast<std::uint64_t>(when) << 1; }
};

/// When it was written, and the latest use since.
struct FullWord {
  std::int64_t at = 0, last = 0;
  std::int64_t written() const { return at; }
  std::int64_t last_touched() const { return last; }
  void use(std::int64_t when) { last = last < when ? when : last; }
  void write(std::int64_t when) { at = last = when; }
};

/// The words of all slots.
template <typename Word>
class SlotTimes {
 public:
  static std::uint64_t bytes(const Story& story) {
    return std::uint64_t{story.participants()} * story.chunks * sizeof(Word);
  }
  explicit SlotTimes(const Story& story)
      : pages_(bytes(story)),
        outputs_(static_cast<Word*>(pages_.data())),
        chunks_(story.chunks),
        scratch_(story.participants()) {}
  bool has_room() const { return outputs_ != nullptr; }

  /// Makes room for scratch slots up to `end`; false if there is none.
  bool reach(Slot slot, std::uint32_t chunks) {
    auto& words = scratch_[slot.rank.value];
    const auto end = std::size_t{slot.chunk.value} + chunks;
    if (end <= words.size()) return true;
    scratch_words_ += end - words.size();
    if (scratch_words_ * sizeof(Word) > asked_for_) {
      asked_for_ = 2 * scratch_words_ * sizeof(Word);
      if (!check_memory({asked_for_}, "")) return false;
    }
    words.resize(end);
    return true;
  }
  /// Of an output slot, or of a scratch slot that reach() has made room for.
  Word* at(Slot slot) {
    if (slot.buffer == Buffer::scratch) return scratch_[slot.rank.value].data() + slot.chunk.value;
    return outputs_ + std::size_t{slot.rank.value} * chunks_ + slot.chunk.value;
  }

  /// The slot will be asked for soon. It need not exist.
  void fetch(Slot slot) const {
    __builtin_prefetch(outputs_ + std::size_t{slot.rank.value} * chunks_ + slot.chunk.value, 1);
  }

 private:
  ZeroPages pages_;
  Word* outputs_;
  std::size_t chunks_;
  std::vector<std::vector<Word>> scratch_;  // by rank
  std::uint64_t scratch_words_ = 0, asked_for_ = 0;
};

}  // namespace ringside::sim::models
