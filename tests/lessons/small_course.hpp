#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <utility>

#include "lessons/course/grading.hpp"
#include "tests/lessons/small_lesson.hpp"
#include "tests/lessons/textbook.hpp"

namespace ringside::lessons {

/// A course of one lesson, on disk as teachers write it.
class SmallCourse : public testing::Test {
 protected:
  SmallCourse() {
    const auto folder = here_ / "01_small";
    std::filesystem::create_directories(folder);
    write(folder / "lesson.toml", lesson_toml);
    write(folder / "en.md", text_md);
    write(folder / "zh.md", text_md);
    write(folder / "start.txt", "all_reduce 2 ranks 2 chunks\nstep: 0 -> 1: 0 +\n");
    write(folder / "solution.txt", solution);
    write(here_ / "misconceptions.toml",
          "[half-the-ring]\nlesson = 1\nen = \"A ring needs N-1 steps.\"\nzh = \"N-1\"\n");
    auto loaded = load_course(here_.string());
    EXPECT_TRUE(loaded) << loaded.error().message;
    if (loaded) course_ = *std::move(loaded);
    for (const auto& broken : course_.broken) ADD_FAILURE() << broken.message;
  }
  ~SmallCourse() override { std::filesystem::remove_all(here_); }

  static void write(const std::filesystem::path& file, const std::string& text) {
    std::ofstream(file) << text;
  }
  Instance instance(std::uint64_t seed) const {
    auto made = homework_instance(course_.lessons.front(), seed, laboratory_);
    EXPECT_TRUE(made) << made.error().message;
    return *std::move(made);
  }
  Homework assigned(const std::string& student) const {
    auto homework =
        assign(instance(own_seed(student, "small")), {student, own_seed(student, "small")});
    EXPECT_TRUE(homework) << homework.error().message;
    return *std::move(homework);
  }
  /// All answers right.
  Homework solved(const std::string& student) const {
    auto homework = assigned(student);
    const auto numbers = instance(homework.seed);
    for (auto& item : homework.items)
      item.answer = right_answer(*numbers.asked(*numbers.find(item.beat)));
    return homework;
  }
  HandIn graded(const Homework& homework) const { return graded(to_json(homework)); }
  HandIn graded(const std::string& text) const {
    return Grader(course_, laboratory_).grade(text, "hw.json");
  }

  std::filesystem::path here_ =
      std::filesystem::path(testing::TempDir()) / ("ringside_homework_" + std::to_string(getpid()));
  Course course_;
  Laboratory laboratory_ = textbook({8'000'000});
};

}  // namespace ringside::lessons
