#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "sim/models/model.hpp"

namespace ringside::sim::models {

/// Max-min fair rates of flows over shared wires, kept up to date as flows come and go: no flow
/// can go faster without slowing one that is no faster (D. Bertsekas & R. Gallager, Data Networks,
/// 1992, section 6.5.2). Rates are whole numbers of 2^-8 bytes/s, rounded down.
class FairShare {
 public:
  using Slot = std::uint32_t;  ///< names a flow until it is removed; reused afterwards

  explicit FairShare(std::span<const Wire> wires);

  /// `route`: at least one wire, none twice; must stay where it is until the flow is removed.
  Slot add(std::span<const std::uint32_t> route);
  void remove(Slot flow);

  /// Computes the rates anew in every group of flows joined by shared wires that a flow has joined
  /// or left since the last call; returns the flows of those groups.
  std::span<const Slot> refresh();

  Rate rate(Slot flow) const { return flows_[flow].rate; }             ///< > 0 after refresh()
  std::uint32_t limit(Slot flow) const { return flows_[flow].limit; }  ///< wire that sets it

 private:
  struct Flow {
    std::span<const std::uint32_t> route;
    Rate rate = 0;
    std::uint32_t limit = nobody;
    std::uint32_t seen = 0;  // the last group that found it
    bool open = false;       // its rate is still to be set
    bool removed = false;
  };
  struct Shared {
    std::vector<Slot> flows;
    Rate left = 0;           // not yet given away
    std::uint32_t open = 0;  // flows without a rate yet
    std::uint32_t seen = 0;
    bool dirty = false;
  };
  struct Offer {
    Rate share;
    std::uint32_t wire;
    bool operator<(const Offer& o) const {  // std heaps keep the largest: the smallest share
      return share != o.share ? share > o.share : wire > o.wire;
    }
  };

  void touch(std::span<const std::uint32_t> route);
  void forget_removed();
  void gather(std::uint32_t wire);
  void fill();
  void close(Slot flow, const Offer& offer);

  std::span<const Wire> wires_;
  std::vector<Shared> shared_;  // by wire
  std::vector<Flow> flows_;     // by slot
  std::vector<Slot> free_, removed_, refreshed_;
  std::vector<std::uint32_t> dirty_, group_;  // wires
  std::vector<Offer> offers_;
  std::uint32_t round_ = 0;
};

}  // namespace ringside::sim::models
