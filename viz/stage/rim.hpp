#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "viz/stage/geometry.hpp"

namespace ringside::stage {

/// The edge of an ellipse in equal pieces, clockwise from the top: where ranks stand that are too
/// many for boxes. What a piece shows goes from the inner edge outwards.
class Rim {
 public:
  Rim() = default;
  Rim(Point centre, Point radius, std::uint32_t pieces);

  static constexpr double inner = 0.76;  ///< of the radius
  bool is_empty() const { return middles_.empty(); }
  Point centre() const { return centre_; }
  Point radius() const { return radius_; }

  /// `depth`: 0 at the inner edge, 1 at the outer one.
  struct Spot {
    std::uint32_t piece = 0;
    double depth = 0;
    bool is_gap = false;  ///< at the border to the next piece
  };
  std::optional<Spot> at(Point p) const;
  /// On the line from the centre through the middle of a piece.
  Point on(std::uint32_t piece, double depth) const;
  Path outline(std::uint32_t piece) const;

 private:
  Point at_angle(double angle, double share) const;
  double begin(std::uint32_t piece) const;

  Point centre_, radius_;
  std::vector<double> middles_;  // angles from the top, clockwise, of the ellipse's parameter
};

/// `count` points at equal distances along an ellipse, clockwise from the top: equal angles would
/// crowd its ends. Two stand left and right.
Path points_around(Point centre, Point radius, std::size_t count);

}  // namespace ringside::stage
