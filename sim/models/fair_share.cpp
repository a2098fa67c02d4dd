#include "sim/models/fair_share.hpp"

#include <algorithm>
#include <bit>
#include <functional>
#include <utility>

namespace ringside::sim::models {
namespace {

/// Room is counted in units so coarse that the rates of 2^22 flows add up to less than 2^62.
constexpr int most_bits_of_room = 40;

/// Fewer make more wires offer nothing for no reason: twice is 17 % more to weigh on a fat tree.
constexpr std::uint8_t enough_rises = 3;

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
    if (!flows_[flow].removed && !goes_alone(flow)) meet_all(flow);
  added_.clear();
  weigh_touched();
  while (!wrong_.empty()) {
    std::pop_heap(wrong_.begin(), wrong_.end(), std::greater<Offer>());
    const auto [share, wire] = wrong_.back();
    wrong_.pop_back();
    const Stand& stand = stands_[wire];
    if (stand.is_wrong() && std::min(stand.offered, stand.due) == share) stand_by_due(wire);
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
    if (!stand.is_wrong()) continue;
    fetch_stands_beside(w);
    wrong_.push_back({std::min(stand.due, stand.offered), w});
    std::push_heap(wrong_.begin(), wrong_.end(), std::greater<Offer>());
  }
  touched_.clear();
}

/// What `wire` can offer each flow that no other wire limits to less.
Rate FairShare::fair(std::uint32_t wire) {
  const auto& flows = shared_[wire].flows;
  if (beside_.size() < flows.size()) beside_.resize(std::bit_ceil(flows.size()));
  auto end = beside_.begin();
  for (const Slot f : flows) *end++ = flows_[f].least_beside(wire);
  effort_ += flows.size();
  Rate left = stands_[wire].whole;
  auto open = beside_.begin();
  const auto share = [&] {
    const auto count = static_cast<Rate>(end - open);
    return count == 0 ? unlimited : std::max<Rate>(left / count, 1);
  };
  // Shares only grow as flows that get less leave theirs to the others.
  for (auto offer = share();; offer = share()) {
    const auto rest = std::partition(open, end, [&](const Offer& other) {
      return other < Offer{offer, wire};
    });
    if (rest == open) return offer;
    for (; open != rest; ++open) left -= std::min(left, open->share);
  }
}

/// Offers what is due and tells the wires that share flows with it.
///
/// Turns come in order of offers, and one makes only larger ones wrong: an offer that falls, falls
/// to what it will stay. But one that rises may rest on others that are still to rise, and so rise
/// again and again. The third time the wire offers nothing until its turn comes: its last.
void FairShare::stand_by_due(std::uint32_t wire) {
  Shared& shared = shared_[wire];
  Stand& stand = stands_[wire];
  bool again = false;
  if (stand.due > stand.offered) {
    if (std::exchange(shared.raised_in, refresh_) != refresh_) shared.rises = 0;
    most_rises_ = std::max<std::uint32_t>(most_rises_, ++shared.rises);
    again = shared.rises >= enough_rises;
  }
  stand.offered = again ? unlimited : stand.due;
  const Offer anew{stand.offered, wire};
  for (const Slot f : shared.flows) {
    const Flow& flow = flows_[f];
    if (flow.least_wire == wire || flow.second_wire == wire || anew < flow.second()) meet(f, anew);
  }
  if (again) touch(wire);
  weigh_touched();
}

/// One wire of the flow's route offers something else. Only where it was one of the two least, and
/// no longer is for sure, all others must be asked.
void FairShare::meet(Slot slot, Offer anew) {
  const Flow& flow = flows_[slot];
  const Offer least = flow.least(), second = flow.second();
  if (anew.share == unlimited) return meet_all(slot);
  const bool was_least = least.wire == anew.wire;
  if (anew < (was_least ? second : least)) return take(slot, anew, was_least ? second : least);
  if (!was_least && anew < second) return take(slot, least, anew);
  meet_all(slot);
}

void FairShare::meet_all(Slot slot) {
  Offer least, second;
  for (const auto w : flows_[slot].route) {
    const Rate share = stands_[w].offered;
    if (share == unlimited) continue;
    const Offer offer{share, w};
    if (offer < least)
      second = std::exchange(least, offer);
    else if (offer < second)
      second = offer;
  }
  take(slot, least, second);
}

/// The flow takes the least offer of its route; wires that count on another must be weighed again.
void FairShare::take(Slot slot, Offer least, Offer second) {
  Flow& flow = flows_[slot];
  const Offer least_before = flow.least(), second_before = flow.second();
  flow.take(least, second);
  if (least == least_before) {
    if (second != second_before) hear(least.wire, second_before, second);
    return;
  }
  if (!std::exchange(flow.changed, true)) changed_.push_back(slot);
  const auto less = coarse(least_before.share) - coarse(least.share);
  for (const auto w : flow.route) {
    stands_[w].room += less;
    hear(w, least_before.wire == w ? second_before : least_before,
         least.wire == w ? second : least);
  }
}

/// What the wire counts on of one of its flows was `was`, and is `is`.
inline void FairShare::hear(std::uint32_t wire, const Offer& was, const Offer& is) {
  const Stand& stand = stands_[wire];
  // A wire that limits no flow need not while there is room for all.
  if (stand.offered == unlimited && !stand.is_wrong() && stand.room >= 0 && is.share != unlimited)
    return;
  const Offer due{stand.due, wire};
  if ((was < due || is < due) && was != is) touch(wire);
}

}  // namespace ringside::sim::models
