#include "viz/figure/parts.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace ringside::figure {

std::vector<bool> FigureContext::contributors(const stage::Content& value) const {
  std::vector<bool> present;
  for (Rank r{0}; r.value < ranks(); ++r.value) present.push_back(story.contains(value.parts, r));
  return present;
}

std::vector<ChunkId> FigureContext::chunks_of(TransferId id) const {
  std::vector<ChunkId> chunks;
  for (std::uint32_t i = 0; i < run.schedule[id].chunks(); ++i)
    chunks.push_back(story.chunk(story.cargo(id, i).parts));
  return chunks;
}

std::string FigureContext::name_of(Rank rank) const {
  return rank.value < ranks() ? fmt::format("rank {}", rank.value)
                              : fmt::format("switch {}", rank.value - ranks());
}

std::string cargo_label(const std::vector<ChunkId>& chunks) {
  const auto first = chunks.front().value;
  if (chunks.size() == 1) return fmt::format("c{}", first);
  for (std::uint32_t i = 0; i < chunks.size(); ++i)
    if (chunks[i].value != first + i) return fmt::format("c{}+{}", first, chunks.size() - 1);
  return fmt::format("c{}–{}", first, first + chunks.size() - 1);
}

void draw_cargo(Svg& svg, const Box& box, const std::vector<ChunkId>& chunks,
                std::string_view attributes) {
  svg.rect(box, attribute("fill", chunk_fill(chunks.front())) + std::string(attributes));
  const double each = box.width / static_cast<double>(chunks.size());
  for (std::size_t i = 1; i < chunks.size(); ++i)
    svg.rect({box.x + each * static_cast<double>(i), box.y, each, box.height},
             attribute("fill", chunk_fill(chunks[i])));
}

/// One plain colour, no hatch.
static bool is_plain(const std::vector<ChunkId>& chunks) {
  return chunks.size() == 1 && chunk_fill(chunks.front()).front() == '#';
}

std::string_view cargo_ink(const std::vector<ChunkId>& chunks) {
  return is_plain(chunks) ? chunk_ink(chunks.front()) : "#ffffff";
}

void label_cargo(Svg& svg, const Box& box, const std::vector<ChunkId>& chunks) {
  const auto label = cargo_label(chunks);
  const Point middle = box.centre();
  if (!is_plain(chunks))
    svg.rect(Box::around(middle, std::min(box.width - 4, text_width(label, 13) + 4), 15),
             attribute("fill", "#101214") + attribute("fill-opacity", 0.75), 3);
  svg.raw(fmt::format("<text {}{}class=\"s13 b m\" style=\"fill:{}\">{}</text>\n",
                      attribute("x", middle.x), attribute("y", middle.y + 4.7), cargo_ink(chunks),
                      svg_escaped(label)));
}

std::string about(double bytes) {
  static constexpr const char* units[] = {"B", "KiB", "MiB", "GiB", "TiB"};
  std::size_t unit = 0;
  for (; bytes >= 1023.5 && unit + 1 < std::size(units); ++unit) bytes /= 1024;
  const int decimals = unit == 0 || bytes >= 100 ? 0 : bytes >= 10 ? 1 : 2;
  return fmt::format("{:.{}f} {}", bytes, decimals, units[unit]);
}

std::string with_micro(std::string text) {
  if (const auto at = text.find(" us"); at != std::string::npos) text.replace(at, 3, " µs");
  return text;
}

double text_width(std::string_view text, double size) {
  const auto letters = std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xC0) != 0x80;
  });
  return 0.6 * size * static_cast<double>(letters);
}

}  // namespace ringside::figure
