#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "sim/models/few_or_many.hpp"
#include "sim/models/model.hpp"

namespace ringside::sim::models {

/// Max-min fair rates of flows over shared wires, kept up to date as flows come and go: no flow
/// can go faster without slowing one that is no faster (D. Bertsekas & R. Gallager, Data Networks,
/// 1992, section 6.5.2). Rates are whole numbers of 2^-8 bytes/s, rounded down, as progressive
/// filling gives them: again and again the wire that can offer least to each of its flows without a
/// rate (of several the lowest) sets theirs.
///
/// Only wires whose offer changes are looked at, and the flows on them. The order of filling is
/// the order of offers, so an offer depends on smaller ones alone, and those that a change has made
/// wrong can be mended smallest first, as G. Ramalingam & T. Reps mend shortest paths (J.
/// Algorithms 21, 1996). tests/sim/fair_share_test.cpp holds this to filling from scratch.
class FairShare {
 public:
  using Slot = std::uint32_t;  ///< names a flow until it is removed; reused afterwards

  explicit FairShare(std::span<const Wire> wires);

  /// `route`: at least one wire, none twice.
  Slot add(std::span<const std::uint32_t> route);
  void remove(Slot flow);

  /// Computes rates anew after flows have been added or removed; returns the flows whose rate or
  /// limit may have changed, each once.
  std::span<const Slot> refresh();

  Rate rate(Slot flow) const { return flows_[flow].least_share; }           ///< > 0 after refresh()
  std::uint32_t limit(Slot flow) const { return flows_[flow].least_wire; }  ///< wire that sets it
  /// How often a flow's share of a wire was worked out, so far.
  std::uint64_t effort() const { return effort_; }
  /// How often the offer of any one wire has risen within one refresh(): at most three times,
  /// whatever the wires.
  std::uint32_t most_rises() const { return most_rises_; }

 private:
  static constexpr Rate unlimited = UINT64_MAX;
  /// What a wire offers each flow that no other wire limits more. Offers are filled in this order.
  struct Offer {
    Rate share = unlimited;  // of a wire that limits no flow
    std::uint32_t wire = nobody;
    friend bool operator==(const Offer&, const Offer&) = default;
    friend bool operator<(const Offer& a, const Offer& b) {
      return a.share != b.share ? a.share < b.share : a.wire < b.wire;
    }
    friend bool operator>(const Offer& a, const Offer& b) { return b < a; }
  };

  // A change follows flows to wires and wires to flows all over memory, and waits for little else:
  // a flow is one line of the cache, two wires are one.

  struct alignas(64) Flow {
    FewOrMany<8> route;
    bool changed = false;  // since the last refresh() began
    bool removed = false;
    std::uint32_t least_wire = nobody, second_wire = nobody;
    Rate least_share = unlimited, second_share = unlimited;
    /// Of those that the wires of its route stand by.
    Offer least() const { return {least_share, least_wire}; }
    Offer second() const { return {second_share, second_wire}; }
    void take(Offer least, Offer second) {
      least_wire = least.wire;
      least_share = least.share;
      second_wire = second.wire;
      second_share = second.share;
    }
    Offer least_beside(std::uint32_t wire) const { return least_wire == wire ? second() : least(); }
  };
  struct Stand {
    Rate offered = unlimited;  // what the rates of its flows rest on
    Rate due = unlimited;      // what they should rest on, as other wires stand
    Rate whole = 0;            // its bandwidth
    std::int64_t room = 0;     // less the rates of its flows: at least so much
    bool is_wrong() const { return offered != due; }
  };
  struct Shared {
    FewOrMany<5> flows;
    std::uint32_t raised_in = 0;  // the last refresh in which its offer rose
    std::uint8_t rises = 0;       // how often it did then
    bool touched = false;         // to be weighed
  };

  void forget_removed();
  void touch(std::uint32_t wire);
  void weigh_touched();
  /// Asks memory in advance for what a turn of this wire will look at. (A call that does nothing
  /// else g++ would leave out.)
  [[gnu::always_inline]] void fetch_stands_beside(std::uint32_t wire) const {
    for (const Slot f : shared_[wire].flows)
      for (const auto w : flows_[f].route) __builtin_prefetch(&stands_[w]);
  }
  Rate fair(std::uint32_t wire);
  void stand_by_due(std::uint32_t wire);
  bool goes_alone(Slot flow);
  void meet(Slot slot, Offer anew);
  void meet_all(Slot slot);
  void take(Slot slot, Offer least, Offer second);
  void hear(std::uint32_t wire, const Offer& was, const Offer& is);
  std::int64_t coarse(Rate rate) const;

  std::vector<Stand> stands_;   // by wire
  std::vector<Shared> shared_;  // by wire
  std::vector<Flow> flows_;     // by slot
  unsigned coarse_bits_ = 0;    // units of Stand::room
  std::vector<Slot> free_, added_, removed_, changed_;
  std::vector<std::uint32_t> touched_;
  std::vector<Offer> wrong_;   // a heap: wires whose offer is not due, and some whose was
  std::vector<Offer> beside_;  // of one wire's flows
  std::uint32_t refresh_ = 0;
  std::uint64_t effort_ = 0;
  std::uint32_t most_rises_ = 0;
};

}  // namespace ringside::sim::models
