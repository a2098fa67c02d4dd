#pragma once

#include <cstdint>

#include "core/slot.hpp"

namespace ringside {

enum class Action : std::uint8_t { copy, reduce };

/// The atom: `chunks` consecutive slots travel as one message from `src` to `dst`, on the same rank
/// or another.
///   copy:   dst = src
///   reduce: dst = with (op) src; `with` lies on dst's rank, and is dst unless told otherwise.
/// Packed into 24 bytes: stories of a hundred thousand ranks stream through caches.
class Transfer {
 public:
  static constexpr std::uint32_t max_ranks = 1u << 20;
  static constexpr std::uint32_t max_channels = 1u << 10;

  constexpr Transfer() = default;
  static constexpr Transfer copy(Slot from, Slot to, std::uint32_t chunks, ChannelId channel) {
    return Transfer(from, to, to, chunks, Action::copy, channel);
  }
  // NOLINTNEXTLINE(readability-function-size): a three-address transfer names three slots
  static constexpr Transfer reduce(Slot from, Slot with, Slot into, std::uint32_t chunks,
                                   ChannelId channel) {
    return Transfer(from, with, into, chunks, Action::reduce, channel);
  }

  constexpr Slot src() const { return slot(src_rank_, src_buffer_, src_chunk_); }
  /// The operand of a reduce; equals dst() for a copy.
  constexpr Slot with() const { return slot(dst_rank_, with_buffer_, with_chunk_); }
  constexpr Slot dst() const { return slot(dst_rank_, dst_buffer_, dst_chunk_); }
  constexpr std::uint32_t chunks() const { return chunks_; }
  constexpr Action action() const { return static_cast<Action>(action_); }
  constexpr ChannelId channel() const { return {static_cast<std::uint32_t>(channel_)}; }
  constexpr bool is_local() const { return src_rank_ == dst_rank_; }
  /// A reduce whose operand is not its own target.
  constexpr bool has_separate_operand() const {
    return action() == Action::reduce && with() != dst();
  }

 private:
  static constexpr Slot slot(std::uint64_t rank, std::uint64_t buffer, std::uint32_t chunk) {
    return {{static_cast<std::uint32_t>(rank)}, static_cast<Buffer>(buffer), {chunk}};
  }
  // NOLINTNEXTLINE(readability-function-size)
  constexpr Transfer(Slot src, Slot with, Slot dst, std::uint32_t chunks, Action action,
                     ChannelId channel)
      : src_rank_(src.rank.value),
        dst_rank_(dst.rank.value),
        channel_(channel.value),
        src_buffer_(static_cast<unsigned>(src.buffer)),
        with_buffer_(static_cast<unsigned>(with.buffer)),
        dst_buffer_(static_cast<unsigned>(dst.buffer)),
        action_(static_cast<unsigned>(action)),
        src_chunk_(src.chunk.value),
        with_chunk_(with.chunk.value),
        dst_chunk_(dst.chunk.value),
        chunks_(chunks) {}

  std::uint64_t src_rank_ : 20 = 0;
  std::uint64_t dst_rank_ : 20 = 0;
  std::uint64_t channel_ : 10 = 0;
  std::uint64_t src_buffer_ : 2 = 0;
  std::uint64_t with_buffer_ : 2 = 0;
  std::uint64_t dst_buffer_ : 2 = 0;
  std::uint64_t action_ : 1 = 0;
  std::uint32_t src_chunk_ = 0;
  std::uint32_t with_chunk_ = 0;
  std::uint32_t dst_chunk_ = 0;
  std::uint32_t chunks_ = 1;
};
static_assert(sizeof(Transfer) == 24);

}  // namespace ringside
