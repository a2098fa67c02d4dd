#include "viz/window/prompter.hpp"

#include <fmt/format.h>

#include <cstdio>

#include "lessons/course/markdown.hpp"

namespace ringside::window {
namespace {

std::string prompt_of(const stage::LessonState& lesson, lessons::Language language) {
  const auto& instance = lesson.sitting.instance();
  const std::size_t at = lesson.sitting.beat();
  std::string text =
      fmt::format("\n[{}.{} {}]\n", instance.lesson().number, at + 1, lesson.beat().id);
  const auto plain = [](const std::string& markdown) {
    return lessons::plain_text(lessons::parse_markdown(markdown));
  };
  if (const auto notes = instance.notes(at, language); !notes.empty()) text += plain(notes) + "\n";
  if (const auto* asked = lesson.asked(); asked != nullptr) {
    const std::string answer = lessons::right_answer(*asked);
    text += "-> " + answer + "\n";
    for (std::size_t i = 0; i < asked->options.size(); ++i)
      text += fmt::format("{} {}. {}\n", asked->options[i].right ? "*" : " ", i + 1,
                          plain(instance.choice(at, asked->options[i].id, language)));
  }
  return text;
}

}  // namespace

void Prompter::follow(const stage::Model& model) {
  if (!model.lesson || !model.lesson->is_class) return;
  const auto& sitting = model.lesson->sitting;
  const std::string here = fmt::format("{}.{}.{}", sitting.instance().lesson().number,
                                       sitting.beat(), static_cast<int>(model.language));
  if (here == last_) return;
  last_ = here;
  std::fputs(prompt_of(*model.lesson, stage::text_language(model.language)).c_str(), stdout);
  std::fflush(stdout);
}

void LedgerKeeper::follow(const stage::Model& model) {
  if (file_.empty() || !model.lesson) return;
  auto text = lessons::to_json(model.classroom.ledger);
  if (text == kept_) return;
  kept_ = std::move(text);
  const auto written = lessons::write_ledger(model.classroom.ledger, file_);
  if (written || has_complained_) return;
  has_complained_ = true;
  std::fprintf(stderr, "ringside: progress is not kept: %s\n", written.error().message.c_str());
}

}  // namespace ringside::window
