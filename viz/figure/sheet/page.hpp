#pragma once

#include <string>
#include <string_view>

#include "core/ids.hpp"
#include "core/schedule.hpp"
#include "viz/figure/svg.hpp"
#include "viz/figure/theme.hpp"
#include "viz/stage/words.hpp"

namespace ringside::figure {

/// One thing to say, in both languages. `*so*` is emphasised.
struct Said {
  std::string_view en, zh;
};

/// How text looks. Sizes are the page's units, a tenth of a millimetre: 25 is about 7 points.
struct Type {
  double size = 25;
  std::string_view colour{};  ///< empty: ink
  bool bold = false;
  enum class Anchor : std::uint8_t { start, middle, end } anchor = Anchor::start;
};

/// A sheet of paper to write and draw on, in one language. Text that has no room is a bug of the
/// sheet's words, found by whoever makes it.
class Page {
 public:
  static constexpr double width = 2100, height = 2970, margin = 80;

  Page(Svg& svg, stage::Language language);

  Svg& svg() { return svg_; }
  const Theme& theme() const { return theme_; }
  bool is_chinese() const { return language_ == stage::Language::chinese; }
  std::string_view say(const Said& said) const { return is_chinese() ? said.zh : said.en; }

  /// One line that must not be wider than `room`.
  void line(Point baseline, std::string_view text, const Type& type, double room = width);
  /// As many lines as it takes, broken between words, or between Chinese characters; its first one
  /// at the top of `box`, none below it. Returns where the next line would start.
  double paragraph(const Box& box, std::string_view text, const Type& type = {});
  /// `1  The title ------`: returns where its section's content starts.
  double heading(const Box& area, int number, const Said& title, const Said& aside = {});
  /// A collective's name on its colour; returns its right edge.
  double pill(Point left_middle, std::string_view text, std::string_view fill);
  void panel(const Box& box);
  /// From one place to another, with a head.
  void arrow(Point from, Point to, std::string_view colour, double stroke = 4);

 private:
  Svg& svg_;
  stage::Language language_;
  const Theme& theme_;
};

/// About how wide that is, emphasis marks aside: by the classes of letters, a little too much.
double sheet_width(std::string_view text, const Type& type);

/// A proven schedule of a chunk a rank, of an algorithm that must exist and suit.
Schedule sheet_schedule(const CollectiveSpec& spec, std::string_view algorithm);

}  // namespace ringside::figure
