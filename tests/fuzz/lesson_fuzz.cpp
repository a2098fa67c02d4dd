// A lesson's files, and answers to what it asks: any bytes become a lesson whose numbers come out,
// or one sentence.

#include <cstdlib>

#include "lessons/course/course.hpp"
#include "lessons/course/instance.hpp"
#include "lessons/course/ledger.hpp"

namespace {

using namespace ringside;
using namespace ringside::lessons;

template <typename T>
void is_sound(const Result<T>& result) {
  if (!result && result.error().message.empty()) std::abort();
}

const Laboratory& closed() {
  static const Laboratory laboratory{
      [](const std::string&) -> Result<ExperimentPtr> { return bad_request("closed"); },
      [](std::shared_ptr<const Schedule>, const std::string&) -> Result<ExperimentPtr> {
        return bad_request("closed");
      }};
  return laboratory;
}

/// The right answer is right, and no text but one sentence comes of what is typed.
void sit(const Instance& instance, std::string_view typed) {
  for (std::size_t i = 0; i < instance.size(); ++i) {
    if (instance.asked(i) == nullptr) continue;
    const Asked& asked = *instance.asked(i);
    is_sound(judge(asked, typed, closed()));
    is_sound(judge(asked, right_answer(asked), closed()));
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const char* data, std::size_t size) {
  const std::string_view text(data, size);
  is_sound(parse_lesson_text(text, "en.md"));
  is_sound(parse_misconceptions(text, "m.toml"));
  is_sound(parse_glossary(text, "g.toml"));
  is_sound(ledger_from_json(text, "ledger.json"));
  const auto lesson = parse_lesson(text, "lesson.toml", "/nonexistent");
  is_sound(lesson);
  if (!lesson) return 0;
  for (const std::uint64_t seed : {0, 1}) {
    const auto instance = Instance::make(*lesson, seed, closed());
    is_sound(instance);
    if (instance) sit(*instance, text.substr(0, 40));
  }
  return 0;
}
