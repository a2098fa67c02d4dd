#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>

#include "core/backend.hpp"

namespace ringside::host {

struct SlicePlan;
struct RankPlan;

/// Mistakes that an executor might make, for tests that must see every one. A mistake changes the
/// plan that prepare() made; what runs is the code that always runs.
enum class Fault : std::uint8_t {
  none,
  swapped_chunk,       ///< an operation takes what another one was to take
  missed_tail,         ///< the last element of a chunk is left out
  off_by_one,          ///< a chunk begins one element late
  copied_for_reduced,  ///< one contribution overwrites the others
  doubled_operation,   ///< one is done twice
  lost_operation,      ///< one is never done
  wrong_order,         ///< an operation comes before the one whose result it takes
  missed_slice,        ///< the last slice is handed to nobody (sliced, direct)
  stale_room,          ///< scratch or a landing area keeps what was there before
  undivided,           ///< the total is taken for the average (sliced, direct)
  skipped_wait,        ///< a rank does not wait for another, which is slow (ranks)
  early_wait,          ///< it waits for the move before the one it needs (ranks)
  unsplit_exchange,    ///< what was read before is read anew when it is too late (ranks)
  lost_rank,           ///< a rank makes no move at all (ranks)
};
inline constexpr std::size_t fault_count = 15;
std::string_view name(Fault fault);

/// False if the plan has no place for the mistake: it stays as it is.
bool spoil(SlicePlan& plan, Fault fault, std::size_t element);
bool spoil(RankPlan& plan, Fault fault, std::size_t element);

/// The host backend with a mistake in every plan that has a place for it.
std::unique_ptr<Backend> make_faulty_host_backend(Fault fault);

}  // namespace ringside::host
