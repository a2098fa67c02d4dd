#include "viz/figure/sheet/page.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/assert.hpp"
#include "core/engine.hpp"

namespace ringside::figure {
namespace {

constexpr double line_height = 1.36;  // of a size
constexpr std::string_view accent = "#0a5f96";

/// One character of UTF-8 from the front.
std::string_view character(std::string_view text) {
  std::size_t length = 1;
  while (length < text.size() && (static_cast<unsigned char>(text[length]) & 0xC0) == 0x80)
    ++length;
  return text.substr(0, length);
}

/// Chinese characters, and their punctuation.
bool is_wide(std::string_view one) {
  const auto lead = static_cast<unsigned char>(one[0]);
  return one.size() == 3 && (lead >= 0xE3 && lead <= 0xE9);  // U+3000 to U+9FFF
}
bool is_full_width_mark(std::string_view one) {
  return one.size() == 3 && static_cast<unsigned char>(one[0]) == 0xEF;  // U+F000 and on
}

/// In sizes, of the widest fonts of the family list.
double advance(std::string_view one) {
  if (one == "*") return 0;
  if (is_wide(one) || is_full_width_mark(one)) return 1;
  if (one.size() > 1) return one == "·" ? 0.32 : 0.68;
  const char c = one[0];
  if (c == ' ') return 0.29;
  if (std::string_view("iljI.,:;|'!()[]ft/").find(c) != std::string_view::npos) return 0.36;
  if (std::string_view("mwMW%").find(c) != std::string_view::npos) return 0.92;
  if ((c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9')) return 0.67;
  return 0.585;
}

/// A mark that must not begin a line.
bool closes(std::string_view one) {
  static constexpr std::string_view marks[] = {"，", "。", "；", "：", "、", "）", "！", "？", "”"};
  return std::ranges::find(marks, one) != std::end(marks);
}

/// What a line may be broken between: words with the space after them, single Chinese characters
/// with the marks that follow. A mark of emphasis stays with what it is about.
std::vector<std::string> pieces(std::string_view text) {
  std::vector<std::string> all;
  bool may_break = true, emphasised = false;
  while (!text.empty()) {
    const auto one = character(text);
    const bool wide = is_wide(one) || is_full_width_mark(one), star = one == "*";
    const bool joins = closes(one) || one == " " || (star && emphasised);
    const bool begins = star || wide || all.empty();
    if (all.empty() || (!joins && (may_break || (begins && !all.back().ends_with('*')))))
      all.emplace_back();
    all.back() += one;
    emphasised ^= star;
    if (!star || emphasised) may_break = one == " " || (wide && one != "（" && one != "“");
    text.remove_prefix(one.size());
  }
  return all;
}

bool is_chinese_text(std::string_view text) {
  for (; !text.empty(); text.remove_prefix(character(text).size()))
    if (is_wide(character(text))) return true;
  return false;
}

/// Of a font that has one weight, as Chinese ones often do: bold is drawn with a pen.
std::string pen(std::string_view text, double size, std::string_view colour) {
  if (!is_chinese_text(text)) return "";
  return attribute("stroke", colour) + attribute("stroke-width", 0.028 * size);
}

std::string font(const Type& type, std::string_view ink, std::string_view words) {
  const auto colour = type.colour.empty() ? ink : type.colour;
  std::string text = attribute("font-size", type.size) + attribute("fill", colour);
  if (type.bold) text += attribute("font-weight", "600") + pen(words, type.size, colour);
  if (type.anchor != Type::Anchor::start)
    text += attribute("text-anchor", type.anchor == Type::Anchor::middle ? "middle" : "end");
  return text;
}

/// `*so*` as a span of its own; `open` says whether the line before ended inside one.
std::string marked(std::string_view text, double size, bool& open) {
  std::string out;
  while (!text.empty()) {
    const auto star = text.find('*');
    const auto part = text.substr(0, star);
    if (open && !part.empty())
      out += fmt::format("<tspan fill=\"{}\" font-weight=\"600\" {}>{}</tspan>", accent,
                         pen(part, size, accent), svg_escaped(part));
    else
      out += svg_escaped(part);
    if (star == std::string_view::npos) break;
    open = !open;
    text.remove_prefix(star + 1);
  }
  return out;
}

}  // namespace

Page::Page(Svg& svg, stage::Language language)
    : svg_(svg), language_(language), theme_(**find_theme("light")) {}

void Page::line(Point baseline, std::string_view text, const Type& type, double room) {
  RS_ASSERT(sheet_width(text, type) <= room, std::string(text) + " has room on the page");
  bool open = false;
  svg_.raw(fmt::format("<text {}{}{}>{}</text>\n", attribute("x", baseline.x),
                       attribute("y", baseline.y), font(type, theme_.ink, text),
                       marked(text, type.size, open)));
}

double Page::paragraph(const Box& box, std::string_view text, const Type& type) {
  std::vector<std::string> lines(1);
  for (const auto& piece : pieces(text)) {
    auto whole = lines.back() + piece;
    while (whole.ends_with(' ')) whole.pop_back();
    if (!lines.back().empty() && sheet_width(whole, type) > box.width) lines.emplace_back();
    lines.back() += piece;
  }
  double y = box.y;
  bool open = false;
  for (const auto& each : lines) {
    y += type.size * line_height;
    RS_ASSERT(y <= box.bottom() + type.size * 0.4, std::string(text) + " has room on the page");
    svg_.raw(fmt::format("<text {}{}{}>{}</text>\n", attribute("x", box.x),
                         attribute("y", y - type.size * 0.3), font(type, theme_.ink, each),
                         marked(each, type.size, open)));
  }
  return y;
}

double Page::heading(const Box& area, int number, const Said& title, const Said& aside) {
  svg_.circle({area.x + 21, area.y + 21}, 21, attribute("fill", accent));
  line({area.x + 21, area.y + 31}, fmt::format("{}", number),
       {.size = 28, .colour = "#ffffff", .bold = true, .anchor = Type::Anchor::middle});
  const Type type{.size = 36, .bold = true};
  line({area.x + 56, area.y + 33}, say(title), type);
  if (!say(aside).empty())
    line({area.right(), area.y + 32}, say(aside),
         {.size = 24, .colour = theme_.quiet, .anchor = Type::Anchor::end},
         area.width - 76 - sheet_width(say(title), type));
  svg_.line({area.x, area.y + 52}, {area.right(), area.y + 52},
            attribute("stroke", accent) + attribute("stroke-width", 2));
  return area.y + 66;
}

double Page::pill(Point left_middle, std::string_view text, std::string_view fill) {
  const Type type{.size = 24, .colour = "#ffffff", .bold = true};
  const double wide = sheet_width(text, type) + 28;
  svg_.rect({left_middle.x, left_middle.y - 19, wide, 38}, attribute("fill", fill), 19);
  Type middle = type;
  middle.anchor = Type::Anchor::middle;
  line({left_middle.x + wide / 2, left_middle.y + 8.5}, text, middle);
  return left_middle.x + wide;
}

void Page::panel(const Box& box) {
  svg_.rect(box, attribute("fill", theme_.panel), 12);
}

void Page::arrow(Point from, Point to, std::string_view colour, double stroke) {
  const Point along = 1 / std::max(1e-9, stage::length(to - from)) * (to - from);
  const Point side = stage::right_of(to - from);
  const double head = stroke * 3;
  const Point base = to - head * along;
  svg_.line(from, base, attribute("stroke", colour) + attribute("stroke-width", stroke));
  const Point a = base + head * 0.55 * side, b = base - head * 0.55 * side;
  svg_.path(fmt::format("M{},{} {},{} {},{} z", svg_number(to.x), svg_number(to.y), svg_number(a.x),
                        svg_number(a.y), svg_number(b.x), svg_number(b.y)),
            attribute("fill", colour));
}

double sheet_width(std::string_view text, const Type& type) {
  double sum = 0;
  while (!text.empty()) {
    const auto one = character(text);
    sum += advance(one);
    text.remove_prefix(one.size());
  }
  return sum * type.size * (type.bold ? 1.04 : 1);
}

Schedule sheet_schedule(const CollectiveSpec& spec, std::string_view algorithm) {
  const auto found = find_algorithm(spec.kind, algorithm);
  RS_ASSERT(found, "the sheet names algorithms there are");
  const auto plan = make_plan(**found, spec, {.chunks = spec.ranks});
  RS_ASSERT(plan, "the sheet asks for what they can do");
  auto schedule = build_proven(*plan);
  RS_ASSERT(schedule, "an algorithm of ours is right");
  return *std::move(schedule);
}

}  // namespace ringside::figure
