// The circle: who has what, and what is on its way to whom.

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "core/message.hpp"
#include "viz/figure/parts.hpp"
#include "viz/terminal/state_view.hpp"

namespace ringside::figure {
namespace {

constexpr double heading_height = 58, legend_height = 34;
constexpr std::uint32_t most_named = 16;  // ranks whose boxes have room for a name
constexpr std::uint32_t most_ticks = 16;  // contributors that a flying chunk has room for

class Stage {
 public:
  Stage(Svg& svg, const FigureContext& context, const Box& area)
      : svg_(svg), context_(context), area_(area), circle_(region(area), crowd(context)) {
    for (const stage::UnderWay& u : context.under_way) {
      const Transfer& t = context.run.schedule[u.id];
      const double words = text_width(cargo_label(context.chunks_of(u.id)), 13);
      travellers_.push_back({t.src().rank, t.dst().rank, u.progress, words});
    }
    chips_ = place_chips(circle_, travellers_);
    for (const Transfer& t : context.run.schedule.transfers())
      if (!t.is_local()) connections_.insert({t.src().rank, t.dst().rank});
  }

  void draw() {
    heading();
    idle_ways();
    busy_ways();
    for (Rank r{0}; r.value < context_.participants(); ++r.value) box(r);
    for (std::size_t i = 0; i < chips_.boxes.size(); ++i) chip(i);
    clock();
    legend();
  }

 private:
  static Box region(const Box& area) {
    return {area.x, area.y + heading_height, area.width,
            area.height - heading_height - legend_height};
  }
  static Circle::Crowd crowd(const FigureContext& context) {
    Circle::Crowd crowd{.order = {}, .agents = context.run.schedule.agents()};
    const auto& rings = context.run.plan.options.rank_order;
    if (!rings.empty()) crowd.order = rings.front();
    for (Rank r{0}; rings.empty() && r.value < context.ranks(); ++r.value) crowd.order.push_back(r);
    return crowd;
  }

  void heading();
  void idle_ways();
  void busy_ways();
  void box(Rank rank);
  void bars(Rank rank, const Box& area);
  void chip(std::size_t nth);
  void ticks(const Box& chip, TransferId id, std::string_view ink);
  void clock();
  void legend();
  bool centre_is_free() const;

