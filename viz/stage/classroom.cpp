#include "viz/stage/classroom.hpp"

#include "viz/stage/laboratory.hpp"
#include "viz/stage/lesson_files.hpp"

namespace ringside::stage {
namespace {

void add(std::string& all, const lessons::Markdown& text) {
  all += text.text;
}

void add(std::string& all, const lessons::LessonText& text) {
  all += text.title + text.goal;
  for (const auto& beat : text.beats) {
    for (const auto* one : {&beat.body, &beat.right, &beat.wrong}) add(all, *one);
    for (const auto& hint : beat.hints) add(all, hint);
    for (const auto* several : {&beat.choices, &beat.misled})
      for (const auto& [id, choice] : *several) add(all, choice);
  }
}

}  // namespace

Result<Classroom> open_classroom(const std::string& folder, const std::string& ledger) {
  Classroom room;
  if (!ledger.empty()) {
    RS_ASSIGN(room.ledger, lessons::read_ledger(ledger));
  }
  room.laboratory = Shelf().laboratory();
  const auto where = lessons_folder(folder);
  if (!where) {
    room.no_course = where.error().message;
    return room;
  }
  auto course = lessons::load_course(*where);
  if (course)
    room.course = std::make_shared<const lessons::Course>(*std::move(course));
  else
    room.no_course = course.error().message;
  return room;
}

std::string texts_of(const Classroom& classroom) {
  std::string all;
  if (!classroom.course) return all;
  for (const auto& lesson : classroom.course->lessons)
    for (const auto& text : lesson.texts) add(all, text);
  for (const auto& error : classroom.course->broken) all += error.message;
  return all;
}

}  // namespace ringside::stage
