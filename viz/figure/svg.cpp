#include "viz/figure/svg.hpp"

#include <fmt/format.h>

namespace ringside::figure {
namespace {

/// Bytes of the well-formed UTF-8 sequence at the front, 0 if there is none (RFC 3629; overlong
/// forms of three and four bytes pass, which no XML reader minds).
std::size_t sequence_length(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const auto lead = byte(0);
  const std::size_t length = lead < 0x80   ? 1
                             : lead < 0xC2 ? 0
                             : lead < 0xE0 ? 2
                             : lead < 0xF0 ? 3
                             : lead < 0xF5 ? 4
                                           : 0;
  if (length == 0 || length > text.size()) return 0;
  for (std::size_t i = 1; i < length; ++i)
    if ((byte(i) & 0xC0) != 0x80) return 0;
  const bool surrogate = lead == 0xED && byte(1) >= 0xA0;
  const bool not_a_character = lead == 0xEF && byte(1) == 0xBF && byte(2) >= 0xBE;
  return surrogate || not_a_character ? 0 : length;
}

}  // namespace

std::string svg_number(double value) {
  // The nudge keeps exact halves from falling either way with the last bit of a computation.
  auto text = fmt::format("{:.2f}", value + 1e-7);
  while (text.back() == '0') text.pop_back();
  if (text.back() == '.') text.pop_back();
  return text == "-0" ? "0" : text;
}

std::string svg_escaped(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const auto length = sequence_length(text);
    const char c = text.front();
    const bool control = static_cast<unsigned char>(c) < 0x20 && c != '\t' && c != '\n';
    if (length == 0 || control)
      out += '?';
    else if (c == '&')
      out += "&amp;";
    else if (c == '<')
      out += "&lt;";
    else if (c == '>')
      out += "&gt;";
    else if (c == '"')
      out += "&quot;";
    else
      out += text.substr(0, length);
    text.remove_prefix(length == 0 ? 1 : length);
  }
  return out;
}

std::string attribute(std::string_view name, std::string_view value) {
  return fmt::format("{}=\"{}\" ", name, svg_escaped(value));
}

std::string attribute(std::string_view name, double value) {
  return fmt::format("{}=\"{}\" ", name, svg_number(value));
}

void Svg::open(std::string_view element, std::string_view attributes) {
  out_ += fmt::format("<{}{}{}>\n", element, attributes.empty() ? "" : " ", attributes);
}

void Svg::close(std::string_view element) {
  out_ += fmt::format("</{}>\n", element);
}

void Svg::rect(const Box& box, std::string_view attributes, double radius) {
  out_ += fmt::format("<rect {}{}{}{}{}{}/>\n", attribute("x", box.x), attribute("y", box.y),
                      attribute("width", box.width), attribute("height", box.height),
                      radius > 0 ? attribute("rx", radius) : "", attributes);
}

void Svg::circle(Point centre, double radius, std::string_view attributes) {
  out_ += fmt::format("<circle {}{}{}{}/>\n", attribute("cx", centre.x), attribute("cy", centre.y),
                      attribute("r", radius), attributes);
}

void Svg::line(Point from, Point to, std::string_view attributes) {
  out_ += fmt::format("<line {}{}{}{}{}/>\n", attribute("x1", from.x), attribute("y1", from.y),
                      attribute("x2", to.x), attribute("y2", to.y), attributes);
}

void Svg::path(std::string_view data, std::string_view attributes) {
  out_ += fmt::format("<path {}{}/>\n", attribute("d", data), attributes);
}

void Svg::text(Point baseline, std::string_view classes, std::string_view text) {
  out_ += fmt::format("<text {}{}{}>{}</text>\n", attribute("x", baseline.x),
                      attribute("y", baseline.y), attribute("class", classes), svg_escaped(text));
}

}  // namespace ringside::figure
