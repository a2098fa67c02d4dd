#pragma once

#include <string>

#include "viz/panels/markdown_view.hpp"
#include "viz/panels/panel.hpp"

// What the files of the lesson's pane have in common. model.lesson is there.

namespace ringside::panels::detail {

/// A column that is filled from its top.
struct LessonColumn {
  const Panel& panel;
  ImDrawList& list;
  float left, right, y;

  const Look& look() const { return panel.look; }
  const stage::LessonState& lesson() const { return *panel.model.lesson; }
  lessons::Language language() const { return stage::text_language(panel.look.language); }
  /// Markdown, and room below it.
  void text(const std::string& markdown, ImU32 ink);
  void line(ImFont* font, ImU32 colour, const std::string& words);
};

/// A field for part `nth` of the answer: typed while the question is open, then as it was judged.
void draw_answer_field(const Panel& panel, std::size_t nth, const Corner& at);
/// How the question of this beat is answered.
void draw_answer(LessonColumn& column);
/// What became of the answer; nothing while there is none.
void draw_response(LessonColumn& column);
/// The blanks of this beat's text are fields.
FillBlank fill_blanks(const Panel& panel);

/// A number as the question's unit writes it.
std::string as_answered(const stage::LessonState& lesson, const std::string& answer,
                        const Look& look);

}  // namespace ringside::panels::detail
