#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "core/element.hpp"
#include "core/ids.hpp"
#include "core/slot.hpp"
#include "core/units.hpp"

namespace ringside {

/// The collectives, named and defined as in NCCL and MPI.
enum class CollectiveKind : std::uint8_t {
  all_reduce,
  reduce_scatter,
  all_gather,
  all_to_all,
  broadcast,
  reduce,
  gather,
  scatter,
  send_recv,
  barrier,
};
inline constexpr std::size_t collective_count = 10;

/// What must become true, without sizes: enough to tell and to prove a schedule.
struct CollectiveSpec {
  CollectiveKind kind = CollectiveKind::all_reduce;
  std::uint32_t ranks = 1;  ///< N >= 1, agents not counted
  Rank root{0};             ///< meaningful only where has_root(kind)
  bool in_place = false;    ///< input slots are output slots; refused where !may_be_in_place(kind)
};

std::string_view name(CollectiveKind kind);  ///< `all_reduce`, ...
Result<CollectiveKind> parse_collective(std::string_view text);
bool has_root(CollectiveKind kind);  ///< broadcast, reduce, gather, scatter
bool reduces(CollectiveKind kind);   ///< all_reduce, reduce_scatter, reduce
bool is_blocked(
    CollectiveKind kind);  ///< the vector is N equal blocks, one a rank, `count` is per block
bool may_be_in_place(CollectiveKind kind);  ///< not all_to_all, send_recv, barrier
/// One sentence if the spec is impossible (0 ranks, root out of range, in-place all_to_all, ...).
Result<void> check(const CollectiveSpec& spec);

/// nccl-tests' bus bandwidth factor: busbw = algbw * factor. 0 for one rank where nccl-tests says
/// so.
double busbw_factor(CollectiveKind kind, std::uint32_t ranks);

/// What a slot must hold: each rank's chunk `from_chunk` once, for the ranks in [first, first +
/// count). `each_at_least_once` (barrier only) allows repeats.
struct Expectation {
  Slot slot;
  ChunkId from_chunk;
  Rank first;
  std::uint32_t count = 1;
  bool each_at_least_once = false;
};

/// Slots that hold data before the collective starts: input slot (r, c) holds exactly (r, c).
/// `chunks` counts the whole vector; a multiple of `ranks` where is_blocked(kind).
/// All-gather: rank r's input has only the chunks of block r. Broadcast, scatter: only the root has
/// input.
std::vector<Slot> precondition(const CollectiveSpec& spec, std::uint32_t chunks);
/// Slots that must hold data afterwards, and which. All-to-all: output block s on rank r is (s,
/// block r). send_recv: rank r's output is rank (r-1 mod N)'s input. In place slots are named as
/// outputs.
std::vector<Expectation> postcondition(const CollectiveSpec& spec, std::uint32_t chunks);

/// Where the elements of each chunk lie: the remainder rule. A vector (or block) of `count`
/// elements in k chunks: the first count mod k chunks hold one element more; empty chunks are
/// legal.
class ChunkLayout {
 public:
  /// `count` as in NCCL: per block where is_blocked(kind), else of the whole vector.
  ChunkLayout(const CollectiveSpec& spec, std::uint32_t chunks, std::uint64_t count);
  std::uint64_t elements(ChunkId chunk) const;  ///< in this chunk
  std::uint64_t offset(ChunkId chunk) const;    ///< of its first element in the whole vector
  std::uint64_t total() const { return blocks_ * count_; }
  std::uint64_t chunks() const { return blocks_ * per_block_; }
  std::uint64_t longest() const { return elements(ChunkId{0}); }  ///< elements in the longest chunk
  /// Elements in `n` consecutive chunks from `first`.
  std::uint64_t elements(ChunkId first, std::uint32_t n) const;

 private:
  std::uint64_t blocks_, count_, per_block_;
};

/// nccl-tests' size column: the larger of send and receive bytes of one rank.
Bytes size_of(const CollectiveSpec& spec, std::uint64_t count, ElementType type);
/// The count whose size_of is nearest below `size`. For blocked kinds that is size / N / element
/// size.
std::uint64_t count_for(const CollectiveSpec& spec, Bytes size, ElementType type);

}  // namespace ringside
