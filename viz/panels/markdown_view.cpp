#include "viz/panels/markdown_view.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "viz/panels/widgets.hpp"

namespace ringside::panels {
namespace {

using lessons::Block;
using lessons::BlockKind;

std::vector<Stretch> stretches_of(const lessons::TextLine& line) {
  std::vector<Stretch> stretches;
  for (const auto& span : line)
    stretches.push_back({span.text, span.strong, span.emphasis, span.code, span.blank});
  // A paragraph is one line, however its file breaks it.
  for (Stretch& stretch : stretches) std::ranges::replace(stretch.text, '\n', ' ');
  return stretches;
}

class Page {
 public:
  Page(ImDrawList* list, const Look& look, const Corner& box, const ProseStyle& style)
      : list_(list), look_(look), box_(box), style_(style), y_(box.min.y) {}

  void draw(const std::vector<Block>& blocks) {
    for (const Block& block : blocks) {
      if (y_ > box_.min.y) y_ += gap_before(block);
      draw(block);
      last_ = block.kind;
    }
  }
  float height() const { return y_ - box_.min.y; }

 private:
  float gap_before(const Block& block) const {
    const bool is_list = block.kind == BlockKind::item && last_ == BlockKind::item;
    return look_.unit * (is_list ? 0.25f : 1.f);
  }
  void draw(const Block& block);
  void prose(const lessons::TextLine& line, float indent, ImU32 ink);
  void item(const Block& block);
  void quote(const Block& block);
  void code(const Block& block);
  void table(const Block& block);
  std::vector<float> column_ends(const Block& block) const;

  ImDrawList* list_;
  const Look& look_;
  const Corner box_;
  const ProseStyle& style_;
  float y_;
  BlockKind last_ = BlockKind::paragraph;
};

void Page::prose(const lessons::TextLine& line, float indent, ImU32 ink) {
  y_ += write_prose(list_, look_, {{box_.min.x + indent, y_}, box_.max}, {ink, style_.fill},
                    stretches_of(line));
}

void Page::item(const Block& block) {
  const float u = look_.unit;
  const float indent = 2.5f * u * static_cast<float>(std::max(1u, block.level));
  if (list_ != nullptr && !block.marker.empty()) {
    const bool is_bullet = block.marker == "-";
    const float line = std::round(measure(look_.prose, "0").y * 1.25f);
    if (is_bullet)
      list_->AddCircleFilled({box_.min.x + indent - 1.25f * u, y_ + line / 2}, u / 3.5f,
                             look_.colour.accent);
    else
      write(*list_, {box_.min.x + indent - u / 2, y_ + (line - measure(look_.prose, "0").y) / 2},
            {look_.prose, look_.colour.quiet, 1}, block.marker.c_str());
  }
  prose(block.line, indent, style_.ink);
}

void Page::quote(const Block& block) {
  const float u = look_.unit, top = y_;
  prose(block.line, 2 * u, look_.colour.quiet);
  if (list_ != nullptr)
    list_->AddRectFilled({box_.min.x, top}, {box_.min.x + u / 2, y_}, look_.colour.edge, u / 4);
}

void Page::code(const Block& block) {
  const float u = look_.unit;
  std::string text;
  for (const auto& span : block.line) text += span.text;
  const float width = box_.max.x - box_.min.x - 2 * u;
  const float height = height_of_lines(look_.prose, width, text) + u;
  const Corner area{{box_.min.x, y_}, {box_.max.x, y_ + height}};
  if (list_ != nullptr) {
    list_->AddRectFilled(area.min, area.max, look_.colour.trough, u / 2);
    write_lines(*list_, {{area.min.x + u, y_ + u / 2}, area.max}, {look_.prose, style_.ink}, text);
  }
  y_ += height;
}

/// Each as wide as its widest cell; where that is too much, all give in proportion.
std::vector<float> Page::column_ends(const Block& block) const {
  std::vector<float> widths;
  for (const auto& row : block.rows)
    for (std::size_t c = 0; c < row.size(); ++c) {
      if (widths.size() <= c) widths.push_back(0);
      widths[c] = std::max(widths[c], width_of_prose(look_, stretches_of(row[c])));
    }
  const float pad = 1.5f * look_.unit;
  float sum = 0;
  for (float& width : widths) sum += width += pad;
  const float room = box_.max.x - box_.min.x;
  const float shrink = sum > room ? room / sum : 1;
  float end = 0;
  for (float& width : widths) width = end += width * shrink;
  return widths;
}

void Page::table(const Block& block) {
  const float u = look_.unit;
  const auto ends = column_ends(block);
  for (std::size_t r = 0; r < block.rows.size(); ++r) {
    float tallest = 0;
    for (std::size_t c = 0; c < block.rows[r].size(); ++c) {
      const float left = box_.min.x + (c == 0 ? 0 : ends[c - 1]);
      auto cell = stretches_of(block.rows[r][c]);
      if (r == 0)
        for (Stretch& stretch : cell) stretch.is_strong = true;
      tallest = std::max(
          tallest,
          write_prose(list_, look_, {{left, y_ + u / 4}, {box_.min.x + ends[c] - u, box_.max.y}},
                      style_, cell));
    }
    y_ += tallest + u / 2;
    if (list_ != nullptr)
      list_->AddLine({box_.min.x, y_}, {box_.min.x + (ends.empty() ? 0 : ends.back()), y_},
                     r == 0 ? look_.colour.edge : look_.colour.faint);
  }
}

void Page::draw(const Block& block) {
  switch (block.kind) {
    case BlockKind::item:
      return item(block);
    case BlockKind::quote:
      return quote(block);
    case BlockKind::code:
      return code(block);
    case BlockKind::table:
      return table(block);
    case BlockKind::rule:
      if (list_ != nullptr) list_->AddLine({box_.min.x, y_}, {box_.max.x, y_}, look_.colour.edge);
      return;
    case BlockKind::heading: {
      auto line = block.line;
      for (auto& span : line) span.strong = true;
      return prose(line, 0, style_.ink);
    }
    case BlockKind::paragraph:
      return prose(block.line, 0, style_.ink);
  }
}

/// Texts are few and long-lived: each is parsed once.
const std::vector<Block>& parsed(const std::string& text) {
  constexpr std::size_t most = 256;
  static std::map<std::string, std::vector<Block>> known;
  if (known.size() > most) known.clear();
  const auto found = known.find(text);
  if (found != known.end()) return found->second;
  return known.emplace(text, lessons::parse_markdown(text)).first->second;
}

}  // namespace

float draw_markdown(ImDrawList* list, const Look& look, const Corner& box, const ProseStyle& style,
                    const std::vector<Block>& blocks) {
  Page page(list, look, box, style);
  page.draw(blocks);
  return page.height();
}

float draw_markdown(ImDrawList* list, const Look& look, const Corner& box, const ProseStyle& style,
                    const std::string& text) {
  return draw_markdown(list, look, box, style, parsed(text));
}

}  // namespace ringside::panels
