#include "core/algorithms/trees.hpp"

#include <algorithm>
#include <bit>

#include "core/assert.hpp"

namespace ringside::algorithms {
namespace {

/// NCCL's tree: leaves are the odd positions, the lowest set bit is the height above them.
std::vector<std::uint32_t> first_binary_tree(std::uint32_t n) {
  std::vector<std::uint32_t> parent(n, 0);
  for (std::uint32_t v = 1; v < n; ++v) {
    const auto bit = v & (~v + 1);
    const auto up = (v ^ bit) | bit << 1;
    parent[v] = up < n ? up : v ^ bit;
  }
  return parent;
}

std::vector<std::uint32_t> second_binary_tree(const std::vector<std::uint32_t>& first) {
  const auto n = static_cast<std::uint32_t>(first.size());
  if (n == 3) return {1, 1, 1};
  std::vector<std::uint32_t> parent(n);
  for (std::uint32_t v = 0; v < n; ++v)
    if (n % 2 == 0)
      parent[n - 1 - v] = n - 1 - first[v];
    else
      parent[(v + 1) % n] = (first[v] + 1) % n;
  return parent;
}

}  // namespace

std::uint32_t doublings(std::uint32_t n) {
  RS_ASSERT(n > 0, "there is no tree over nothing");
  return static_cast<std::uint32_t>(std::bit_width(n - 1));
}

std::uint32_t BinomialTree::height() const {
  return static_cast<std::uint32_t>(std::bit_width(n_)) - 1;
}

std::uint32_t BinomialTree::size(std::uint32_t v) const {
  const auto whole = v == 0 ? n_ : v & (~v + 1);
  return std::min(whole, n_ - v);
}

Tree make_tree(const std::vector<std::uint32_t>& parent) {
  const auto n = static_cast<std::uint32_t>(parent.size());
  std::vector<std::vector<std::uint32_t>> children(n);
  Tree tree;
  for (std::uint32_t v = 0; v < n; ++v)
    if (parent[v] == v)
      tree.root = v;
    else
      children[parent[v]].push_back(v);

  std::uint32_t reached = 1;
  for (std::vector<std::uint32_t> level{tree.root};;) {
    std::vector<Tree::Edge> edges;
    for (const auto v : level)
      for (const auto child : children[v])
        edges.push_back({v, child, children[child].empty(), child == children[v].front()});
    if (edges.empty()) break;
    level.clear();
    for (const auto& edge : edges) level.push_back(edge.child);
    reached += static_cast<std::uint32_t>(edges.size());
    tree.levels.push_back(std::move(edges));
  }
  RS_ASSERT(reached == n, "the parents form one tree");
  return tree;
}

Tree chain(const std::vector<std::uint32_t>& order) {
  Tree tree{.root = order.front(), .levels = {}};
  for (std::size_t i = 1; i < order.size(); ++i)
    tree.levels.push_back({{order[i - 1], order[i], i + 1 == order.size(), true}});
  return tree;
}

Tree grafted(const Tree& tree, const std::vector<std::uint32_t>& label, std::uint32_t root) {
  Tree result{.root = root, .levels = {{{root, label[tree.root], tree.levels.empty(), true}}}};
  for (auto level : tree.levels) {
    for (auto& edge : level) {
      edge.parent = label[edge.parent];
      edge.child = label[edge.child];
    }
    result.levels.push_back(std::move(level));
  }
  return result;
}

std::array<Tree, 2> double_binary_tree(std::uint32_t n) {
  const auto first = first_binary_tree(n);
  return {make_tree(first), make_tree(second_binary_tree(first))};
}

}  // namespace ringside::algorithms
