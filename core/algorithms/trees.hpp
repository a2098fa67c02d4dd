#pragma once

#include <array>
#include <cstdint>
#include <vector>

namespace ringside::algorithms {

/// Rounds in which one can become n by doubling: ceil(lg n), n >= 1.
std::uint32_t doublings(std::uint32_t n);

/// Ranks counted from the root: position 0 is the root.
class FromRoot {
 public:
  FromRoot(std::uint32_t ranks, std::uint32_t root) : ranks_(ranks), root_(root) {}
  std::uint32_t at(std::uint32_t position) const {
    return (root_ < ranks_ - position) ? root_ + position : root_ - (ranks_ - position);
  }

 private:
  std::uint32_t ranks_, root_;
};

/// The binomial tree over positions 0..n-1, in closed form: the parent of v is v without its lowest
/// set bit, and the subtree of v is the consecutive positions [v, v + size(v)). Round k, from
/// doublings(n) - 1 down to 0, joins every multiple of 2^(k+1) with the child 2^k beyond it.
class BinomialTree {
 public:
  explicit BinomialTree(std::uint32_t n) : n_(n) {}
  std::uint32_t rounds() const { return doublings(n_); }
  /// The longest path from the root: one less than rounds() unless n is a power of two.
  std::uint32_t height() const;
  /// Positions in the subtree of v.
  std::uint32_t size(std::uint32_t v) const;
  /// Calls edge(parent, child) for the edges of round k.
  template <typename Edge>
  void for_each_edge(std::uint32_t k, Edge edge) const {
    const std::uint64_t distance = std::uint64_t{1} << k;
    for (std::uint64_t v = 0; v + distance < n_; v += 2 * distance)
      edge(static_cast<std::uint32_t>(v), static_cast<std::uint32_t>(v + distance));
  }

 private:
  std::uint32_t n_;
};

/// A rooted tree by levels: level d - 1 holds the edges whose child is d hops from the root.
struct Tree {
  struct Edge {
    std::uint32_t parent, child;
    bool child_is_leaf;
    bool eldest;  ///< the first of its siblings in told order
  };
  std::uint32_t root = 0;
  std::vector<std::vector<Edge>> levels;

  std::uint32_t height() const { return static_cast<std::uint32_t>(levels.size()); }
};

/// parent[v] of every position; the root's is itself. Siblings keep the order of their numbers.
Tree make_tree(const std::vector<std::uint32_t>& parent);
/// order[0] at the root, each one the only child of the one before. Not empty.
Tree chain(const std::vector<std::uint32_t>& order);
/// `tree` below a new root: `root` becomes the parent of the old one. Positions are mapped first:
/// v becomes label[v].
Tree grafted(const Tree& tree, const std::vector<std::uint32_t>& label, std::uint32_t root);

/// Two binary trees of height ceil(lg n) over 0..n-1; a position that is inner in one is a leaf in
/// the other (n even; for n odd with the exception of 0), so that both together load every wire
/// evenly. Sanders, Speck & Traeff, "Two-tree algorithms for full bandwidth broadcast, reduction
/// and scan", Parallel Computing 35 (2009); numbered as NCCL does: the second is the first mirrored
/// (n even) or shifted by one (n odd). n = 3 alone is wired differently, as 1 over 0 and 2:
/// shifting would lead both trees over the wire 0 -> 2.
std::array<Tree, 2> double_binary_tree(std::uint32_t n);

}  // namespace ringside::algorithms
