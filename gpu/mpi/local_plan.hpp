#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/backend.hpp"
#include "core/schedule.hpp"
#include "core/units.hpp"

namespace ringside::mpi {

/// A byte of this rank's memory.
struct Place {
  Buffer buffer = Buffer::input;
  std::uint64_t offset = 0;
};

/// What travels as one message: consecutive bytes at each end. Both ends cut a transfer alike.
struct Unit {
  Place src, with, dst;  ///< those that lie on this rank
  std::uint64_t bytes = 0;
};

enum class Role : std::uint8_t { outgoing, incoming, local };

/// A transfer as one of its ranks sees it. Its events here: the read, if its source is here; the
/// commit, if its target is.
struct Part {
  TransferId id;
  Role role = Role::local;
  Action action = Action::copy;
  std::uint32_t connection = 0;  ///< in outgoing or incoming
  std::uint32_t first_unit = 0, units = 1;
  std::uint32_t read_waits = 0, commit_waits = 0;  ///< for how many events of this rank
  /// Local only: others may write the source before the target may be written.
  bool is_staged = false;
};

/// An event that waits for another one of the same rank.
struct Follower {
  std::uint32_t part = 0;
  bool is_read = false;  ///< its read waits, else its commit
};

/// One direction between this rank and another, on one channel. Messages keep the order of `parts`.
struct Connection {
  Rank peer;
  ChannelId channel;
  std::vector<std::uint32_t> parts;
  /// Incoming: where messages land that must not go to their target yet. Slots enough for all of a
  /// step, so that a rank takes all that its peers must have sent before it can go on itself.
  std::uint32_t landing_slots = 0;
  std::uint64_t landing_bytes = 0;  ///< of one slot
};

/// All that one rank must know of a schedule to do its share, in its own terms. Plain data.
struct LocalPlan {
  std::vector<Part> parts;  ///< in told order
  std::vector<Unit> units;
  std::vector<Connection> outgoing, incoming;
  std::vector<std::vector<Follower>> after_read, after_commit;  ///< by part
  std::uint64_t scratch_bytes = 0, staging_bytes = 0;
  /// avg: what is divided in the end, output elements [offset, offset + bytes).
  std::vector<Unit> divided;

  std::span<const Unit> units_of(const Part& part) const {
    return std::span(units).subspan(part.first_unit, part.units);
  }
};

/// The share of `rank`; bytes as check_lengths() allows them.
LocalPlan plan_for(Rank rank, const Work& work);

}  // namespace ringside::mpi
