#include "gpu/mpi/window_plan.hpp"

#include <algorithm>

#include "gpu/mpi/shared_window.hpp"

namespace ringside::mpi {
namespace {

using Kind = CollectiveKind;
using Phase = WindowPlan::Phase;
using Copy = WindowPlan::Copy;

bool lays_all_blocks(Kind kind) {
  return kind == Kind::reduce_scatter || kind == Kind::all_to_all || kind == Kind::scatter;
}

std::vector<Phase> phases_of(Kind kind) {
  switch (kind) {
    case Kind::all_reduce:
    case Kind::reduce:
      return {Phase::next_half, Phase::lay, Phase::meet, Phase::add, Phase::meet, Phase::take};
    case Kind::reduce_scatter:
      return {Phase::next_half, Phase::lay, Phase::meet, Phase::add};
    default:
      return {Phase::next_half, Phase::lay, Phase::meet, Phase::take};
  }
}

std::vector<Copy> laid_by(std::uint32_t rank, const CollectiveSpec& spec) {
  if ((spec.kind == Kind::broadcast || spec.kind == Kind::scatter) && rank != spec.root.value)
    return {};
  if (spec.kind == Kind::all_gather || spec.kind == Kind::gather)
    return {{.block = rank, .rank = rank}};
  std::vector<Copy> all;
  for (std::uint32_t p = 0; p < (lays_all_blocks(spec.kind) ? spec.ranks : 1); ++p)
    all.push_back({.block = p, .rank = rank, .piece = p});
  return all;
}

std::vector<Copy> taken_by(std::uint32_t rank, const CollectiveSpec& spec) {
  const auto of_all = [&](auto copy_of) {
    std::vector<Copy> all;
    for (std::uint32_t r = 0; r < spec.ranks; ++r) all.push_back(copy_of(r));
    return all;
  };
  const auto root = spec.root.value;
  if ((spec.kind == Kind::reduce || spec.kind == Kind::gather) && rank != root) return {};
  switch (spec.kind) {
    case Kind::all_reduce:
    case Kind::reduce:
      return of_all([](auto r) { return Copy{.rank = r, .piece = 1, .is_share = true}; });
    case Kind::all_gather:
    case Kind::gather:
      return of_all([](auto r) { return Copy{.block = r, .rank = r}; });
    case Kind::all_to_all:
      return of_all([rank](auto r) { return Copy{.block = r, .rank = r, .piece = rank}; });
    case Kind::broadcast:
      return {{.rank = root}};
    case Kind::scatter:
      return {{.block = rank, .rank = root, .piece = rank}};
    case Kind::send_recv:
      return {{.rank = (rank + spec.ranks - 1) % spec.ranks}};
    case Kind::reduce_scatter:
    case Kind::barrier:
      return {};
  }
  return {};
}

}  // namespace

WindowPlan plan_window(std::uint32_t rank, const Work& work) {
  const auto& spec = work.schedule->spec();
  WindowPlan plan{.phases = phases_of(spec.kind),
                  .laid = laid_by(rank, spec),
                  .taken = taken_by(rank, spec),
                  .adds_share = spec.kind != Kind::reduce_scatter,
                  .pieces = lays_all_blocks(spec.kind) ? spec.ranks : 1,
                  .count = work.count,
                  .scales = work.op == ReduceOp::mulsum && reduces(spec.kind),
                  .divides = work.op == ReduceOp::avg};
  for (std::uint32_t r = 0; r < spec.ranks; ++r) plan.added.push_back(r);
  if (!plan.adds_share) plan.added_piece = rank;
  // Both a slice's pieces and the share that is added of it lie in one half.
  const auto element = size_of(work.type).count;
  plan.slice = std::max<std::uint64_t>(1, SharedWindow::half_bytes / element / (plan.pieces + 1));
  return plan;
}

}  // namespace ringside::mpi
