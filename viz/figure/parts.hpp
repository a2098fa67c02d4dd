#pragma once

#include <string>
#include <vector>

#include "viz/figure/figure.hpp"
#include "viz/figure/layout.hpp"
#include "viz/stage/timeline.hpp"

namespace ringside::figure {

/// What every part of a figure is drawn from.
struct FigureContext {
  const PicturedRun& run;
  const stage::Story& story;
  const stage::Timeline& timeline;
  const Theme& theme;
  TimePoint now;                           ///< the moment shown
  std::vector<stage::UnderWay> under_way;  ///< then, by id

  std::uint32_t ranks() const { return run.schedule.spec().ranks; }
  std::uint32_t participants() const { return run.schedule.participants(); }
  /// Whose parts a value holds, by rank.
  std::vector<bool> contributors(const stage::Content& value) const;
  /// Of all that a transfer carries.
  std::vector<ChunkId> chunks_of(TransferId id) const;
  /// `rank 3`, `switch 0`.
  std::string name_of(Rank rank) const;
  const Span& span(TransferId id) const { return run.simulation.spans[id.value]; }
};

void draw_stage(Svg& svg, const FigureContext& context, const Box& area);
void draw_panel(Svg& svg, const FigureContext& context, const Box& area);
void draw_timeline(Svg& svg, const FigureContext& context, const Frame& frame);

/// `c3`, `c0–3`, or `c0+2` where two more that do not follow it travel along.
std::string cargo_label(const std::vector<ChunkId>& chunks);
/// Fills `box` with the colours of what is carried, from left to right; `attributes` go to the
/// first rectangle, which is all of the box.
void draw_cargo(Svg& svg, const Box& box, const std::vector<ChunkId>& chunks,
                std::string_view attributes);
/// Its name in the middle of `box`, on a plate where the colours under it would not let it be read.
void label_cargo(Svg& svg, const Box& box, const std::vector<ChunkId>& chunks);
/// Text on what draw_cargo() drew.
std::string_view cargo_ink(const std::vector<ChunkId>& chunks);
/// `440 MiB`: three digits, for people.
std::string about(double bytes);
/// A unit for people: `µs`.
std::string with_micro(std::string text);
/// About how wide `text` is at `size`, a little too much rather than too little.
double text_width(std::string_view text, double size);

}  // namespace ringside::figure
