#include "gpu/host/faults.hpp"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "gpu/host/slice_plan.hpp"

namespace ringside::host {
namespace {

constexpr std::array<std::string_view, fault_count> names{
    "none",           "swapped_chunk",      "missed_tail",
    "off_by_one",     "copied_for_reduced", "doubled_operation",
    "lost_operation", "wrong_order",        "missed_slice",
    "stale_room",     "undivided",          "skipped_wait",
    "early_wait",     "unsplit_exchange",   "lost_rank"};

using Kind = Operation::Kind;

bool same(const Place& a, const Place& b) {
  return a.chunk == b.chunk && (a.chunk != nullptr || a.number == b.number);
}

/// Of all that a mistake can be made with, the one in the middle; null if there is none.
template <typename Item, typename Fits>
Item* middle(std::vector<Item>& items, Fits fits) {
  std::vector<Item*> fit;
  for (Item& item : items)
    if (fits(item)) fit.push_back(&item);
  return fit.empty() ? nullptr : fit[fit.size() / 2];
}

bool moves(const Operation& op) {
  return op.elements > 0 && (op.kind == Kind::copy || op.kind == Kind::reduce);
}

Operation* fit_operation(SlicePlan& plan, Fault fault) {
  return middle(plan.operations, [&](const Operation& op) {
    if (fault == Fault::undivided) return op.kind == Kind::divide && op.elements > 0;
    if (fault == Fault::stale_room) return op.elements > 0 && op.target.chunk == nullptr;
    if (fault == Fault::copied_for_reduced || fault == Fault::doubled_operation)
      return moves(op) && op.kind == Kind::reduce;
    if (fault == Fault::off_by_one) return op.elements > 1 && op.target.chunk != nullptr;
    return moves(op);
  });
}

/// Changes source with the first operation that has another one of at least this length.
bool swap_source(SlicePlan& plan, Operation& op) {
  for (const Operation& other : plan.operations)
    if (moves(other) && other.source.chunk != nullptr && !same(other.source, op.source) &&
        !same(other.source, op.target) && other.elements >= op.elements) {
      op.source = other.source;
      return true;
    }
  return false;
}

bool reorder(SlicePlan& plan) {
  for (const Strand& strand : plan.strands)
    for (auto i = strand.first; i + 1 < strand.last; ++i) {
      auto &a = plan.operations[i], &b = plan.operations[i + 1];
      if (!moves(a) || !moves(b) || !same(a.target, b.source)) continue;
      std::swap(a, b);
      return true;
    }
  return false;
}

/// Adds once more what the operation brought.
bool repeat(SlicePlan& plan, const Operation& op) {
  const auto at = static_cast<std::uint32_t>(&op - plan.operations.data());
  auto again = op;
  again.with = again.target;
  plan.operations.insert(plan.operations.begin() + at + 1, again);
  for (Strand& strand : plan.strands) {
    strand.first += strand.first > at;
    strand.last += strand.last > at;
  }
  return true;
}

}  // namespace

std::string_view name(Fault fault) {
  return names[static_cast<std::size_t>(fault)];
}

bool spoil(SlicePlan& plan, Fault fault, std::size_t element) {
  if (fault == Fault::none) return false;
  if (fault == Fault::missed_slice) return plan.slices > 0 && plan.slices-- > 0;
  if (fault == Fault::wrong_order) return reorder(plan);
  auto* op = fit_operation(plan, fault);
  if (op == nullptr) return false;
  switch (fault) {
    case Fault::swapped_chunk:
      return swap_source(plan, *op);
    case Fault::missed_tail:
      return --op->elements, true;
    case Fault::off_by_one:
      return op->target.chunk += element, --op->elements, true;
    case Fault::copied_for_reduced:
      return op->kind = Kind::copy, true;
    case Fault::doubled_operation:
      return repeat(plan, *op);
    case Fault::lost_operation:
    case Fault::stale_room:
    case Fault::undivided:
      return op->elements = 0, true;
    default:
      return false;
  }
}

}  // namespace ringside::host
