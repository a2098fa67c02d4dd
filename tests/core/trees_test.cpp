#include "core/algorithms/trees.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <set>

namespace ringside::algorithms {
namespace {

struct Shape {
  std::vector<std::uint32_t> parent, children, wires;
};

/// What the edges say; fails on a position that has two parents or none.
Shape shape_of(const Tree& tree, std::uint32_t n) {
  Shape shape{std::vector(n, n), std::vector(n, 0u), std::vector(n, 0u)};
  shape.parent[tree.root] = tree.root;
  for (const auto& level : tree.levels)
    for (const auto& edge : level) {
      EXPECT_EQ(shape.parent[edge.child], n) << edge.child << " has two parents";
      EXPECT_NE(shape.parent[edge.parent], n) << "a child above its parent";
      shape.parent[edge.child] = edge.parent;
      EXPECT_EQ(edge.eldest, shape.children[edge.parent] == 0);
      ++shape.children[edge.parent];
      ++shape.wires[edge.parent];
      ++shape.wires[edge.child];
    }
  for (const auto& level : tree.levels)
    for (const auto& edge : level) EXPECT_EQ(edge.child_is_leaf, shape.children[edge.child] == 0);
  for (std::uint32_t v = 0; v < n; ++v) EXPECT_NE(shape.parent[v], n) << v << " is not in the tree";
  return shape;
}

TEST(Trees, BothBinaryTreesSpanAllPositionsInLogarithmicHeight) {
  for (std::uint32_t n = 1; n <= 1024; ++n)
    for (const Tree& tree : double_binary_tree(n)) {
      const Shape shape = shape_of(tree, n);
      EXPECT_LE(tree.height(), doublings(n)) << n;
      for (const auto children : shape.children) EXPECT_LE(children, 2u) << n;
      if (HasFailure()) return;
    }
}

TEST(Trees, WhoIsInnerInOneBinaryTreeIsALeafOfTheOther) {
  for (std::uint32_t n = 4; n <= 1024; ++n) {
    const auto trees = double_binary_tree(n);
    const Shape a = shape_of(trees[0], n), b = shape_of(trees[1], n);
    std::set<std::uint32_t> inner_twice;
    for (std::uint32_t v = 0; v < n; ++v) {
      EXPECT_LE(a.wires[v] + b.wires[v], 4u) << n;
      if (a.children[v] > 0 && b.children[v] > 0) inner_twice.insert(v);
    }
    EXPECT_EQ(inner_twice, n % 2 == 0 ? std::set<std::uint32_t>{} : std::set<std::uint32_t>{0})
        << n;
  }
}

TEST(Trees, NoWireServesBothBinaryTreesInOneDirection) {
  for (std::uint32_t n = 2; n <= 1024; ++n) {
    const auto trees = double_binary_tree(n);
    const Shape a = shape_of(trees[0], n), b = shape_of(trees[1], n);
    for (std::uint32_t v = 0; v < n; ++v)
      EXPECT_TRUE(a.parent[v] != b.parent[v] || a.parent[v] == v) << n << ": " << v;
  }
}

TEST(Trees, OfEightAsNcclDrawsThem) {
  const auto trees = double_binary_tree(8);
  EXPECT_EQ(shape_of(trees[0], 8).parent, (std::vector<std::uint32_t>{0, 2, 4, 2, 0, 6, 4, 6}));
  EXPECT_EQ(shape_of(trees[1], 8).parent, (std::vector<std::uint32_t>{1, 3, 1, 7, 5, 3, 5, 7}));
}

TEST(Trees, BinomialSubtreesAreConsecutive) {
  for (std::uint32_t n = 1; n <= 257; ++n) {
    const BinomialTree tree(n);
    std::vector<std::uint32_t> depth(n, n);
    depth[0] = 0;
    std::uint32_t edges = 0, deepest = 0;
    for (auto k = tree.rounds(); k-- > 0;)
      tree.for_each_edge(k, [&](std::uint32_t parent, std::uint32_t child) {
        ++edges;
        EXPECT_NE(depth[parent], n) << "a round serves who has nothing yet";
        EXPECT_LE(child + tree.size(child), parent + tree.size(parent));
        depth[child] = depth[parent] + 1;
        deepest = std::max(deepest, depth[child]);
      });
    EXPECT_EQ(edges, n - 1);
    EXPECT_EQ(deepest, tree.height());
    EXPECT_EQ(tree.size(0), n);
    EXPECT_EQ(tree.rounds(), tree.height() + (std::has_single_bit(n) ? 0 : 1));
  }
}

TEST(Trees, PositionsCountFromTheRoot) {
  for (std::uint32_t n = 1; n <= 9; ++n)
    for (std::uint32_t root = 0; root < n; ++root)
      for (std::uint32_t v = 0; v < n; ++v) EXPECT_EQ(FromRoot(n, root).at(v), (root + v) % n);
}

}  // namespace
}  // namespace ringside::algorithms
