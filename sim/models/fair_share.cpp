#include "sim/models/fair_share.hpp"

#include <algorithm>
#include <functional>
#include <utility>

namespace ringside::sim::models {

FairShare::FairShare(std::span<const Wire> wires) : wires_(wires), shared_(wires.size()) {
  for (std::size_t w = 0; w < wires.size(); ++w) shared_[w].room = rate_of(wires[w].bandwidth);
}

FairShare::Slot FairShare::add(std::span<const std::uint32_t> route) {
  if (free_.empty()) {
    free_.push_back(static_cast<Slot>(flows_.size()));
    flows_.emplace_back();
  }
  const Slot flow = free_.back();
  free_.pop_back();
  flows_[flow] = {.route = route, .least = {}, .second = {}};
  for (const auto w : route) {
    shared_[w].flows.push_back(flow);
    touch(w);
  }
  added_.push_back(flow);
  return flow;
}

void FairShare::remove(Slot flow) {
  flows_[flow].removed = true;
  removed_.push_back(flow);
  for (const auto w : flows_[flow].route) {
    shared_[w].room += given(flows_[flow].least);
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
    std::erase_if(shared_[w].flows, [&](Slot f) { return flows_[f].removed; });
  free_.insert(free_.end(), removed_.begin(), removed_.end());
  removed_.clear();
}

std::span<const FairShare::Slot> FairShare::refresh() {
  ++refresh_;
  for (const auto flow : changed_) flows_[flow].changed = false;
  changed_.clear();
  forget_removed();
  for (const auto flow : added_)
    if (!flows_[flow].removed) meet(flow);
  added_.clear();
  weigh_touched();
  while (!wrong_.empty()) {
    std::pop_heap(wrong_.begin(), wrong_.end(), std::greater<Offer>());
    const auto [share, wire] = wrong_.back();
    wrong_.pop_back();
    const Shared& shared = shared_[wire];
    if (shared.offered != shared.due && std::min(shared.offered, shared.due) == share)
      stand_by_due(wire);
  }
  return changed_;
}

/// Works out what each touched wire should offer.
void FairShare::weigh_touched() {
  for (const auto w : touched_) {
    Shared& shared = shared_[w];
    shared.touched = false;
    shared.due = fair(w);
    if (shared.due == shared.offered) continue;
    wrong_.push_back({std::min(shared.due, shared.offered), w});
    std::push_heap(wrong_.begin(), wrong_.end(), std::greater<Offer>());
  }
  touched_.clear();
}

/// What `wire` can offer each flow that no other wire limits to less.
Rate FairShare::fair(std::uint32_t wire) {
  const Shared& shared = shared_[wire];
  beside_.clear();
  for (const Slot f : shared.flows) beside_.push_back(flows_[f].least_beside(wire));
  effort_ += beside_.size();
  Rate left = rate_of(wires_[wire].bandwidth);
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
  const bool rises = shared.due > shared.offered;
  const bool again = rises && std::exchange(shared.raised_in, refresh_) == refresh_;
  shared.offered = again ? unlimited : shared.due;
  for (const Slot f : shared.flows) {
    const Offer offer{shared.offered, wire};
    const Flow& flow = flows_[f];
    if (flow.least.wire == wire || flow.second.wire == wire || offer < flow.second) meet(f);
  }
  if (again) touch(wire);
  weigh_touched();
}

/// The flow takes the least offer of its route; wires that count on another must be weighed again.
void FairShare::meet(Slot slot) {
  Flow& flow = flows_[slot];
  Offer least, second;
  for (const auto w : flow.route) {
    const Rate share = shared_[w].offered;
    if (share == unlimited) continue;
    const Offer offer{share, w};
    if (offer < least)
      second = std::exchange(least, offer);
    else if (offer < second)
      second = offer;
  }
  if (!std::exchange(flow.changed, true)) changed_.push_back(slot);
  if (least == flow.least && second == flow.second) return;
  const Room less = Room{given(flow.least)} - given(least);
  for (const auto w : flow.route) {
    Shared& shared = shared_[w];
    shared.room += less;
    const Offer& was = flow.least_beside(w);
    const Offer& is = least.wire == w ? second : least;
    const Offer due{shared.due, w};
    if (was != is && (was < due || is < due) && (is.share == unlimited || !has_room(shared)))
      touch(w);
  }
  flow.least = least;
  flow.second = second;
}

/// The wire limits no flow, and need not: even unfilled, fair shares would leave less than a unit
/// a flow.
bool FairShare::has_room(const Shared& shared) {
  return shared.offered == unlimited && shared.due == unlimited &&
         shared.room >= static_cast<Room>(shared.flows.size());
}

}  // namespace ringside::sim::models
