#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/machine_memory.hpp"
#include "core/slot.hpp"
#include "core/story.hpp"
#include "core/zero_pages.hpp"

namespace ringside {

/// What those who hear a story remember of its slots: a word an output or scratch slot, all zero
/// at first. Inputs have none; in place they are outputs.
template <typename Word>
class SlotTable {
 public:
  /// Of the first `ranks` ranks.
  static std::uint64_t bytes(const Story& story, std::uint32_t ranks) {
    return std::uint64_t{ranks} * story.chunks * sizeof(Word);
  }
  static std::uint64_t bytes(const Story& story) { return bytes(story, story.participants()); }
  SlotTable(const Story& story, std::uint32_t ranks)
      : pages_(bytes(story, ranks)),
        outputs_(static_cast<Word*>(pages_.data())),
        chunks_(story.chunks),
        scratch_(ranks) {}
  explicit SlotTable(const Story& story) : SlotTable(story, story.participants()) {}
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

}  // namespace ringside
