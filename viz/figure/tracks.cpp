#include "viz/figure/tracks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <vector>

#include "core/assert.hpp"
#include "core/suggest.hpp"
#include "viz/figure/parts.hpp"

namespace ringside::figure {
namespace {

using Json = nlohmann::json;

constexpr double width = 1280, margin = 24, gutter = 190, top = 84;
constexpr double band = 22, track = 20, chart = 24, gap = 8;
constexpr double field_x = margin + gutter, field_width = width - margin - field_x;

struct Slice {
  double from = 0, to = 0;  // us
  std::string name;
  std::uint32_t colour = 0;
};
struct Track {
  std::string name;
  std::vector<Slice> slices;
  double y = 0;
};
struct Arrow {
  int from_track = 0, to_track = 0;
  double from = 0, to = 0;
};
struct Counter {
  std::vector<std::pair<double, double>> values;  // from when on, how much
  std::string unit;
};
struct Process {
  std::string name;
  std::map<int, Track> tracks;  // by thread
  std::vector<std::pair<std::string, Counter>> counters;
  double y = 0;
};

/// The events of the text by process, thread and counter.
struct Tracks {
  std::map<int, Process> processes;
  std::map<int, int> process_of;  // by thread: the ids of threads are unique
  std::map<std::uint64_t, Arrow> arrows;
  double end = 0;
  std::size_t slices = 0;

  explicit Tracks(const Json& events) {
    for (const Json& event : events) take(event);
  }

 private:
  void take(const Json& event);
  void name(const Json& event);
  void count(const Json& event, double at);
  std::uint32_t colour_of(const Json& event);

  std::map<std::string, std::uint32_t> names_;  // of slices without a step, in order of appearance
};

void Tracks::name(const Json& event) {
  const auto& what = event.at("name").get_ref<const std::string&>();
  Process& process = processes[event.at("pid")];
  if (what == "process_name") process.name = event.at("args").at("name");
  if (what != "thread_name") return;
  const int thread = event.at("tid");
  process.tracks[thread].name = event.at("args").at("name");
  process_of[thread] = event.at("pid");
}

void Tracks::count(const Json& event, double at) {
  auto& counters = processes[event.at("pid")].counters;
  const auto& called = event.at("name").get_ref<const std::string&>();
  auto found = std::ranges::find(counters, called, &std::pair<std::string, Counter>::first);
  if (found == counters.end()) found = counters.insert(counters.end(), {called, {}});
  const auto value = event.at("args").begin();
  found->second.unit = value.key();
  found->second.values.emplace_back(at, value->get<double>());
}

std::uint32_t Tracks::colour_of(const Json& event) {
  const Json& args = event.at("args");
  if (args.contains("step")) return args.at("step");
  const auto next = static_cast<std::uint32_t>(names_.size());
  return names_.try_emplace(event.at("name"), next).first->second;
}

void Tracks::take(const Json& event) {
  const auto& phase = event.at("ph").get_ref<const std::string&>();
  if (phase == "M") return name(event);
  const double at = event.at("ts");
  end = std::max(end, at);
  if (phase == "C") return count(event, at);
  const int thread = event.at("tid");
  auto& slices_here = processes[event.at("pid")].tracks[thread].slices;
  if (phase == "B") {
    slices_here.push_back({at, at, event.at("name"), colour_of(event)});
    ++slices;
  } else if (phase == "E") {
    slices_here.back().to = at;
  } else if (phase == "s") {
    Arrow& arrow = arrows[event.at("id")];
    arrow.from_track = thread, arrow.from = at;
  } else if (phase == "f") {
    Arrow& arrow = arrows[event.at("id")];
    arrow.to_track = thread, arrow.to = at;
  }
}

class Picture {
 public:
  Picture(Svg& svg, Tracks& tracks, const Theme& theme)
      : svg_(svg), tracks_(tracks), theme_(theme) {
    double y = top;
    for (auto& [id, process] : tracks_.processes) {
      process.y = y;
      y += band;
      for (auto& [thread, one] : process.tracks) one.y = y, y += track;
      const auto shown = std::min(process.counters.size(), most_counters);
      y += chart * static_cast<double>(shown) + gap;
      if (shown < process.counters.size()) y += track;
    }
    bottom_ = y;
  }
  double height() const { return bottom_ + margin; }
  void draw() {
    axis();
    for (const auto& [id, process] : tracks_.processes) draw(process);
    for (const auto& [id, arrow] : tracks_.arrows) draw(arrow);
  }

 private:
  double x(double us) const { return field_x + us / std::max(tracks_.end, 1e-6) * field_width; }
  double middle(int thread) const {
    return tracks_.processes.at(tracks_.process_of.at(thread)).tracks.at(thread).y + track / 2;
  }
  void axis();
  void draw(const Process& process);
  void draw(const Slice& slice, double y);
  void draw(const Arrow& arrow);
  void draw(const std::string& name, const Counter& counter, double y);

