#include "core/algorithms/tree_walk.hpp"

#include <algorithm>

namespace ringside::algorithms {
namespace {

/// Calls hop(load, level, chunk) for what moves in each step: in step s the level `order(level)`
/// hops from where chunks start moves chunk s - order(level).
template <typename Order, typename Hop>
void for_each_hop(std::span<const TreeLoad> loads, TransferSink& sink, Order order, Hop hop) {
  std::uint32_t steps = 0;
  for (const TreeLoad& load : loads)
    if (load.tree.height() > 0 && load.chunks > 0)
      steps = std::max(steps, load.tree.height() + load.chunks - 1);
  for (std::uint32_t s = 0; s < steps; ++s, sink.next_step())
    for (const TreeLoad& load : loads) {
      const auto height = load.tree.height();
      const auto begin = s < load.chunks ? 0 : s - load.chunks + 1, end = std::min(height, s + 1);
      for (auto hops = begin; hops < end; ++hops)
        hop(load, load.tree.levels[order(hops, height)], load.first + s - hops);
    }
}

}  // namespace

void tell_up(std::span<const TreeLoad> loads, Buffer inner, TransferSink& sink) {
  const auto deepest_first = [](std::uint32_t hops, std::uint32_t height) {
    return height - 1 - hops;
  };
  for_each_hop(loads, sink, deepest_first, [&](const auto& load, const auto& level, auto chunk) {
    for (const Tree::Edge& edge : level) {
      const Slot from{{edge.child}, edge.child_is_leaf ? Buffer::input : inner, {chunk}};
      const Slot sum{
          {edge.parent}, edge.parent == load.tree.root ? Buffer::output : inner, {chunk}};
      sink.reduce(from, edge.eldest ? input(edge.parent, chunk) : sum, sum);
    }
  });
}

void tell_down(std::span<const TreeLoad> loads, Buffer source, TransferSink& sink) {
  const auto root_first = [](std::uint32_t hops, std::uint32_t) { return hops; };
  for_each_hop(loads, sink, root_first, [&](const auto& load, const auto& level, auto chunk) {
    for (const Tree::Edge& edge : level) {
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
