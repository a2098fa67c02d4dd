#include "core/algorithms/two_trees.hpp"

#include <algorithm>

namespace ringside::algorithms {

std::array<TreeLoad, 2> two_trees(const CollectiveSpec& spec, const Options& options) {
  const FromRoot rank(spec.ranks, spec.root.value);
  std::vector<std::uint32_t> others;
  for (std::uint32_t v = 1; v < spec.ranks; ++v) others.push_back(rank.at(v));
  const auto trees = double_binary_tree(spec.ranks - 1);
  const auto half = (options.chunks + 1) / 2;
  return {TreeLoad{grafted(trees[0], others, spec.root.value), 0, half},
          TreeLoad{grafted(trees[1], others, spec.root.value), half, options.chunks - half}};
}

Duration two_trees_time(const CollectiveSpec& spec, const Options& options, Bytes size,
                        const LinkCost& link) {
  if (spec.ranks == 1) return {};
  const Bytes part_size = part(size, options.chunks);
  if (spec.ranks == 2) return through_one_wire(options.chunks, part_size, link);
  const Duration chunk = wire_time(part_size, link.bandwidth);
  const auto loads = two_trees(spec, options);
  return std::max(pipeline_time(loads[0], chunk, link.latency),
                  pipeline_time(loads[1], chunk, link.latency));
}

}  // namespace ringside::algorithms
