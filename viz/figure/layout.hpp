#pragma once

#include <cstdint>
#include <vector>

#include "core/ids.hpp"
#include "viz/figure/svg.hpp"

namespace ringside::figure {

/// Where the parts of a figure lie.
struct Frame {
  static constexpr double width = 1280, height = 800;
  Box stage, panel, timeline;
  Box field;       ///< of the timeline: where its bars are, from the start of the run to its end
  double row = 0;  ///< height of one rank's row in it
  explicit Frame(std::uint32_t participants);
};

/// A curved way between two boxes (a quadratic Bezier curve).
struct Way {
  Point from, control, to;
  Point at(double u) const;
  /// The part between two parameters.
  Way between(double u0, double u1) const;
};

/// Ranks as boxes around a circle, agents in a row through its middle.
class Circle {
 public:
  struct Crowd {
    std::vector<Rank> order;  ///< ranks clockwise from the top
    std::uint32_t agents = 0;
  };
  Circle(const Box& region, const Crowd& crowd);

  const Box& box(Rank rank) const { return boxes_[rank.value]; }
  const std::vector<Box>& boxes() const { return boxes_; }
  std::uint32_t ranks() const { return ranks_; }
  /// On the circle and next to each other.
  bool are_neighbours(Rank a, Rank b) const;
  /// From the middle of one box to the middle of another. Ways there and back do not coincide.
  Way way(Rank from, Rank to) const;
  Point centre() const { return centre_; }

 private:
  struct Seat {
    double angle = 0;
    std::uint32_t place = 0;
  };
  Point on_ellipse(double angle) const;
  double bend(Rank from, Rank to) const;
  void seat_ranks(const std::vector<Rank>& order);
  void seat_agents(std::uint32_t agents);

  Point centre_, radius_;
  std::uint32_t ranks_ = 0;
  std::vector<Seat> seats_;  // by rank
  std::vector<Box> boxes_;   // by rank, agents last
};

/// Something that travels: how far it is on its way from one box to another.
struct Traveller {
  Rank from, to;
  double progress = 0;
  double words = 0;  ///< width of its label
};

/// How much of a flying chunk there is room for.
enum class ChipSize { full, label, dot, speck };

/// Where travellers are: all of one size, the largest at which none covers another or a box.
struct Chips {
  ChipSize size = ChipSize::full;
  std::vector<Box> boxes;
  std::vector<Way> ways;  ///< from box edge to box edge
};
Chips place_chips(const Circle& circle, const std::vector<Traveller>& travellers);

}  // namespace ringside::figure
