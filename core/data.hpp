#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/backend.hpp"
#include "core/collective.hpp"
#include "core/element.hpp"

namespace ringside {

/// All that the right answer depends on: no schedule, no algorithm.
struct Problem {
  CollectiveSpec spec;
  std::uint64_t count = 0;  ///< as NCCL: a block where is_blocked(kind), else the whole vector
  ElementType type = ElementType::float32;
  ReduceOp op = ReduceOp::sum;
  double mulsum_scalar = 1;

  bool adds() const { return op == ReduceOp::sum || op == ReduceOp::avg || op == ReduceOp::mulsum; }
};
Problem problem_of(const Work& work);

enum class DataKind : std::uint8_t {
  /// Every order and tree of additions gives the same bits, so there is no tolerance: what is wrong
  /// is wrong. Blind to lost precision, hence the next.
  exact,
  /// Random reals; the result must lie within the bound of the longest chain of roundings,
  /// ((1+u)^h - 1) * sum|x| (Higham, "Accuracy and Stability of Numerical Algorithms", 2002, 4.2).
  real,
  /// NaN, infinities, both zeros, denormals, the largest values; INT_MIN and wrapping.
  special,
};
inline constexpr std::size_t data_kind_count = 3;
std::string_view name(DataKind kind);

/// What one comparison found.
struct Comparison {
  std::uint64_t checked = 0, wrong = 0;  ///< elements
  std::string first;                     ///< one sentence on the first wrong one
  Comparison& operator+=(const Comparison& other);
};

/// Inputs that depend on rank, index and seed, and the outputs they must give, computed from the
/// collective's definition alone. Exact sums keep every partial sum a small integer times a power
/// of two; where a type has too few bits for all ranks at once, as many as fit contribute to one
/// element, the next ones to the next element, and the others give zero (products: -1). Long
/// vectors repeat a tile (core/data_pattern.hpp), never at the same distance.
class DataSet {
 public:
  DataSet(const Problem& problem, DataKind kind, std::uint64_t seed);

  const Problem& problem() const { return problem_; }
  /// Element `index` of rank's whole vector, as bits. A pure function; any index, any size.
  std::uint64_t input(Rank rank, std::uint64_t index) const;
  /// Writes the elements that the collective gives this rank; the rest of `vector`, which is the
  /// whole vector, stays as it is.
  void fill(Rank rank, std::span<std::byte> vector) const;
  /// How many of them are not as fill() wrote them.
  std::uint64_t changed(Rank rank, std::span<const std::byte> vector) const;
  /// Compares the elements that the collective promises this rank. `vector` is the whole vector.
  Comparison check(Rank rank, std::span<const std::byte> vector) const;
  /// Compares these ranks' outputs.
  Comparison check(const Memory& memory, std::span<const Rank> ranks) const;

  /// Elements [first, last) of the whole vector.
  struct Range {
    std::uint64_t first = 0, last = 0;
  };
  Range given(Rank rank) const;     ///< as input
  Range promised(Rank rank) const;  ///< as output

  /// What one output element must be: these bits, or within tolerance of value.
  struct Expected {
    std::uint64_t bits = 0;
    long double value = 0, tolerance = 0;
  };
  Expected expected(Rank rank, std::uint64_t index) const;

  /// A test of the data themselves: the first rank without whose input every element of a reduction
  /// would be right all the same. None unless the vector is too short for all ranks to take part.
  std::optional<Rank> rank_without_effect() const;

 private:
  struct Place {
    Rank rank;
    std::uint64_t index;
    std::span<const std::byte> vector;
  };
  /// Elements from `first` of a rank's input (none: of the reduction), promised to lie from `to`.
  struct Stretch {
    std::optional<Rank> source{};
    std::uint64_t first = 0, to = 0, elements = 0;
  };
  class Reference;                                                  // core/data_check.cpp
  std::uint64_t input_at(Rank rank, std::uint64_t position) const;  ///< in the tile
  Expected reduced_at(std::uint64_t position) const;
  Expected reduction_of(const std::vector<std::uint64_t>& inputs) const;
  std::vector<Stretch> stretches(Rank rank) const;
  void compare(Rank rank, std::span<const std::byte> vector, Reference& reference,
               Comparison& found) const;
  void compare(const Place& at, const Expected& wanted, Comparison& found) const;
  bool within_bound() const;  ///< results are rounded: the bound decides, not the bits
  bool matches(std::uint64_t bits, const Expected& expected) const;

  Problem problem_;
  DataKind kind_;
  std::uint64_t seed_;
};

}  // namespace ringside
