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

  constexpr Slot src() const { return slot(ends_, src_buffer_at, src_chunk_); }
  /// The operand of a reduce; equals dst() for a copy.
  constexpr Slot with() const { return slot(ends_ >> rank_bits, with_buffer_at, with_chunk_); }
  constexpr Slot dst() const { return slot(ends_ >> rank_bits, dst_buffer_at, dst_chunk_); }
  constexpr std::uint32_t chunks() const { return chunks_; }
  constexpr Action action() const { return static_cast<Action>(ends_ >> action_at); }
  constexpr ChannelId channel() const {
    return {static_cast<std::uint32_t>(ends_ >> channel_at & (max_channels - 1))};
  }
  /// Source, target and channel as one number: equal for transfers of one connection.
  constexpr std::uint64_t connection() const {
    return ends_ & ((std::uint64_t{1} << src_buffer_at) - 1);
  }
  constexpr bool is_local() const { return src().rank == dst().rank; }
  /// A reduce whose operand is not its own target.
  constexpr bool has_separate_operand() const {
    return action() == Action::reduce && with() != dst();
  }
  /// The same where input and output are one buffer, called output.
  constexpr Transfer in_place() const {
    constexpr std::uint64_t lows = std::uint64_t{0b010101} << src_buffer_at;
    Transfer renamed = *this;  // a buffer is two bits, and input is 0
    renamed.ends_ |= ~(ends_ | ends_ >> 1) & lows;
    return renamed;
  }

 private:
  // ends_, from its lowest bit on: the ranks of source and target, the channel, the buffers of
  // source, operand and target, the action.
  static constexpr unsigned rank_bits = 20, channel_at = 40, src_buffer_at = 50,
                            with_buffer_at = 52, dst_buffer_at = 54, action_at = 56;

  constexpr Slot slot(std::uint64_t rank, unsigned buffer_at, std::uint32_t chunk) const {
    return {{static_cast<std::uint32_t>(rank & (max_ranks - 1))},
            static_cast<Buffer>(ends_ >> buffer_at & 3),
            {chunk}};
  }
  // NOLINTNEXTLINE(readability-function-size)
  constexpr Transfer(Slot src, Slot with, Slot dst, std::uint32_t chunks, Action action,
                     ChannelId channel)
      : ends_((src.rank.value & (max_ranks - 1)) |
              std::uint64_t{dst.rank.value & (max_ranks - 1)} << rank_bits |
              std::uint64_t{channel.value & (max_channels - 1)} << channel_at |
              static_cast<std::uint64_t>(src.buffer) << src_buffer_at |
              static_cast<std::uint64_t>(with.buffer) << with_buffer_at |
              static_cast<std::uint64_t>(dst.buffer) << dst_buffer_at |
              static_cast<std::uint64_t>(action) << action_at),
        src_chunk_(src.chunk.value),
        with_chunk_(with.chunk.value),
        dst_chunk_(dst.chunk.value),
        chunks_(chunks) {}

  std::uint64_t ends_ = 0;
  std::uint32_t src_chunk_ = 0;
  std::uint32_t with_chunk_ = 0;
  std::uint32_t dst_chunk_ = 0;
  std::uint32_t chunks_ = 1;
};
static_assert(sizeof(Transfer) == 24);

}  // namespace ringside
