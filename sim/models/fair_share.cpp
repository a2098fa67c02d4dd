#include "sim/models/fair_share.hpp"

#include <algorithm>

namespace ringside::sim::models {

FairShare::FairShare(std::span<const Wire> wires) : wires_(wires), shared_(wires.size()) {}

FairShare::Slot FairShare::add(std::span<const std::uint32_t> route) {
  if (free_.empty()) {
    free_.push_back(static_cast<Slot>(flows_.size()));
    flows_.emplace_back();
  }
  const Slot flow = free_.back();
  free_.pop_back();
  flows_[flow] = {.route = route};
  for (const auto w : route) shared_[w].flows.push_back(flow);
  touch(route);
  return flow;
}

void FairShare::remove(Slot flow) {
  flows_[flow].removed = true;
  removed_.push_back(flow);
  touch(flows_[flow].route);
}

void FairShare::touch(std::span<const std::uint32_t> route) {
  for (const auto w : route)
    if (!std::exchange(shared_[w].dirty, true)) dirty_.push_back(w);
}

/// Sweeps each touched wire once, however many of its flows have gone.
void FairShare::forget_removed() {
  if (removed_.empty()) return;
  for (const auto w : dirty_)
    std::erase_if(shared_[w].flows, [&](Slot f) { return flows_[f].removed; });
  free_.insert(free_.end(), removed_.begin(), removed_.end());
  removed_.clear();
}

std::span<const FairShare::Slot> FairShare::refresh() {
  forget_removed();
  ++round_;
  refreshed_.clear();
  for (const auto w : dirty_) {
    shared_[w].dirty = false;
    if (shared_[w].seen == round_) continue;
    gather(w);
    fill();
  }
  dirty_.clear();
  return refreshed_;
}

/// Collects the wires and flows that `wire` is joined with, all rates unset.
void FairShare::gather(std::uint32_t wire) {
  const auto visit = [&](std::uint32_t w) {
    if (std::exchange(shared_[w].seen, round_) != round_) group_.push_back(w);
  };
  group_.clear();
  visit(wire);
  for (std::size_t i = 0; i < group_.size(); ++i) {
    Shared& shared = shared_[group_[i]];
    shared.left = rate_of(wires_[group_[i]].bandwidth);
    shared.open = static_cast<std::uint32_t>(shared.flows.size());
    for (const Slot f : shared.flows) {
      if (std::exchange(flows_[f].seen, round_) == round_) continue;
      flows_[f].open = true;
      refreshed_.push_back(f);
      for (const auto w : flows_[f].route) visit(w);
    }
  }
}

/// Progressive filling: the wire that can offer least to each of its flows sets their rates, and so
/// on with what is left. Shares only grow as flows get their rates, so an outdated offer is too low
/// and is made again when its turn comes.
void FairShare::fill() {
  const auto offer = [&](std::uint32_t w) {
    const Shared& shared = shared_[w];
    return Offer{std::max<Rate>(shared.left / shared.open, 1), w};
  };
  offers_.clear();
  for (const auto w : group_)
    if (shared_[w].open > 0) offers_.push_back(offer(w));
  std::make_heap(offers_.begin(), offers_.end());
  while (!offers_.empty()) {
    std::pop_heap(offers_.begin(), offers_.end());
    const auto made = offers_.back();
    offers_.pop_back();
    if (shared_[made.wire].open == 0) continue;
    if (const auto now = offer(made.wire); now.share > made.share) {
      offers_.push_back(now);
      std::push_heap(offers_.begin(), offers_.end());
      continue;
    }
    for (const Slot f : shared_[made.wire].flows)
      if (flows_[f].open) close(f, made);
  }
}

void FairShare::close(Slot flow, const Offer& offer) {
  Flow& f = flows_[flow];
  f.open = false;
  f.rate = offer.share;
  f.limit = offer.wire;
  for (const auto w : f.route) {
    shared_[w].left -= std::min(shared_[w].left, offer.share);
    --shared_[w].open;
  }
}

}  // namespace ringside::sim::models
