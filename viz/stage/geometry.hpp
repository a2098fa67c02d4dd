#pragma once

#include <vector>

namespace ringside::stage {

/// Places and sizes in a picture's own units; y points down.
struct Point {
  double x = 0, y = 0;
  friend bool operator==(const Point&, const Point&) = default;
};

constexpr Point operator+(Point a, Point b) {
  return {a.x + b.x, a.y + b.y};
}
constexpr Point operator-(Point a, Point b) {
  return {a.x - b.x, a.y - b.y};
}
constexpr Point operator*(double s, Point p) {
  return {s * p.x, s * p.y};
}
constexpr Point mix(Point a, Point b, double u) {
  return (1 - u) * a + u * b;
}
double length(Point p);
/// Of length 1, to the right of someone who walks along `p`.
Point right_of(Point p);

struct Box {
  double x = 0, y = 0, width = 0, height = 0;
  double right() const { return x + width; }
  double bottom() const { return y + height; }
  Point centre() const { return {x + width / 2, y + height / 2}; }
  Box grown(double by) const { return {x - by, y - by, width + 2 * by, height + 2 * by}; }
  bool contains(Point p) const { return p.x > x && p.x < right() && p.y > y && p.y < bottom(); }
  bool overlaps(const Box& other) const {
    return x < other.right() && other.x < right() && y < other.bottom() && other.y < bottom();
  }
  /// Some point of the line from `a` to `b` is in it.
  bool is_crossed(Point a, Point b) const;
  bool is_empty() const { return width <= 0 || height <= 0; }
  static Box around(Point centre, double width, double height) {
    return {centre.x - width / 2, centre.y - height / 2, width, height};
  }
};

/// Points joined by straight lines.
using Path = std::vector<Point>;
/// The point a share `u` of the way along it, 0..1, measured in its length. `path` is not empty.
Point along(const Path& path, double u);
Path reversed(Path path);
/// A Bezier curve that begins towards `control` and ends coming from it.
Path curve(Point from, Point control, Point to);
/// With its corners cut to curves that begin `radius` before them.
Path rounded(const Path& path, double radius);
/// The way of a box twice as large as `half` that rides to the right of it and touches it.
Path beside(const Path& path, Point half);
/// The part of it that lies outside both boxes: from where it leaves `from` for good to where it
/// first enters `to`. A point in the middle if there is none.
Path outside(const Path& path, const Box& from, const Box& to);

/// A path to be walked often: along() in O(log points).
class Way {
 public:
  explicit Way(Path path);
  const Path& path() const { return path_; }
  Point at(double u) const;
  Point heading(double u) const;  ///< its direction there

 private:
  Path path_;
  std::vector<double> walked_;  // to every point
};

/// By how much boxes of this size around neighbouring points of a closed round have to shrink so
/// that none touches the next; at most 1.
double shrink_to_fit(const Path& round, double width, double height);

}  // namespace ringside::stage
