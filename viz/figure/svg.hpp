#pragma once

#include <string>
#include <string_view>

#include "viz/stage/geometry.hpp"

namespace ringside::figure {

using stage::Box;
using stage::Point;

/// Two decimals at most, no trailing zeros, never `-0`: the same bytes everywhere.
std::string svg_number(double value);
/// Text for an element or an attribute; what XML cannot hold (control characters, broken UTF-8)
/// becomes `?`.
std::string svg_escaped(std::string_view text);
/// `name="value" `, the value escaped.
std::string attribute(std::string_view name, std::string_view value);
std::string attribute(std::string_view name, double value);

/// Appends elements to one growing document. `attributes` are ready to use: see attribute().
class Svg {
 public:
  void open(std::string_view element, std::string_view attributes = "");
  void close(std::string_view element);
  void rect(const Box& box, std::string_view attributes, double radius = 0);
  void circle(Point centre, double radius, std::string_view attributes);
  void line(Point from, Point to, std::string_view attributes);
  void path(std::string_view data, std::string_view attributes);
  /// `classes` pick size, weight, colour and anchor from the style sheet.
  void text(Point baseline, std::string_view classes, std::string_view text);
  /// Text that is markup already.
  void raw(std::string_view markup) { out_ += markup; }

  const std::string& str() const { return out_; }

 private:
  std::string out_;
};

}  // namespace ringside::figure
