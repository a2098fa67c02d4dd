#include "core/algorithms/tree_walk.hpp"

#include <algorithm>

namespace ringside::algorithms {
namespace {

/// Calls hop(load, hops, chunk) for what moves, step by step. Hops are counted from where chunks
/// start: the root on the way down, the deepest level on the way up.
template <typename Hop>
void walk(std::span<const TreeLoad> loads, std::uint32_t steps_a_hop, TransferSink& sink, Hop hop) {
  std::uint32_t steps = 0;
  for (const TreeLoad& load : loads)
    if (load.tree.height() > 0 && load.chunks > 0)
      steps = std::max(steps, (load.tree.height() - 1) * steps_a_hop + load.chunks);
  for (std::uint32_t s = 0; s < steps; ++s, sink.next_step())
    for (const TreeLoad& load : loads) {
      const auto begin = s < load.chunks ? 0 : (s - load.chunks) / steps_a_hop + 1;
      const auto end = std::min(load.tree.height(), s / steps_a_hop + 1);
      for (auto hops = begin; hops < end; ++hops)
        hop(load, hops, load.first + s - hops * steps_a_hop);
    }
}

}  // namespace

void tell_up(std::span<const TreeLoad> loads, std::uint32_t steps_a_hop, Buffer inner,
             TransferSink& sink) {
  walk(loads, steps_a_hop, sink,
       [&](const TreeLoad& load, std::uint32_t hops, std::uint32_t chunk) {
         for (const Tree::Edge& edge : load.tree.levels[load.tree.height() - 1 - hops]) {
           const Slot from{{edge.child}, edge.child_is_leaf ? Buffer::input : inner, {chunk}};
           const auto at_parent = edge.parent == load.tree.root ? Buffer::output : inner;
           const Slot sum{{edge.parent}, at_parent, {chunk}};
           sink.reduce(from, edge.eldest ? input(edge.parent, chunk) : sum, sum);
         }
       });
}

void tell_down(std::span<const TreeLoad> loads, std::uint32_t steps_a_hop, Buffer source,
               TransferSink& sink) {
  walk(loads, steps_a_hop, sink,
       [&](const TreeLoad& load, std::uint32_t hops, std::uint32_t chunk) {
         for (const Tree::Edge& edge : load.tree.levels[hops]) {
           const auto from = edge.parent == load.tree.root ? source : Buffer::output;
           sink.copy({{edge.parent}, from, {chunk}}, output(edge.child, chunk));
         }
       });
}

Duration pipeline_time(const TreeLoad& load, Duration chunk, Duration latency) {
  const std::int64_t height = load.tree.height(), chunks = load.chunks;
  if (height == 0 || chunks == 0) return {};
  return height * (latency + chunk) + (chunks - 1) * chunk;
}

}  // namespace ringside::algorithms
