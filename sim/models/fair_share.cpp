#include "sim/models/fair_share.hpp"

#include <algorithm>
#include <bit>
#include <functional>
#include <utility>

namespace ringside::sim::models {
namespace {

/// Room is counted in units so coarse that the rates of 2^22 flows add up to less than 2^62.
constexpr int most_bits_of_room = 40;

}  // namespace

FairShare::FairShare(std::span<const Wire> wires) : stands_(wires.size()), shared_(wires.size()) {
  Rate widest = 0;
  for (const Wire& wire : wires) widest = std::max(widest, rate_of(wire.bandwidth));
  coarse_bits_ = static_cast<unsigned>(
      std::max(0, static_cast<int>(std::bit_width(widest)) - most_bits_of_room));
  for (std::size_t w = 0; w < wires.size(); ++w) {
    stands_[w].whole = rate_of(wires[w].bandwidth);
    stands_[w].room = static_cast<std::int64_t>(stands_[w].whole >> coarse_bits_);
  }
}

/// Rounded up, and by so much that a unit a flow is left, which is what even shares may leave.
std::int64_t FairShare::coarse(Rate rate) const {
  return rate == unlimited ? 0 : static_cast<std::int64_t>((rate >> coarse_bits_) + 1);
}

FairShare::Slot FairShare::add(std::span<const std::uint32_t> route) {
  if (free_.empty()) {
    free_.push_back(static_cast<Slot>(flows_.size()));
    flows_.emplace_back();
  }
  const Slot slot = free_.back();
  free_.pop_back();
  Flow& flow = flows_[slot];
  flow.route.assign(route);
  flow.changed = flow.removed = false;
  flow.least_wire = flow.second_wire = nobody;
  flow.least_share = flow.second_share = unlimited;
  for (const auto w : route) {
    shared_[w].flows.push_back(slot);
    touch(w);
  }
  added_.push_back(slot);
  return slot;
}

void FairShare::remove(Slot slot) {
  Flow& flow = flows_[slot];
  flow.removed = true;
  removed_.push_back(slot);
  for (const auto w : flow.route) {
    stands_[w].room += coarse(flow.least_share);
    touch(w);
  }
}

void FairShare::touch(std::uint32_t wire) {
  if (!std::exchange(shared_[wire].touched, true)) touched_.push_back(wire);
}

/// Sweeps each touched wire once, however many of its flows have gone.
void FairShare::forget_removed() {
  if (removed_.empty()) return;
  for (const auto w : touched_)
    shared_[w].flows.erase_if([&](Slot f) { return flows_[f].removed; });
  free_.insert(free_.end(), removed_.begin(), removed_.end());
  removed_.clear();
}

std::span<const FairShare::Slot> FairShare::refresh() {
  ++refresh_;
  for (const auto flow : changed_) flows_[flow].changed = false;
  changed_.clear();
  forget_removed();
  for (const auto flow : added_)
    if (!flows_[flow].removed && !goes_alone(flow)) meet(flow);
  added_.clear();
  weigh_touched();
  while (!wrong_.empty()) {
    std::pop_heap(wrong_.begin(), wrong_.end(), std::greater<Offer>());
    const auto [share, wire] = wrong_.back();
    wrong_.pop_back();
    const Stand& stand = stands_[wire];
    if (stand.is_wrong && std::min(stand.offered, stand.due) == share) stand_by_due(wire);
  }
  return changed_;
}

/// A new flow that meets no other takes its narrowest wire, and nobody need be told.
bool FairShare::goes_alone(Slot slot) {
  Flow& flow = flows_[slot];
  for (const auto w : flow.route)
    if (shared_[w].flows.size() > 1) return false;
  Offer least;
  for (const auto w : flow.route) least = std::min(least, Offer{stands_[w].whole, w});
  flow.least_share = least.share;
  flow.least_wire = least.wire;
  for (const auto w : flow.route) {
    Stand& stand = stands_[w];
    stand.room -= coarse(least.share);
    stand.offered = stand.due = w == least.wire ? least.share : unlimited;
    stand.is_wrong = false;
    shared_[w].touched = false;
  }
  flow.changed = true;
  changed_.push_back(slot);
  return true;
}

/// Works out what each touched wire should offer.
void FairShare::weigh_touched() {
  for (const auto w : touched_)
    for (const Slot f : shared_[w].flows) __builtin_prefetch(&flows_[f]);
  for (const auto w : touched_) {
    Shared& shared = shared_[w];
    Stand& stand = stands_[w];
    if (!std::exchange(shared.touched, false)) continue;
    stand.due = fair(w);
    if (shared.flows.size() == 0) stand.offered = stand.due;  // there is nobody to be told
    stand.is_wrong = stand.due != stand.offered;
    if (!stand.is_wrong) continue;
    fetch_stands_beside(w);
    wrong_.push_back({std::min(stand.due, stand.offered), w});
    std::push_heap(wrong_.begin(), wrong_.end(), std::greater<Offer>());
  }
  touched_.clear();
}

/// What `wire` can offer each flow that no other wire limits to less.
Rate FairShare::fair(std::uint32_t wire) {
  beside_.clear();
  for (const Slot f : shared_[wire].flows) beside_.push_back(flows_[f].least_beside(wire));
  effort_ += beside_.size();
  Rate left = stands_[wire].whole;
  auto open = beside_.begin();
  const auto share = [&] {
    const auto count = static_cast<Rate>(beside_.end() - open);
    return count == 0 ? unlimited : std::max<Rate>(left / count, 1);
  };
  // Shares only grow as flows that get less leave theirs to the others.
  for (auto offer = share();; offer = share()) {
    const auto rest = std::partition(open, beside_.end(), [&](const Offer& other) {
      return other < Offer{offer, wire};
    });
    if (rest == open) return offer;
    for (; open != rest; ++open) left -= std::min(left, open->share);
  }
}

/// Offers what is due and tells the wires that share flows with it. A wire whose offer rises a
/// second time offers nothing until its turn comes: each wire has a bounded number of turns.
void FairShare::stand_by_due(std::uint32_t wire) {
  Shared& shared = shared_[wire];
  Stand& stand = stands_[wire];
  fetch_stands_beside(wire);  // again: others may have pushed them out
  const bool rises = stand.due > stand.offered;
  const bool again = rises && std::exchange(shared.raised_in, refresh_) == refresh_;
  stand.offered = again ? unlimited : stand.due;
  stand.is_wrong = again;
  for (const Slot f : shared.flows) {
    const Flow& flow = flows_[f];
    if (flow.least_wire == wire || flow.second_wire == wire ||
        Offer{stand.offered, wire} < flow.second())
      meet(f);
  }
  if (again) touch(wire);
  weigh_touched();
}

/// The flow takes the least offer of its route; wires that count on another must be weighed again.
void FairShare::meet(Slot slot) {
  Flow& flow = flows_[slot];
  Offer least, second;
  for (const auto w : flow.route) {
    const Rate share = stands_[w].offered;
    if (share == unlimited) continue;
    const Offer offer{share, w};
    if (offer < least)
      second = std::exchange(least, offer);
    else if (offer < second)
      second = offer;
  }
  if (!std::exchange(flow.changed, true)) changed_.push_back(slot);
  const Offer least_before = flow.least(), second_before = flow.second();
  if (least == least_before && second == second_before) return;
  const auto less = coarse(least_before.share) - coarse(least.share);
  for (const auto w : flow.route) {
    Stand& stand = stands_[w];
    stand.room += less;
    const Offer& was = least_before.wire == w ? second_before : least_before;
    const Offer& is = least.wire == w ? second : least;
    if (was == is) continue;
    // A wire that limits no flow need not while there is room for all.
    if (stand.offered == unlimited && !stand.is_wrong && stand.room >= 0 && is.share != unlimited)
      continue;
    const Offer due{stand.due, w};
    if (was < due || is < due) touch(w);
  }
  flow.least_wire = least.wire;
  flow.least_share = least.share;
  flow.second_wire = second.wire;
  flow.second_share = second.share;
}

}  // namespace ringside::sim::models
