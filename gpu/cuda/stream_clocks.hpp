#pragma once

#include <cstdint>
#include <vector>

namespace ringside::cuda {

/// Knows what must have happened before an operation of a stream begins: what its stream did
/// before, what it waits for, and what that waited for (vector clocks; Mattern, "Virtual time and
/// global states of distributed systems", 1989). So it tells which waits are still needed.
/// Operations are numbered in the order in which they are enqueued.
class StreamClocks {
 public:
  /// `operations`: about how many there will be.
  explicit StreamClocks(std::size_t operations) : operations_(operations) {}

  /// A new stream's number.
  std::uint32_t add_stream();
  /// Enqueues the next operation on `stream`, to begin after all of `needed`, which this sorts.
  /// Returns those it must wait for; the others are implied.
  std::vector<std::uint32_t> enqueue(std::uint32_t stream, std::vector<std::uint32_t>& needed);

 private:
  /// By stream: the number of its last operation known to be over, plus one.
  using Clock = std::vector<std::uint32_t>;
  static void merge(Clock& into, const Clock& from);

  std::size_t operations_;
  std::vector<Clock> now_;                // by stream
  std::vector<Clock> at_end_;             // by operation
  std::vector<std::uint32_t> stream_of_;  // by operation
};

}  // namespace ringside::cuda
