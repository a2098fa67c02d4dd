#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/element.hpp"
#include "core/schedule.hpp"
#include "core/slot_history.hpp"

namespace ringside::stage {

/// One value on the way to an output: a rank's own part, or the sum of two earlier ones.
struct Addition {
  static constexpr std::uint32_t none = UINT32_MAX;
  Rank rank;               ///< whose part; of a sum: where it was added
  ChunkId chunk;           ///< of the part; of a sum: in which chunk of that rank
  TransferId by{none};     ///< the reduce that added; none: a rank's own part
  std::uint32_t held = 0;  ///< what lay there, and what came: places in the tree
  std::uint32_t came = 0;
  bool is_part() const { return by.value == none; }
  friend bool operator==(const Addition&, const Addition&) = default;
};

/// How one slot's last value was added up: parts and sums before what they are used for, so the
/// whole is last. Empty: the slot never held anything. (A wrong schedule may add one value twice.)
using AdditionTree = std::vector<Addition>;

/// All additions of a schedule, by the rule of the step; copies add nothing. What is asked for one
/// output is a part of it.
class Additions {
 public:
  explicit Additions(const Schedule& schedule);

  AdditionTree tree(const Slot& slot) const;
  /// The trees of this chunk of the output on all ranks that are promised it, by rank.
  struct Output {
    Rank rank;
    AdditionTree tree;
  };
  std::vector<Output> outputs(ChunkId chunk) const;

 private:
  std::vector<Addition> all_;
  std::vector<std::uint32_t> last_;  // by slot, into all_
  std::vector<Slot> promised_;       // outputs, by chunk, then rank
  SlotIndex index_;
};

/// A tree's values from one number a rank, by place in the tree: rounded to the element type after
/// every addition, as ranks do it, and the same additions in float64.
struct Evaluation {
  std::vector<double> rounded, in_double;
};
/// `parts` by rank. `type` is floating.
Evaluation evaluate(const AdditionTree& tree, std::span<const double> parts, ElementType type);

/// True if all of them end in the same bits.
bool are_identical(std::span<const Additions::Output> outputs, std::span<const double> parts,
                   ElementType type);

/// Numbers whose sum shows the order of additions: large, 1, -large, 1, and so on by rank. 1 is
/// lost beside a large one: 1e8, or 3e4 in float16, which ends at 65504.
std::vector<double> telling_parts(std::uint32_t ranks, ElementType type);

/// Where a tree's values stand when drawn: parts in columns as a reader meets them, sums above and
/// in the middle of what they add, the whole on top.
struct Standing {
  double column = 0;        ///< 0 .. parts - 1
  std::uint32_t level = 0;  ///< additions below it, on the longest way down
};
std::vector<Standing> stand(const AdditionTree& tree);

}  // namespace ringside::stage