  Svg& svg_;
  Tracks& tracks_;
  const Theme& theme_;
  double bottom_ = 0;
};

/// A round distance between marks, of which there are about eight.
double round_step(double range) {
  double step = std::pow(10, std::floor(std::log10(range / 8)));
  for (const double factor : {2., 2.5, 2.})
    if (range / step > 10) step *= factor;
  return step;
}

void Picture::axis() {
  if (tracks_.end <= 0) return;
  const double step = round_step(tracks_.end);
  const bool is_long = tracks_.end >= 10'000;
  for (int i = 0; i * step <= tracks_.end * (1 + 1e-9); ++i) {
    const double at = x(i * step);
    svg_.line({at, top - 6}, {at, bottom_ - gap}, attribute("stroke", theme_.faint));
    svg_.text({at, top - 12}, i == 0 ? "s13 quiet" : "s13 quiet m",
              is_long ? fmt::format("{:g} ms", i * step / 1000) : fmt::format("{:g} µs", i * step));
  }
}

void Picture::draw(const Process& process) {
  svg_.rect({margin, process.y, width - 2 * margin, band - 4}, attribute("fill", theme_.trough), 3);
  svg_.text({margin + 8, process.y + 14}, "s13 b", process.name);
  for (const auto& [thread, one] : process.tracks) {
    svg_.text({margin + 16, one.y + 14}, "s13 quiet", one.name);
    for (const Slice& slice : one.slices) draw(slice, one.y);
  }
  double y = process.y + band + track * static_cast<double>(process.tracks.size());
  const auto shown = std::min(process.counters.size(), most_counters);
  for (std::size_t i = 0; i < shown; ++i, y += chart)
    draw(process.counters[i].first, process.counters[i].second, y);
  if (const auto more = process.counters.size() - shown; more > 0)
    svg_.text({margin + 16, y + 14}, "s13 quiet", "and " + counted(more, "link") + " more");
}

void Picture::draw(const Slice& slice, double y) {
  const Box box{x(slice.from), y + 2, std::max(0.75, x(slice.to) - x(slice.from)), track - 4};
  const ChunkId colour{slice.colour};
  svg_.rect(box, attribute("class", "slice") + attribute("fill", chunk_colour(colour)), 2);
  if (text_width(slice.name, 13) + 8 > box.width) return;
  svg_.raw(fmt::format("<text {}{}{}{}>{}</text>\n", attribute("x", box.x + 4),
                       attribute("y", y + 14), attribute("class", "s13"),
                       attribute("style", fmt::format("fill:{}", chunk_ink(colour))),
                       svg_escaped(slice.name)));
}

void Picture::draw(const Arrow& arrow) {
  const Point from{x(arrow.from), middle(arrow.from_track)},
      to{x(arrow.to), middle(arrow.to_track)};
  const double bend = 14;
  svg_.path(fmt::format("M{},{} C{},{} {},{} {},{}", svg_number(from.x), svg_number(from.y),
                        svg_number(from.x - bend), svg_number(from.y), svg_number(to.x - bend),
                        svg_number(to.y), svg_number(to.x), svg_number(to.y)),
            attribute("class", "arrow") + attribute("fill", "none") +
                attribute("stroke", theme_.ink) + attribute("stroke-opacity", "0.55") +
                attribute("marker-end", "url(#tip)"));
}

/// An area, as high as the most it ever was.
void Picture::draw(const std::string& name, const Counter& counter, double y) {
  double most = 0;
  for (const auto& [at, value] : counter.values) most = std::max(most, value);
  svg_.text({margin + 16, y + 16}, "s13 quiet", name);
  if (most <= 0) return;
  const double floor = y + chart - 2, height = chart - 6;
  std::string data = fmt::format("M{},{}", svg_number(field_x), svg_number(floor));
  for (const auto& [at, value] : counter.values)
    data += fmt::format(" H{} V{}", svg_number(x(at)), svg_number(floor - value / most * height));
  data += fmt::format(" H{} V{} Z", svg_number(x(tracks_.end)), svg_number(floor));
  svg_.path(data, attribute("class", "counter") + attribute("fill", theme_.wire) +
                      attribute("fill-opacity", "0.55"));
  const bool is_bytes = counter.unit == "bytes";
  svg_.text({field_x - 8, y + 16}, "s13 quiet e",
            is_bytes ? with_micro(about(most)) : fmt::format("{:.3g} {}", most, counter.unit));
}

Result<void> check(const Tracks& tracks) {
  std::size_t count = 0;
  for (const auto& [id, process] : tracks.processes) count += process.tracks.size();
  if (count > most_tracks || tracks.slices > most_slices)
    return bad_request(fmt::format(
        "a picture shows {} and {} at most, and this trace has {} and {}: take fewer ranks or "
        "chunks, or open the trace itself in Perfetto",
        counted(most_tracks, "track"), counted(most_slices, "slice"), counted(count, "track"),
        counted(tracks.slices, "slice")));
  return {};
}

}  // namespace

Result<std::string> draw_tracks(std::string_view events, const TracksOptions& options) {
  const Json json = Json::parse(events, nullptr, false);
  RS_ASSERT(json.is_object(), "a trace is one object");
  Tracks tracks(json.at("traceEvents"));
  RS_TRY(check(tracks));
  const Theme& theme = *options.theme;
  Svg svg;
  Picture picture(svg, tracks, theme);
  svg.open("svg", attribute("xmlns", "http://www.w3.org/2000/svg") +
                      fmt::format("viewBox=\"0 0 {} {}\"", width, svg_number(picture.height())));
  svg.raw("<title>A trace: a process for each rank, a track for each channel</title>\n");
  svg.raw("<desc>" + svg_escaped(options.command) + "</desc>\n");
  svg.raw("<style>\n" + style_sheet(theme) + "</style>\n");
  svg.raw(
      fmt::format("<defs><marker id=\"tip\" viewBox=\"0 0 6 6\" refX=\"5\" refY=\"3\" "
                  "markerWidth=\"6\" markerHeight=\"6\" orient=\"auto\"><path d=\"M0,0 L6,3 L0,6 "
                  "Z\" fill=\"{}\"/></marker></defs>\n",
                  theme.ink));
  svg.rect({0, 0, width, picture.height()}, attribute("fill", theme.page));
  svg.text({margin, 38}, "s17 b", options.command);
  picture.draw();
  svg.close("svg");
  return svg.str();
}

}  // namespace ringside::figure
