#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.hpp"
#include "lessons/course/question.hpp"
#include "lessons/course/text.hpp"

// A lesson as its files say it; lessons/README.md tells how to write one. Numbers are still
// expressions here: instance.hpp works them out.

namespace ringside::lessons {

/// What a beat is for, in the order of a lesson.
enum class Part : std::uint8_t {
  hook,
  predict,
  observe,
  explain,
  example,
  faded,
  task,
  transfer,
  summary
};
std::string_view name(Part part);

struct NamedRun {
  std::string name{}, share{};  ///< with `{names}` to fill in
  std::uint32_t line = 0;
};

struct Beat {
  std::string id{};
  std::uint32_t line = 0;
  Part part = Part::hook;
  std::string run{}, at{}, play{}, rival{};  ///< empty: stays as it was, or none
  std::vector<std::string> look{}, controls{};
  std::optional<Question> ask{};
};

struct Lesson {
  std::uint32_t number = 0;
  std::string name{};    ///< `ring` of the folder 03_ring
  std::string folder{};  ///< its path
  std::string file{};    ///< of lesson.toml, as errors name it
  std::uint32_t minutes = 12;
  std::uint64_t seed = 0;
  Numbers numbers{};
  std::vector<NamedRun> runs{};
  std::vector<Beat> beats{};
  std::array<LessonText, 2> texts{};  ///< by Language

  const LessonText& text(Language language) const {
    return texts[static_cast<std::size_t>(language)];
  }
};

/// A folder `NN_name` with lesson.toml, en.md and zh.md. Errors start `file:line: `, and say what
/// was expected. What only numbers can tell (a wrong answer, a run that fails) is not seen here.
Result<Lesson> load_lesson(const std::string& folder);
/// lesson.toml alone; `folder` is where a puzzle's files are.
Result<Lesson> parse_lesson(std::string_view toml, const std::string& file,
                            const std::string& folder);

inline constexpr std::uint32_t most_minutes = 12;

}  // namespace ringside::lessons
