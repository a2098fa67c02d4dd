// Right, bottom: one element's additions, rounded at every one of them.

#include "viz/stage/addition_tree.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>

#include "viz/panels/people.hpp"

namespace ringside::panels {
namespace {

using stage::Additions;
using stage::AdditionTree;
using stage::Word;

/// A run's additions, worked out when first looked at.
const Additions& additions_of(const stage::StagedRun& run) {
  static std::weak_ptr<const stage::Story> of;
  static std::unique_ptr<const Additions> additions;
  if (!additions || of.lock() != run.story) {
    of = run.story;
    additions = std::make_unique<const Additions>(*run.schedule);
  }
  return *additions;
}

struct Precision {
  ElementType type;
  const char* name;
};
constexpr Precision precisions[] = {
    {ElementType::float32, "f32"}, {ElementType::float16, "f16"}, {ElementType::bfloat16, "bf16"}};

/// `1e8`, `-1`, `0.5`: as short as a number gets.
std::string brief(double value) {
  const std::string text = fmt::format("{:.4g}", value);
  const auto exponent = text.find('e');
  if (exponent == std::string::npos) return text;
  std::string digits = text.substr(exponent + 1);
  const bool negative = digits[0] == '-';
  digits.erase(0, digits.find_first_not_of("+-0"));
  return text.substr(0, exponent) + "e" + (negative ? "-" : "") + digits;
}

class Microscope {
 public:
  Microscope(const Panel& panel, const stage::StagedRun& run)
      : panel_(panel),
        look_(panel.look),
        run_(run),
        list_(*ImGui::GetWindowDrawList()),
        chunk_(chosen_chunk()),
        outputs_(additions_of(run).outputs(chunk_)) {}

  void draw() {
    const float u = look_.unit, line = measure(look_.small, "0").y;
    float y = panel_.min.y + 1.5f * u;
    write(list_, {panel_.min.x + 2 * u, y}, {look_.small, look_.colour.quiet},
          fmt::format(fmt::runtime(look_.say(Word::addition_tree_of)), chunk_.value).c_str());
    if (!reduces(run_.schedule->spec().kind) || outputs_.empty() || outputs_.front().tree.empty()) {
      write(list_, {panel_.min.x + 2 * u, y + 2 * line}, {look_.small, look_.colour.quiet},
            look_.say(Word::nothing_added));
      return;
    }
    y += line + u;
    for (const Precision& precision : precisions) y = result(precision, y);
    y += u / 2;
    tree({{panel_.min.x + 2 * u, y}, {panel_.max.x - 2 * u, panel_.max.y - u}});
  }

 private:
  ChunkId chosen_chunk() const {
    const auto& model = panel_.model;
    for (const stage::Pick* pick : {&model.hover, &model.selected}) {
      if (pick->slot) return {pick->slot->chunk.value % std::max(1u, run_.schedule->chunks())};
      if (pick->chunk) return *pick->chunk;
      if (pick->transfer && pick->transfer->value < run_.schedule->transfers().size())
        return run_.story->chunk(run_.story->cargo(*pick->transfer).parts);
    }
    return {0};
  }
  float result(const Precision& precision, float y);
  void tree(const Corner& area);

  const Panel& panel_;
  const Look& look_;
  const stage::StagedRun& run_;
  ImDrawList& list_;
  ChunkId chunk_;
  std::vector<Additions::Output> outputs_;
};

/// One line a type: what comes out, what it should be, and whether all ranks agree.
float Microscope::result(const Precision& precision, float y) {
  const auto parts = stage::telling_parts(run_.ranks(), precision.type);
  const auto values = stage::evaluate(outputs_.front().tree, parts, precision.type);
  double exact = 0;
  for (const double part : parts) exact += part;
  const bool right = values.rounded.back() == exact;
  const bool agree = stage::are_identical(outputs_, parts, precision.type);
  const float u = look_.unit, x = panel_.min.x + 2 * u,
              column = measure(look_.small, "bf16").x + 2 * u;
  write(list_, {x, y}, {look_.small, look_.colour.quiet}, precision.name);
  const std::string text = fmt::format(fmt::runtime(look_.say(Word::sum_and_exact)),
                                       brief(values.rounded.back()), brief(exact));
  write(list_, {x + column, y}, {look_.small, right ? look_.colour.ink : look_.colour.warn},
        text.c_str());
  write(list_, {panel_.max.x - 2 * u, y},
        {look_.small, agree ? look_.colour.good : look_.colour.bad, 1},
        look_.say(agree ? Word::all_ranks_alike : Word::ranks_differ));
  return y + measure(look_.small, "0").y + u / 4;
}

void Microscope::tree(const Corner& area) {
  const AdditionTree& tree = outputs_.front().tree;
  const auto standing = stage::stand(tree);
  double columns = 0;
  std::uint32_t levels = 0;
  for (const auto& place : standing)
    columns = std::max(columns, place.column), levels = std::max(levels, place.level);
  const float line = measure(look_.small, "0").y;
  if (area.max.y - area.min.y < 2 * line || levels == 0) return;
  const float dx = (area.max.x - area.min.x) / static_cast<float>(columns + 1);
  const float dy = (area.max.y - area.min.y - line) / static_cast<float>(levels);
  const auto at = [&](std::size_t i) {
    return ImVec2{area.min.x + dx * (static_cast<float>(standing[i].column) + 0.5f),
                  area.max.y - line / 2 - dy * static_cast<float>(standing[i].level)};
  };
  const auto parts = stage::telling_parts(run_.ranks(), ElementType::float32);
  const auto values = stage::evaluate(tree, parts, ElementType::float32);
  for (std::size_t i = 0; i < tree.size(); ++i)
    if (!tree[i].is_part())
      for (const auto from : {tree[i].held, tree[i].came})
        list_.AddLine(at(from), at(i), look_.colour.edge, 1.5f);
  const bool named = dx >= measure(look_.small, "-1e8").x + 4 && dy >= line * 0.8f;
  for (std::size_t i = 0; i < tree.size(); ++i) {
    const ImVec2 p = at(i);
    const bool lost = values.rounded[i] != values.in_double[i];
    const ImU32 colour = tree[i].is_part() ? look_.colour.quiet
                         : lost            ? look_.colour.warn
                                           : look_.colour.ink;
    if (!named) {
      list_.AddCircleFilled(p, std::clamp(dx / 3, 1.5f, 4.f), colour);
      continue;
    }
    const std::string text = brief(values.rounded[i]);
    const ImVec2 size = measure(look_.small, text.c_str());
    list_.AddRectFilled({p.x - size.x / 2 - 2, p.y - size.y / 2},
                        {p.x + size.x / 2 + 2, p.y + size.y / 2}, look_.colour.panel);
    write(list_, {p.x, p.y - size.y / 2}, {look_.small, colour, 0.5f}, text.c_str());
  }
}

}  // namespace

void draw_addition_tree(const Panel& panel) {
  begin_panel("addition_tree", panel);
  if (panel.model.run && panel.model.run->schedule->chunks() > 0)
    Microscope(panel, *panel.model.run).draw();
  end_panel();
}

}  // namespace ringside::panels
