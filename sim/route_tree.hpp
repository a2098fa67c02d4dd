#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <queue>
#include <utility>
#include <vector>

#include "sim/junctions.hpp"

// The two searches that sim::Router asks; each grows no further than it must. Internal to it.

namespace ringside::sim {

/// The doors to crowds near one device, nearest first.
class Surroundings {
 public:
  Surroundings(const Junctions& junctions, DeviceId source);

  /// Devices that a link of a crowd leaves, as far as they have been found.
  struct Door {
    DeviceId device;
    WayCost cost;  ///< of the best way there
  };
  const std::vector<Door>& doors() const { return doors_; }
  /// No door that is still to be found is nearer.
  WayCost next() const { return queue_.empty() ? no_way : queue_.top().cost; }
  /// Looks at the next device.
  void grow();
  std::size_t size() const { return reach_.size(); }  ///< devices known

 private:
  struct Item {
    WayCost cost;
    std::uint32_t device;
    bool operator<(const Item& other) const { return other.cost < cost; }
  };

  const Junctions& junctions_;
  Sparse<WayCost> reach_{no_way};
  std::priority_queue<Item> queue_;
  std::vector<Door> doors_;
};

/// The best ways to one device, found by Dijkstra's method backwards from it. Where it comes to a
/// crowd it waits: only the links of the crowd are looked at that a source's Surroundings lead to.
/// Those ways and their ends are then as good as if all had been looked at; other devices may look
/// farther away than they are, until somebody asks for them.
class RouteTree {
 public:
  /// Cost and width (bottleneck bandwidth) of a way. "Cost, then width" survives appending a link,
  /// so Dijkstra may use it; "then hops" does not (a narrow last link makes a shorter way equal
  /// again), so hops are counted afterwards, for one width at a time.
  struct Reach {
    WayCost cost = no_way;
    Bandwidth width{};
    bool better_than(const Reach& other) const {
      return cost != other.cost ? cost < other.cost : width > other.width;
    }
  };

  RouteTree(const Junctions& junctions, DeviceId destination);

  /// The best way from `source`, whose surroundings those are; unreached if its cost is `no_way`.
  Reach from(DeviceId source, Surroundings& near);
  /// Links, ids ascending, from a device of the best ways from a source that begin the rest of one:
  /// of those as fast and at least as wide as `best` the ones with the fewest links. from() must
  /// have said `best` of that source.
  void ways_on(DeviceId device, const Reach& best, std::vector<LinkId>& ways);
  std::size_t size() const { return labels_.size(); }  ///< devices known

 private:
  static constexpr std::uint32_t nothing = UINT32_MAX;
  struct Label {
    Reach reach{};
    std::uint32_t first = nothing;  // of its links that begin a way of that cost, in onward_
  };
  struct Onward {
    LinkId link;
    std::uint32_t next;
  };
  struct Item {
    Reach reach;
    std::uint32_t device;
    bool operator<(const Item& other) const { return other.reach.better_than(reach); }
  };
  /// A device that a crowd enters, and what it costs from there over any of its links.
  struct Crowd {
    WayCost cost;
    DeviceId device;
  };
  /// What is to be looked at next: the links of a crowd from a door of the source's surroundings.
  struct Opening {
    WayCost cost;  // of no way over them less than that
    std::size_t crowd;
  };
  /// Links to the destination on best ways of a width.
  struct Hops {
    Bandwidth width;
    Sparse<std::uint32_t> of;
  };

  bool passes(DeviceId d) const { return d == destination_ || junctions_.topology()[d].forwards; }
  const Reach& reach(DeviceId d) const { return labels_[d.value].reach; }
  Reach over(LinkId id) const;
  Reach seen_from(DeviceId source) const;
  void settle_next();
  void relax(LinkId id);
  void note(Label& label, LinkId id);
  std::optional<Opening> next_opening(const Surroundings& near);
  void open(DeviceId door, DeviceId crowd);
  Hops& hops_at(Bandwidth width);
  void count(Hops& hops, DeviceId from);
  template <typename Visit>
  void for_each_onward(DeviceId device, Visit visit) const {
    for (auto at = labels_[device.value].first; at != nothing; at = onward_[at].next)
      visit(onward_[at].link);
  }

  const Junctions& junctions_;
  DeviceId destination_;
  Sparse<Label> labels_{Label{}};
  std::vector<Onward> onward_;
  std::priority_queue<Item> queue_;
  std::vector<Crowd> crowds_;  // met so far, the cheapest first
  std::vector<std::size_t>
      next_;  // of from(): by crowd, its next door; those left out have not begun
  std::vector<Hops> hops_;
};

}  // namespace ringside::sim
