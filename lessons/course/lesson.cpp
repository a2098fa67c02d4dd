#include "lessons/course/lesson.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "core/file.hpp"
#include "lessons/course/toml_fields.hpp"

namespace ringside::lessons {
namespace {

constexpr std::string_view part_names[] = {"hook",  "predict", "observe",  "explain", "example",
                                           "faded", "task",    "transfer", "summary"};
constexpr std::string_view looks[] = {"values",  "machine", "ring",          "race",  "training",
                                      "scaling", "busbw",   "addition_tree", "curves"};
constexpr std::size_t most_beats = 40, most_runs = 60;
constexpr Bytes most_file{1u << 20};

/// Letters, digits and `-`: what can stand in a link.
bool is_beat_id(std::string_view id) {
  const auto allowed = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-';
  };
  return !id.empty() && id.size() <= 40 && id[0] >= 'a' &&
         std::all_of(id.begin(), id.end(), allowed);
}

const NamedRun* find_run(const Lesson& lesson, std::string_view name) {
  for (const NamedRun& run : lesson.runs)
    if (run.name == name) return &run;
  return nullptr;
}

Result<void> read_runs(const TomlTable& table, Lesson& lesson) {
  const auto* value = table.find("runs");
  if (value == nullptr) return {};
  RS_ASSIGN(const TomlTable runs,
            table.table(*value, "[runs] lists names: ring = \"ring?ranks=8&bytes=64M\""));
  for (const auto& [name, share] : runs.entries()) {
    RS_ASSIGN(const std::string text, runs.needed(name, "ring?ranks={n}&bytes={S}"));
    lesson.runs.push_back({name, text, share.line});
  }
  if (lesson.runs.size() > most_runs)
    return table.fail(*value, fmt::format("more than {} runs are too many", most_runs));
  return {};
}

Result<std::string> run_name(const TomlTable& table, const Lesson& lesson, std::string_view key) {
  RS_ASSIGN(std::string name, text_or_none(table, key));
  if (name.empty() || find_run(lesson, name) != nullptr) return name;
  std::vector<std::string_view> known;
  for (const NamedRun& run : lesson.runs) known.push_back(run.name);
  return table.fail(key, unknown("run", name, known));
}

Result<void> read_stage(const TomlTable& table, const Lesson& lesson, Beat& beat) {
  RS_ASSIGN(beat.run, run_name(table, lesson, "run"));
  RS_ASSIGN(beat.rival, run_name(table, lesson, "rival"));
  RS_ASSIGN(beat.at, text_or_none(table, "at"));
  RS_ASSIGN(beat.play, text_or_none(table, "play"));
  RS_ASSIGN(beat.controls, table.texts("controls"));
  RS_ASSIGN(beat.look, table.texts("look"));
  for (const std::string& look : beat.look)
    if (std::find(std::begin(looks), std::end(looks), look) == std::end(looks))
      return table.fail("look", unknown("look", look, looks));
  return {};
}

Result<Beat> read_beat(const TomlTable& table, const Lesson& lesson) {
  RS_TRY(table.only({"id", "part", "run", "at", "play", "look", "rival", "controls", "ask"}));
  Beat beat;
  RS_ASSIGN(beat.id, table.needed("id", "which-chunk"));
  beat.line = table.find("id")->line;
  if (!is_beat_id(beat.id))
    return table.fail(
        "id", in_quotes(beat.id) + " is no beat's id: small letters, digits and -, a letter first");
  for (const Beat& other : lesson.beats)
    if (other.id == beat.id) return table.fail("id", "the beat " + beat.id + " is there twice");
  RS_ASSIGN(beat.part, choice_of<Part>(table, "part", part_names));
  RS_TRY(read_stage(table, lesson, beat));
  if (const auto* ask = table.find("ask")) {
    RS_ASSIGN(const TomlTable question, table.table(*ask, "a question is one [beat.ask]"));
    RS_ASSIGN(beat.ask, read_question(question, lesson.folder));
  }
  return beat;
}

Result<LessonText> load_text(const std::string& folder, Language language) {
  const auto file =
      (std::filesystem::path(folder) / (std::string(name(language)) + ".md")).string();
  RS_ASSIGN(const std::string text, read_file(file, most_file));
  return parse_lesson_text(text, file);
}

/// `03_ring`: 3 and `ring`.
Result<void> name_after(const std::string& folder, Lesson& lesson) {
  auto path = std::filesystem::path(folder).lexically_normal();
  if (!path.has_filename()) path = path.parent_path();
  const auto name = path.filename().string();
  const auto digits = std::min(name.find_first_not_of("0123456789"), name.size());
  if (digits == 0 || digits > 4) {
    lesson.name = name;
    return {};
  }
  lesson.number = static_cast<std::uint32_t>(std::stoul(name.substr(0, digits)));
  lesson.name = name.substr(std::min(digits + (name[digits] == '_' ? 1 : 0), name.size()));
  return {};
}

}  // namespace

std::string_view name(Part part) {
  return part_names[static_cast<std::size_t>(part)];
}

Result<Lesson> parse_lesson(std::string_view toml, const std::string& file,
                            const std::string& folder) {
  RS_ASSIGN(const TomlValue root, sim::parse_toml(toml, file));
  const TomlTable table(root, file);
  RS_TRY(table.only({"minutes", "seed", "vars", "let", "runs", "beat"}));
  Lesson lesson{.folder = folder, .file = file};
  RS_TRY(name_after(folder, lesson));
  RS_ASSIGN(lesson.minutes, table.whole("minutes", most_minutes, {1, most_minutes}));
  RS_ASSIGN(lesson.seed, table.whole("seed", 0, {0, UINT32_MAX}));
  RS_ASSIGN(lesson.numbers, numbers(table));
  RS_TRY(read_runs(table, lesson));
  RS_ASSIGN(const auto beats, table.tables("beat"));
  if (beats.empty() || beats.size() > most_beats)
    return table.fail(
        "beat", fmt::format("a lesson has 1 to {} [[beat]], not {}", most_beats, beats.size()));
  for (const TomlTable& one : beats) {
    RS_ASSIGN(Beat beat, read_beat(one, lesson));
    lesson.beats.push_back(std::move(beat));
  }
  return lesson;
}

Result<Lesson> load_lesson(const std::string& folder) {
  const auto file = (std::filesystem::path(folder) / "lesson.toml").string();
  RS_ASSIGN(const std::string toml, read_file(file, most_file));
  RS_ASSIGN(Lesson lesson, parse_lesson(toml, file, folder));
  for (const Language language : languages) {
    RS_ASSIGN(lesson.texts[static_cast<std::size_t>(language)], load_text(folder, language));
  }
  return lesson;
}

}  // namespace ringside::lessons