  Svg& svg_;
  const FigureContext& context_;
  Box area_;
  Circle circle_;
  std::vector<Traveller> travellers_;
  Chips chips_;
  std::set<std::pair<Rank, Rank>> connections_;
};

std::string path_data(const Way& way) {
  const auto pair = [](Point p) { return svg_number(p.x) + "," + svg_number(p.y); };
  return "M" + pair(way.from) + " Q" + pair(way.control) + " " + pair(way.to);
}

void Stage::heading() {
  const auto& schedule = context_.run.schedule;
  const auto& under_way = context_.under_way;
  std::string now = context_.now.picoseconds == 0 ? "start" : "nothing on its way";
  if (context_.now >= context_.run.simulation.time) now = "done";
  if (!under_way.empty()) {
    const Step first = schedule.step(under_way.front().id),
               last = schedule.step(under_way.back().id);
    now = first == last
              ? terminal::describe_step(first, schedule.steps())
              : fmt::format("s = {} to {}, of {} steps", first.value, last.value, schedule.steps());
  }
  svg_.text({area_.x, area_.y + 18}, "s20 b", now);
  if (context_.run.plan.algorithm != nullptr)
    svg_.text({area_.x, area_.y + 41}, "s15 quiet", context_.run.plan.algorithm->summary);
}

/// All connections the schedule uses, where that still is a picture.
void Stage::idle_ways() {
  if (connections_.size() > 6 * std::size_t{context_.participants()}) return;
  svg_.open("g", attribute("class", "ways") + attribute("fill", "none") +
                     attribute("stroke", context_.theme.faint) + attribute("stroke-width", 1.5));
  std::set<std::pair<Rank, Rank>> busy;
  for (const Traveller& t : travellers_) busy.insert({t.from, t.to});
  for (const auto& way : connections_)
    if (!busy.contains(way)) svg_.path(path_data(circle_.way(way.first, way.second)), "");
  svg_.close("g");
}

void Stage::busy_ways() {
  svg_.open("g", attribute("class", "busy") + attribute("fill", "none") +
                     attribute("stroke", context_.theme.wire) +
                     attribute("stroke-width", chips_.size == ChipSize::speck ? 1 : 2) +
                     (chips_.size == ChipSize::speck ? attribute("stroke-opacity", 0.6) : ""));
  const auto arrow = context_.ranks() > most_named || chips_.size == ChipSize::speck
                         ? ""
                         : attribute("marker-end", "url(#arrow)");
  for (const Way& way : chips_.ways) svg_.path(path_data(way), arrow);
  svg_.close("g");
}

void Stage::box(Rank rank) {
  const Box& box = circle_.box(rank);
  svg_.open("g", attribute("class", "rank"));
  svg_.rect(box,
            attribute("fill", context_.theme.box) + attribute("stroke", context_.theme.edge) +
                attribute("stroke-width", 1.25),
            context_.ranks() <= most_named ? 8 : 3);
  Box inside = box.grown(context_.ranks() <= most_named ? -8 : -4);
  if (context_.ranks() <= most_named) {
    const bool roomy = context_.ranks() <= 8;
    const double name_height = roomy ? 20 : 15;
    svg_.text({roomy ? box.x + 10 : box.centre().x, box.y + name_height},
              roomy ? "s15 b" : "s13 b m", context_.name_of(rank));
    inside.y = box.y + name_height + 6;
    inside.height = box.bottom() - inside.y - (roomy ? 9 : 6);
  }
  bars(rank, inside);
  svg_.close("g");
}

/// A bar a chunk: how many of the contributions that it will hold are in. Chunks too thin to see
/// share one bar.
void Stage::bars(Rank rank, const Box& area) {
  const auto& schedule = context_.run.schedule;
  const bool is_agent = rank.value >= context_.ranks();
  const auto slots = is_agent ? schedule.scratch_chunks() : schedule.chunks();
  const double pitch = area.width / std::max(1u, slots);
  const double gap = pitch >= 6 ? 2 : pitch >= 2.5 ? 0.75 : 0;
  double sum = 0;
  if (gap <= 0.75) svg_.rect(area, attribute("fill", context_.theme.trough));
  for (std::uint32_t c = 0; c < slots; ++c) {
    const auto value = is_agent ? context_.timeline.at(scratch(rank.value, c), context_.now)
                                : context_.timeline.shown(rank, ChunkId{c}, context_.now);
    const double share = double(context_.story.count(value.parts)) / context_.story.complete();
    sum += share;
    if (pitch < 1) continue;
    const double x = area.x + c * pitch, full = area.height;
    if (gap > 0.75)
      svg_.rect({x, area.y, pitch - gap, full}, attribute("fill", context_.theme.trough), 1);
    if (share > 0)
      svg_.rect({x, area.bottom() - share * full, pitch - gap, share * full},
                attribute("fill", chunk_fill(context_.story.chunk(value.parts))),
                gap > 0.75 ? 1 : 0);
  }
  if (pitch >= 1 || slots == 0) return;
  const double share = sum / slots;
  svg_.rect({area.x, area.bottom() - share * area.height, area.width, share * area.height},
            attribute("fill", context_.theme.wire));
}

void Stage::chip(std::size_t nth) {
  const Box& box = chips_.boxes[nth];
  const TransferId id = context_.under_way[nth].id;
  const auto chunks = context_.chunks_of(id);
  svg_.open("g", attribute("class", "chip"));
  if (chips_.size == ChipSize::dot || chips_.size == ChipSize::speck) {
    svg_.circle(box.centre(), box.width / 2 - 1, attribute("fill", chunk_fill(chunks.front())));
    svg_.close("g");
    return;
  }
  draw_cargo(svg_, box, chunks, chunks.size() == 1 ? attribute("rx", 4) : "");
  const bool full = chips_.size == ChipSize::full;
  label_cargo(svg_, {box.x, box.y, box.width, full ? 22 : box.height}, chunks);
  if (full) ticks(box, id, cargo_ink(chunks));
  svg_.close("g");
}

/// Whose contributions it carries: of the first chunk, where there are several.
void Stage::ticks(const Box& chip, TransferId id, std::string_view ink) {
  if (context_.ranks() > most_ticks) return;
  const auto present = context_.contributors(context_.story.cargo(id));
  const double pitch = (chip.width - 8) / context_.ranks();
  for (std::uint32_t r = 0; r < context_.ranks(); ++r)
    svg_.rect({chip.x + 4 + r * pitch, chip.bottom() - 11, pitch * 0.72, 7},
              attribute("fill", ink) + (present[r] ? "" : attribute("fill-opacity", 0.22)));
}

bool Stage::centre_is_free() const {
  const Box words = Box::around(circle_.centre(), 260, 130);
  for (const auto& [from, to] : connections_)
    for (double u = 0; u <= 1; u += 0.02)
      if (words.contains(circle_.way(from, to).at(u))) return false;
  return std::ranges::none_of(circle_.boxes(), [&](const Box& b) { return b.overlaps(words); });
}

/// What time it is, and how much has been sent; in the middle, or in the corner if things fly
/// there.
void Stage::clock() {
  const auto& run = context_.run;
  const ChunkLayout layout(run.schedule.spec(), run.schedule.chunks(), run.row.count.value_or(0));
  const double element = run.row.type ? double(size_of(*run.row.type).count) : 0;
  double sent = 0, total = 0;
  for (TransferId id{0}; id.value < run.schedule.transfers().size(); ++id.value) {
    if (run.schedule[id].is_local()) continue;
    const double bytes = element * double(message_elements(run.schedule[id], layout));
    total += bytes;
    sent += bytes * stage::fraction(context_.span(id).begin, context_.span(id).read, context_.now);
  }
  const auto now = with_micro(to_string(context_.now));
  const auto end = "of " + with_micro(to_string(run.simulation.time));
  const auto traffic = fmt::format("{} of {} sent", about(sent), about(total));
  if (centre_is_free()) {
    const Point c = circle_.centre();
    svg_.text({c.x, c.y - 4}, "s34 b m", now);
    svg_.text({c.x, c.y + 22}, "s17 quiet m", end);
    svg_.text({c.x, c.y + 48}, "s15 quiet m", traffic);
  } else {
    svg_.raw(fmt::format(
        "<text {}{}class=\"s20 e\"><tspan class=\"b\">{}</tspan>"
        "<tspan class=\"s15 quiet\" dx=\"8\">{}</tspan></text>\n",
        attribute("x", area_.right()), attribute("y", area_.y + 18), now, end + " · " + traffic));
  }
}

void Stage::legend() {
  const bool sums = reduces(context_.run.schedule.spec().kind);
  std::string text =
      sums ? "bar: how many ranks' parts a chunk holds" : "bar: this rank has the chunk";
  if (chips_.size == ChipSize::full && !chips_.boxes.empty() && context_.ranks() <= most_ticks)
    text += "   ·   ticks on a flying chunk: whose parts it carries";
  svg_.text({area_.x, area_.bottom() - 6}, "s14 quiet", text);
}

}  // namespace

void draw_stage(Svg& svg, const FigureContext& context, const Box& area) {
  Stage(svg, context, area).draw();
}

}  // namespace ringside::figure
