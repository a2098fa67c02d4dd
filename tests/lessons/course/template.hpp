#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <string>

#include "core/file.hpp"
#include "lessons/course/check.hpp"
#include "viz/stage/laboratory.hpp"

namespace ringside::lessons {

/// A course of its own in a temporary folder: the template lesson, to be damaged.
class TemplateCourse {
 public:
  TemplateCourse() {
    static int count = 0;
    root_ = std::filesystem::temp_directory_path() /
            ("ringside_course_" + std::to_string(getpid()) + "_" + std::to_string(count++));
    const std::filesystem::path source = RINGSIDE_SOURCE_DIR "/lessons";
    std::filesystem::create_directories(root_);
    std::filesystem::copy(source / "template", root_ / "01_template");
    for (const char* list : {"misconceptions.toml", "glossary.toml"})
      std::filesystem::copy(source / list, root_ / list);
  }
  ~TemplateCourse() {
    std::error_code ignored;
    std::filesystem::remove_all(root_, ignored);
  }
  TemplateCourse(const TemplateCourse&) = delete;
  TemplateCourse& operator=(const TemplateCourse&) = delete;

  std::string folder() const { return root_.string(); }

  /// In one of the lesson's files; it must be there.
  void replace(const std::string& file, const std::string& old, const std::string& by) const {
    const auto path = (root_ / "01_template" / file).string();
    auto text = *read_file(path);
    const auto at = text.find(old);
    ASSERT_NE(at, std::string::npos) << old;
    text.replace(at, old.size(), by);
    ASSERT_TRUE(write_file(path, text));
  }

  /// What the check says of it, a sentence a line.
  std::string check(std::uint64_t seeds = 4) const {
    const auto course = load_course(folder());
    if (!course) return course.error().message;
    const stage::Shelf shelf;
    const CheckOptions options{.seeds = seeds, .whole_course = false};
    std::string all;
    for (const Finding& finding : check_course(*course, shelf.laboratory(), options))
      all += finding.sentence + "\n";
    return all;
  }

 private:
  std::filesystem::path root_;
};

}  // namespace ringside::lessons
