#pragma once

#include <cstdint>
#include <vector>

#include "core/program.hpp"

namespace ringside {

/// All lanes of all ranks in one row, and who talks to whom: what running a program needs. The
/// program must be well formed (well_formedness()).
class LaneTable {
 public:
  static constexpr std::uint32_t none = UINT32_MAX;

  explicit LaneTable(const Program& program);

  std::uint32_t size() const { return static_cast<std::uint32_t>(lanes_.size()); }
  const Lane& operator[](std::uint32_t lane) const { return *lanes_[lane]; }
  Position position(std::uint32_t lane, std::uint32_t instruction) const {
    return {rank_[lane], lane - first_of_rank_[rank_[lane].value], instruction};
  }
  Rank rank(std::uint32_t lane) const { return rank_[lane]; }
  const Words& words() const { return words_; }
  /// In this table, of the lane that an instruction of `lane` waits for.
  std::uint32_t awaited(std::uint32_t lane, const After& after) const {
    return first_of_rank_[rank_[lane].value] + after.lane;
  }
  /// The lane that receives what this one sends, and the one that sends what it receives.
  std::uint32_t receiver(std::uint32_t lane) const { return receiver_[lane]; }
  std::uint32_t sender(std::uint32_t lane) const { return sender_[lane]; }

 private:
  Words words_;
  std::vector<const Lane*> lanes_;
  std::vector<Rank> rank_;
  std::vector<std::uint32_t> first_of_rank_, receiver_, sender_;
};

/// An instruction of a LaneTable.
struct Executed {
  std::uint32_t lane, instruction;
};

/// One run of a program, lanes taking turns. Whether it ends does not depend on whose turn comes
/// first: waiting only ever ends, it never starts anew.
struct Execution {
  std::vector<Executed> order;
  /// Empty if it ended; else lanes of which each waits for the next, and the last for the first.
  std::vector<Executed> circle;
};
Execution run(const LaneTable& lanes, std::uint32_t fifo_depth);

/// Malformed and mismatched places, by position.
std::vector<Fault> well_formedness(const Program& program, std::size_t limit);
/// `rank 0, lane 1, instruction 0 (receive from rank 1) waits for ...`, full circle.
std::string describe_circle(const LaneTable& lanes, const std::vector<Executed>& circle);

}  // namespace ringside
