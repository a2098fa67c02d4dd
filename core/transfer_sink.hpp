#pragma once

#include <array>
#include <span>

#include "core/assert.hpp"
#include "core/transfer.hpp"

namespace ringside {

/// Where an algorithm tells its story. One story serves everything: it builds a Schedule, or
/// streams into the simulator without ever being stored.
///
/// The rule of a step: all reads of a step see the slots as they were before that step; writes of
/// one step to one slot apply in told order (reduces whose operand is their target accumulate in
/// that order; any other operand is read as before the step). A rule about values, not time: a step
/// is never a barrier.
class TransferSink {
 public:
  virtual ~TransferSink() = default;

  /// How many of N ranks are listened to, from rank 0 on: what the others send need not be told
  /// (core/orbit.hpp), and is let pass where it is.
  std::uint32_t heard(std::uint32_t ranks) const { return ranks < heard_ ? ranks : heard_; }
  bool hears_all() const { return heard_ == UINT32_MAX; }

  /// A transfer from another story; one of no chunks is not told.
  void add(const Transfer& transfer) {
    if (transfer.chunks() == 0) return;
    block_[filled_++] = transfer;
    if (filled_ == block_size) flush();
  }
  void copy(Slot from, Slot to, std::uint32_t chunks = 1, std::uint32_t channel = 0) {
    add(Transfer::copy(from, to, chunks, {channel}));
  }
  /// into = with (op) from. `with` must lie on into's rank.
  // NOLINTNEXTLINE(readability-function-size): three slots
  void reduce(Slot from, Slot with, Slot into, std::uint32_t chunks = 1,
              std::uint32_t channel = 0) {
    RS_ASSERT(with.rank == into.rank, "the operand of a reduce lies on the rank of its target");
    add(Transfer::reduce(from, with, into, chunks, {channel}));
  }
  /// into = into (op) from.
  void reduce(Slot from, Slot into, std::uint32_t chunks = 1, std::uint32_t channel = 0) {
    reduce(from, into, into, chunks, channel);
  }
  void next_step() {
    flush();
    ++step_.value;
  }
  /// Hands over what is left; the teller's caller says so once, at the end.
  void finish() { flush(); }

 protected:
  TransferSink() = default;
  explicit TransferSink(std::uint32_t heard) : heard_(heard) {}

  /// One block of consecutive transfers of one step. Blocks come in told order; a step may come in
  /// several.
  virtual void consume(std::span<const Transfer> block, Step step) = 0;

 private:
  void flush() {
    if (filled_ > 0) consume(std::span(block_).first(filled_), step_);
    filled_ = 0;
  }

  static constexpr std::size_t block_size = 1024;
  std::array<Transfer, block_size> block_;
  std::size_t filled_ = 0;
  Step step_{0};
  std::uint32_t heard_ = UINT32_MAX;
};

}  // namespace ringside
