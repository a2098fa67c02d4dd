#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/schedule.hpp"

namespace ringside {

enum class ViolationKind : std::uint8_t {
  missing,        ///< an output lacks a rank's contribution
  repeated,       ///< an output holds a contribution more than once
  wrong,          ///< an output holds a contribution that does not belong there
  uninitialised,  ///< a transfer reads, or an output never got, any value
  race,           ///< two accesses of one slot whose order nothing enforces
  outside,        ///< a transfer names a slot that the collective does not give that rank
};
std::string_view name(ViolationKind kind);

/// Plain data the window can point at.
struct Violation {
  ViolationKind kind;
  Slot slot;  ///< where
  TransferId
      transfer;      ///< the transfer at fault, or the last writer of the slot; UINT32_MAX if none
  TransferId other;  ///< race: the other transfer; else UINT32_MAX
  Rank contributor;  ///< missing, repeated, wrong: whose part
  ChunkId contributor_chunk;
};
std::string to_string(const Violation& violation, const Schedule& schedule);

/// The slots a rank has: out of place, inputs of the precondition and outputs of the postcondition
/// only (all-gather's input is block r, broadcast's input is the root's, reduce's output the
/// root's); in place, outputs named by either (reduce-scatter and all-gather: the whole vector on
/// every rank; gather and scatter: all of it on the root, block r elsewhere). Scratch is free.
/// Agents have scratch only.
///
/// Proves a schedule right, or says why it is not. Slot values are multisets of (rank, chunk). Two
/// proofs: the story, told by the rule of the step, turns the precondition into the postcondition;
/// and the dependencies force every execution to give what the story gives (no race). Empty =
/// proven. Exact; 1,024 ranks take seconds. At most `limit` violations: first what transfers do
/// wrong, in told order, then what is wrong in the outputs, by rank and chunk.
std::vector<Violation> verify(const Schedule& schedule, std::size_t limit = 16);

}  // namespace ringside
