#include "viz/panels/prose.hpp"

#include <algorithm>
#include <cmath>

#include "viz/panels/widgets.hpp"

namespace ringside::panels {
namespace {

ImFont* font_of(const Look& look, const Stretch& stretch) {
  return stretch.is_strong ? look.prose_strong : look.prose;
}

bool has_chinese(const std::string& text) {
  return std::ranges::any_of(text, [](char c) { return static_cast<unsigned char>(c) >= 0xe3; });
}

/// What stays together on one line, in one or several hands.
struct Bit {
  std::vector<Stretch> parts;
  bool ends_line = false;
};

/// The paragraph in bits, cut where its text alone would be.
std::vector<Bit> bits_of(std::span<const Stretch> paragraph) {
  std::string whole;
  for (const Stretch& stretch : paragraph) whole += stretch.text;
  std::vector<Bit> bits;
  std::size_t nth = 0, at = 0;  // in paragraph[nth].text
  const auto take_blanks = [&] {
    for (; nth < paragraph.size() && at == paragraph[nth].text.size(); ++nth, at = 0)
      if (!paragraph[nth].blank.empty()) bits.push_back({{paragraph[nth]}});
  };
  take_blanks();
  for (const std::string_view piece : breakable(whole)) {
    Bit bit;
    for (std::size_t left = piece.size(); left > 0 && nth < paragraph.size();) {
      const Stretch& from = paragraph[nth];
      const std::size_t take = std::min(left, from.text.size() - at);
      Stretch part = from;
      part.text = from.text.substr(at, take);
      if (part.text.ends_with('\n')) {
        part.text.pop_back();
        bit.ends_line = true;
      }
      if (!part.text.empty()) bit.parts.push_back(std::move(part));
      left -= take;
      at += take;
      if (left > 0) ++nth, at = 0;
    }
    bits.push_back(std::move(bit));
    take_blanks();
  }
  return bits;
}

class Writer {
 public:
  Writer(ImDrawList* list, const Look& look, const Corner& box, const ProseStyle& style)
      : list_(list), look_(look), box_(box), style_(style), x_(box.min.x), y_(box.min.y) {
    line_ = std::round(measure(look.prose, "0").y * 1.25f);
  }

  void put(const Bit& bit) {
    float width = 0;
    for (const Stretch& part : bit.parts)
      width += part.blank.empty() ? measure(font_of(look_, part), trimmed(part).c_str()).x
                                  : blank_width(look_);
    if (x_ > box_.min.x && x_ + width > box_.max.x + 0.5f) feed();
    for (const Stretch& part : bit.parts) put(part);
    if (bit.ends_line) feed();
  }
  float height() const { return y_ - box_.min.y + (x_ > box_.min.x ? line_ : 0); }
  float end() const { return x_; }

 private:
  static std::string trimmed(const Stretch& part) {
    return part.text.substr(0, part.text.find_last_not_of(' ') + 1);
  }
  void feed() {
    x_ = box_.min.x;
    y_ += line_;
  }
  void put(const Stretch& part) {
    if (!part.blank.empty()) {
      const float width = blank_width(look_), u = look_.unit;
      if (list_ != nullptr && style_.fill)
        style_.fill(part.blank, {{x_, y_ + u / 4}, {x_ + width - u / 4, y_ + line_ - u / 4}});
      x_ += width;
      return;
    }
    ImFont* font = font_of(look_, part);
    const ImVec2 size = measure(font, part.text.c_str());
    const float top = y_ + (line_ - size.y) / 2;
    if (list_ != nullptr) draw(part, font, {{x_, top}, {x_ + size.x, top + size.y}});
    x_ += size.x;
  }
  void draw(const Stretch& part, ImFont* font, const Corner& at) {
    const float u = look_.unit;
    const ImU32 ink =
        part.is_emphasis ? legible(look_.colour.accent, look_.colour.panel) : style_.ink;
    if (part.is_code)
      list_->AddRectFilled({at.min.x - u / 8, at.min.y}, {at.max.x + u / 8, at.max.y},
                           look_.colour.trough, u / 3);
    write(*list_, at.min, {font, ink}, part.text.c_str());
    // The Chinese face has one weight: written twice, it is bold.
    if (part.is_strong && has_chinese(part.text))
      write(*list_, {at.min.x + std::max(1.f, look_.scale * 0.6f), at.min.y}, {font, ink},
            part.text.c_str());
  }

  ImDrawList* list_;
  const Look& look_;
  const Corner box_;
  const ProseStyle& style_;
  float x_, y_, line_;
};

}  // namespace

float blank_width(const Look& look) {
  return 11 * look.unit;
}

float write_prose(ImDrawList* list, const Look& look, const Corner& box, const ProseStyle& style,
                  std::span<const Stretch> paragraph) {
  Writer writer(list, look, box, style);
  for (const Bit& bit : bits_of(paragraph)) writer.put(bit);
  return writer.height();
}

float width_of_prose(const Look& look, std::span<const Stretch> paragraph) {
  float width = 0;
  for (const Stretch& stretch : paragraph)
    width += stretch.blank.empty() ? measure(font_of(look, stretch), stretch.text.c_str()).x
                                   : blank_width(look);
  return width;
}

}  // namespace ringside::panels
