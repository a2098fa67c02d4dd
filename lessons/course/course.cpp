#include "lessons/course/course.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <set>

#include "core/file.hpp"
#include "core/suggest.hpp"
#include "lessons/course/toml_fields.hpp"

namespace ringside::lessons {
namespace {

namespace fs = std::filesystem;
constexpr Bytes most_file{1u << 20};

/// Calls `add` with each table of a file of tables, `[id] en = ... zh = ...`.
template <typename Add>
Result<void> each_entry(std::string_view toml, std::string_view file, Add add) {
  RS_ASSIGN(const TomlValue root, sim::parse_toml(toml, file));
  const TomlTable table(root, file);
  for (const auto& [id, value] : table.entries()) {
    RS_ASSIGN(const TomlTable entry, table.table(value, "an entry is a table: [an-id]"));
    RS_TRY(add(id, value.line, entry));
  }
  return {};
}

Result<void> read_words(const TomlTable& entry, std::array<std::string, 2>& words) {
  RS_ASSIGN(words[0], entry.needed("en", "..."));
  RS_ASSIGN(words[1], entry.needed("zh", "..."));
  return {};
}

bool is_lesson(const fs::path& folder) {
  const auto name = folder.filename().string();
  return !name.empty() && name[0] >= '0' && name[0] <= '9' && fs::exists(folder / "lesson.toml");
}

/// One of the two lists; none where the file is absent.
template <typename List>
std::vector<List> read_list(Course& course, const char* name,
                            Result<std::vector<List>> (*parse)(std::string_view,
                                                               std::string_view)) {
  const auto file = (fs::path(course.folder) / name).string();
  if (!fs::exists(file)) return {};
  auto text = read_file(file, most_file);
  auto list = text ? parse(*text, file) : tl::unexpected<Error>(text.error());
  if (list) return *std::move(list);
  course.broken.push_back(list.error());
  return {};
}

}  // namespace

const Misconception* Course::misconception(std::string_view id) const {
  for (const Misconception& one : misconceptions)
    if (one.id == id) return &one;
  return nullptr;
}

Result<std::vector<Misconception>> parse_misconceptions(std::string_view toml,
                                                        std::string_view file) {
  std::vector<Misconception> found;
  const auto add = [&](const std::string& id, std::uint32_t line,
                       const TomlTable& entry) -> Result<void> {
    RS_TRY(entry.only({"lesson", "en", "zh"}));
    Misconception one{.id = id, .line = line};
    RS_ASSIGN(one.lesson, entry.whole("lesson", 0, {0, 99}));
    RS_TRY(read_words(entry, one.words));
    found.push_back(std::move(one));
    return {};
  };
  RS_TRY(each_entry(toml, file, add));
  return found;
}

Result<std::vector<Term>> parse_glossary(std::string_view toml, std::string_view file) {
  std::vector<Term> found;
  const auto add = [&](const std::string& id, std::uint32_t line,
                       const TomlTable& entry) -> Result<void> {
    RS_TRY(entry.only({"en", "zh", "also_zh", "refused"}));
    Term term{.id = id, .line = line};
    RS_TRY(read_words(entry, term.words));
    RS_ASSIGN(term.also_zh, entry.texts("also_zh"));
    RS_ASSIGN(term.refused, entry.texts("refused"));
    found.push_back(std::move(term));
    return {};
  };
  RS_TRY(each_entry(toml, file, add));
  return found;
}

Result<Course> load_course(const std::string& folder) {
  Course course{.folder = folder};
  std::error_code failure;
  std::set<fs::path> folders;
  for (const auto& entry : fs::directory_iterator(folder, failure))
    if (entry.is_directory(failure) && is_lesson(entry.path())) folders.insert(entry.path());
  if (failure)
    return bad_request(
        fmt::format("no lessons can be read from {}: {}", in_quotes(folder), failure.message()));
  if (folders.empty())
    return bad_request("there is no lesson in " + in_quotes(folder) +
                       ": a lesson is a folder such as 03_ring with lesson.toml, en.md and zh.md");
  for (const fs::path& one : folders) {
    auto lesson = load_lesson(one.string());
    if (lesson)
      course.lessons.push_back(*std::move(lesson));
    else
      course.broken.push_back(lesson.error());
  }
  std::stable_sort(course.lessons.begin(), course.lessons.end(),
                   [](const Lesson& a, const Lesson& b) { return a.number < b.number; });
  course.misconceptions = read_list(course, "misconceptions.toml", parse_misconceptions);
  course.terms = read_list(course, "glossary.toml", parse_glossary);
  return course;
}

Result<const Lesson*> find_lesson(const Course& course, std::string_view name) {
  std::uint32_t number = 0;
  const auto [end, failure] = std::from_chars(name.data(), name.data() + name.size(), number);
  const bool is_number = failure == std::errc{} && end == name.data() + name.size();
  const bool is_folder = failure == std::errc{} && end != name.data() && *end == '_';
  const auto bare = is_folder ? name.substr(static_cast<std::size_t>(end + 1 - name.data())) : name;
  std::vector<std::string_view> known;
  for (const Lesson& lesson : course.lessons) {
    if (is_number ? lesson.number == number : lesson.name == bare) return &lesson;
    known.push_back(lesson.name);
  }
  for (const Error& broken : course.broken)
    if (broken.message.find("_" + std::string(bare) + "/") != std::string::npos ||
        (is_number && broken.message.find(fmt::format("/{:02}_", number)) != std::string::npos))
      return tl::unexpected<Error>(broken);
  return bad_request(unknown("lesson", name, known));
}

}  // namespace ringside::lessons
