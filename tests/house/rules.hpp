#pragma once

#include <algorithm>
#include <cstddef>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

/// The house rules that a machine can count, as functions from a file's text to complaints.
namespace ringside::house {

/// A source file: its path from the repository's root, and its text.
struct File {
  std::string path;
  std::string text;
};
using Complaints = std::vector<std::string>;

inline std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

inline std::string room_of(std::string_view path) {
  return std::string(path.substr(0, path.find('/')));
}

inline std::string where(const File& file, std::size_t line_index) {
  return file.path + ":" + std::to_string(line_index + 1) + ": ";
}

/// What may lie at the top: the rooms, and the files that git, CMake, editors and people look for
/// there. Everything else has a room to be in. (Names that begin with a dot are such files.)
inline Complaints strangers_at_the_top(const std::set<std::string>& names) {
  static const std::set<std::string> allowed = {"core",
                                                "sim",
                                                "gpu",
                                                "viz",
                                                "lessons",
                                                "tests",
                                                "docs",
                                                "README.md",
                                                "CMakeLists.txt",
                                                "ringside",
                                                "CMakePresets.json"};
  Complaints found;
  for (const auto& name : names)
    if (!name.starts_with('.') && !allowed.contains(name))
      found.push_back(name + " has no place at the top level");
  return found;
}

/// Which rooms a room may include.
inline const std::map<std::string, std::set<std::string>>& arrows() {
  static const std::map<std::string, std::set<std::string>> value = {
      {"core", {"core"}},
      {"sim", {"core", "sim"}},
      {"gpu", {"core", "gpu"}},
      {"lessons", {"core", "sim", "lessons"}},
      {"viz", {"core", "sim", "gpu", "lessons", "viz"}},
  };
  return value;
}

/// Includes that point the wrong way: out of core, between sim and gpu, into viz.
inline Complaints wrong_arrows(const File& file) {
  Complaints found;
  const auto allowed = arrows().find(room_of(file.path));
  if (allowed == arrows().end()) return found;
  const auto lines = lines_of(file.text);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (!lines[i].starts_with("#include \"")) continue;
    const auto target = lines[i].substr(10, lines[i].find('"', 10) - 10);
    if (!allowed->second.contains(room_of(target)))
      found.push_back(where(file, i) + allowed->first + " may not include " + target);
  }
  return found;
}

/// Headers that get installed must not drag third-party code into their users, tl::expected
/// excepted.
inline Complaints foreign_includes(const File& file) {
  Complaints found;
  const auto room = room_of(file.path);
  if ((room != "core" && room != "sim") || !file.path.ends_with(".hpp")) return found;
  const auto lines = lines_of(file.text);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (!lines[i].starts_with("#include <")) continue;
    const auto target = lines[i].substr(10, lines[i].find('>') - 10);
    const bool standard = target.find_first_of("./") == std::string::npos;
    if (!standard && target != "tl/expected.hpp")
      found.push_back(where(file, i) + "an installed header may not include <" + target + ">");
  }
  return found;
}

/// Columns as a reader counts them: one a code point.
inline std::size_t columns(std::string_view line) {
  return static_cast<std::size_t>(std::count_if(
      line.begin(), line.end(), [](char c) { return (static_cast<unsigned char>(c) >> 6) != 2; }));
}

/// Header 150 lines, source 400, 100 columns, function 60 lines.
inline Complaints too_big(const File& file) {
  Complaints found;
  const auto lines = lines_of(file.text);
  const std::size_t budget = file.path.ends_with(".hpp") ? 150 : 400;
  if (lines.size() > budget)
    found.push_back(file.path + ": " + std::to_string(lines.size()) + " lines, at most " +
                    std::to_string(budget));
  // A function at file level runs from the first line at column 0 after the last thing ended to a
  // closing brace at column 0. (.clang-tidy counts the others.)
  std::size_t start = 0;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const std::string& line = lines[i];
    if (columns(line) > 100) found.push_back(where(file, i) + "more than 100 columns");
    const bool at_margin = !line.empty() && line[0] != ' ';
    if (!at_margin) continue;
    if (line == "}" && i - start + 1 > 60)
      found.push_back(where(file, start) + "a function of " + std::to_string(i - start + 1) +
                      " lines, at most 60");
    start = line[0] == '}' || line[0] == '/' || line[0] == '#' ? i + 1 : i;
  }
  return found;
}

}  // namespace ringside::house
