#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/collective.hpp"
#include "core/orbit.hpp"
#include "core/story.hpp"
#include "sim/automorphism.hpp"
#include "sim/models/model.hpp"
#include "sim/router.hpp"

namespace ringside::sim {

/// One group of ranks that stands for all: where a story repeats itself from group to group
/// (core/orbit.hpp) and the links do, too (sim/automorphism.hpp), what group 0 does, and when, is
/// what each does. A wire of any group then has its like in group 0, and the transfers that cross
/// it are like those that cross that one. To the picosecond what all together take
/// (tests/property/folding_test.cpp).
///
/// Two things are left to ask as the story is told: that routes are carried to routes, as the only
/// ones that good always are (goes_alike); and of model stream, that all
/// that crosses a wire in one step comes from one group (from one rank, but for Orbit::in_order),
/// so that it is told in one order everywhere. In one round of a step, where stories go by rounds.
class Folding {
 public:
  /// The finest way; `orbit` as Algorithm::orbit() says. Error, one sentence, where there is none.
  static Result<Folding> find(const Story& story, const Orbit& orbit, const Topology& topology);

  const Orbit& orbit() const { return orbit_; }

  /// A wire, and the group in which it is what wire `like` is in group 0.
  struct Place {
    std::uint32_t like = Automorphism::nowhere, group = 0;
  };
  /// Of a link, or after those a device's memory. Error where several groups share it.
  Result<Place> place_of(std::uint32_t wire, const Topology& topology) const;
  /// Whether a route with such branchings goes on in each group by the like of the same link: their
  /// devices' links are carried in order, and all digits that choose among ways are of a rank's
  /// place in its group.
  bool goes_alike(std::span<const Router::Branching> branchings) const;
  /// Those of group 0, by Place::like.
  std::span<const models::Wire> wires() const { return wires_; }
  /// What every link carries, from what those of group 0 do.
  std::vector<LinkUse> use_of_all(std::span<const LinkUse> of_wires,
                                  const Topology& topology) const;
  /// Chunks that groups take for one another are equally long.
  bool has_alike_chunks(const ChunkLayout& layout) const;

 private:
  /// A wire of group 0 and those that are like it, by group.
  void place(const models::Wire& wire, std::span<const std::uint32_t> alike);

  Orbit orbit_;
  std::vector<Place> places_;  // by wire
  std::vector<models::Wire> wires_;
  std::vector<bool> keeps_order_;  // by device: it and all that are like it
};

}  // namespace ringside::sim
