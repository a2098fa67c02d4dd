// What a learner said would happen, beside what does: a ghost arrow and the true one.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "viz/panels/run_view.hpp"
#include "viz/stage/lesson_stage.hpp"

namespace ringside::panels::detail {
namespace {

using stage::Word;

class Answers {
 public:
  Answers(const RunView& view, const stage::Scene& scene, ImDrawList& list)
      : scene_(scene), list_(list), look_(view.panel.look), run_(view.run) {}

  void draw(const stage::AnswerMark& mark) {
    const bool is_right = mark.said_chunk == mark.true_chunk && mark.said_rank == mark.true_rank &&
                          mark.said_link == mark.true_link;
    if (mark.transfer && mark.true_chunk) {
      arrow(*mark.transfer, *mark.true_chunk, true);
      if (mark.said_chunk && !is_right) arrow(*mark.transfer, *mark.said_chunk, false);
    }
    if (mark.true_rank) frame(*mark.true_rank, true);
    if (mark.said_rank && !is_right) frame(*mark.said_rank, false);
    if (mark.true_link) wire(*mark.true_link, true);
    if (mark.said_link && !is_right) wire(*mark.said_link, false);
  }

 private:
  ImU32 colour(bool is_true) const { return is_true ? look_.colour.good : look_.colour.bad; }
  const char* word(bool is_true) const { return look_.say(is_true ? Word::it_is : Word::you_said); }

  void badge(ImVec2 at, bool is_true, const std::string& text) {
    const ImVec2 size = measure(look_.strong, text.c_str());
    const float u = look_.unit;
    const Corner room = to_screen(scene_.region);
    at.x = std::clamp(at.x, room.min.x + size.x / 2 + u,
                      std::max(room.min.x + size.x / 2 + u, room.max.x - size.x / 2 - u));
    const Corner box{{at.x - size.x / 2 - u, at.y - size.y / 2 - u / 4},
                     {at.x + size.x / 2 + u, at.y + size.y / 2 + u / 4}};
    list_.AddRectFilled(box.min, box.max, look_.colour.panel, u / 2);
    list_.AddRect(box.min, box.max, colour(is_true), u / 2, 0, std::max(1.5f, u / 4));
    write(list_, {at.x, at.y - size.y / 2},
          {look_.strong, legible(colour(is_true), look_.colour.panel), 0.5f}, text.c_str());
  }
  /// Along the way, on its inner or outer side; the ghost's is dashed.
  void arrow(TransferId id, ChunkId chunk, bool is_true);
  void frame(Rank rank, bool is_true);
  void wire(LinkId link, bool is_true);
  void stroke(const std::vector<ImVec2>& points, bool is_true, ImU32 ink);

  const stage::Scene& scene_;
  ImDrawList& list_;
  const Look& look_;
  const stage::StagedRun& run_;
};

void Answers::stroke(const std::vector<ImVec2>& points, bool is_true, ImU32 ink) {
  const float u = look_.unit, width = u * 0.6f;
  for (std::size_t i = 1; i + 1 < points.size(); ++i)
    if (is_true || i % 2 == 1) list_.AddLine(points[i - 1], points[i], ink, width);
  const ImVec2 tip = points.back(), before = points[points.size() - 3];
  const float length = std::hypot(tip.x - before.x, tip.y - before.y);
  const ImVec2 along{(tip.x - before.x) / length, (tip.y - before.y) / length};
  const ImVec2 back{tip.x - 2.2f * u * along.x, tip.y - 2.2f * u * along.y};
  list_.AddTriangleFilled(tip, {back.x - u * along.y, back.y + u * along.x},
                          {back.x + u * along.y, back.y - u * along.x}, ink);
}

void Answers::arrow(TransferId id, ChunkId chunk, bool is_true) {
  constexpr int pieces = 24;
  const auto nth = scene_.way_of[id.value];
  if (nth >= scene_.ways.size()) return;
  const stage::Way& way = scene_.ways[nth];
  const stage::Point centre = scene_.region.centre();
  const stage::Point middle = way.at(0.5), outwards = middle - centre;
  const double far = std::max(1., stage::length(outwards));
  const double off = (is_true ? 1 : -1) * (scene_.chip.y / 2 + 2.2 * look_.unit);
  const stage::Point aside = off / far * outwards;
  std::vector<ImVec2> points;
  for (int i = 0; i <= pieces; ++i)
    points.push_back(to_screen(way.at(0.08 + 0.84 * i / pieces) + aside));
  stroke(points, is_true, colour(is_true));
  const double farther = off + (is_true ? 1 : -1) * 2.6 * look_.unit;
  const ImVec2 at = to_screen(middle + farther / far * outwards);
  badge(at, is_true, fmt::format("{}: c{}", word(is_true), chunk.value));
}

void Answers::frame(Rank rank, bool is_true) {
  if (rank.value >= scene_.ranks.size() || scene_.ranks[rank.value].is_empty()) return;
  const Corner box = to_screen(scene_.ranks[rank.value]);
  const float u = look_.unit;
  list_.AddRect({box.min.x - u / 2, box.min.y - u / 2}, {box.max.x + u / 2, box.max.y + u / 2},
                colour(is_true), u, 0, u / 2);
  badge({(box.min.x + box.max.x) / 2, box.max.y + u}, is_true, word(is_true));
}

void Answers::wire(LinkId link, bool is_true) {
  const sim::Link& of = (*run_.topology)[link];
  const stage::Path path = stage::path_between(scene_, run_, of.from, of.to);
  if (path.empty()) return;
  draw_path(list_, path, with_alpha(colour(is_true), 0.8f), look_.unit);
  badge(to_screen(stage::along(path, 0.5)), is_true, word(is_true));
}

}  // namespace

void draw_answers(const RunView& view, const stage::Scene& scene, ImDrawList& list) {
  if (const auto mark = stage::answer_mark(view.panel.model))
    Answers(view, scene, list).draw(*mark);
}

}  // namespace ringside::panels::detail
