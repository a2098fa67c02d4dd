#include "viz/stage/dump_lesson.hpp"

#include <array>

namespace ringside::stage::detail {
namespace {

std::string_view name(lessons::Gate gate) {
  static constexpr std::array<std::string_view, 7> names{"none",  "asking",   "voting", "wrong",
                                                         "right", "revealed", "skipped"};
  return names[static_cast<std::size_t>(gate)];
}

/// Those that this beat's answers have shown, in order.
Json misconceptions_of(const lessons::Sitting& sitting) {
  Json all = Json::array();
  const std::string& beat = sitting.instance().beat(sitting.beat()).id;
  for (const auto& question : sitting.record().questions) {
    if (question.beat != beat) continue;
    for (const auto& given : question.answers)
      if (!given.misconception.empty()) all.push_back(given.misconception);
  }
  return all;
}

}  // namespace

Json dump_lesson(const Model& model) {
  if (!model.lesson) return nullptr;
  const LessonState& lesson = *model.lesson;
  const lessons::Sitting& sitting = lesson.sitting;
  const auto* asked = lesson.asked();
  return {{"lesson", sitting.instance().lesson().number},
          {"name", sitting.instance().lesson().name},
          {"seed", sitting.instance().seed()},
          {"beat", lesson.beat().id},
          {"beat_number", sitting.beat() + 1},
          {"beats", sitting.instance().size()},
          {"asks", asked != nullptr ? Json(lessons::name(asked->kind)) : Json()},
          {"gate", name(sitting.gate())},
          {"attempts", sitting.attempts()},
          {"hints", sitting.hints()},
          {"entries", lesson.entries},
          {"last_answer", sitting.last_answer()},
          {"misconceptions", misconceptions_of(sitting)},
          {"votes", sitting.votes()},
          {"incomplete", lesson.is_incomplete},
          {"complaint", lesson.complaint},
          {"class", lesson.is_class},
          {"covered", lesson.is_covered},
          {"placed", lesson.is_placed},
          {"finished", sitting.is_finished()}};
}

}  // namespace ringside::stage::detail
