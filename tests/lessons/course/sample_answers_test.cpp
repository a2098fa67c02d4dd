// Worked by hand once, from formulas in the literature: what the shipped lessons' first numbers
// give.

#include <gmock/gmock.h>

#include "lessons/course/course.hpp"
#include "lessons/course/instance.hpp"
#include "viz/stage/laboratory.hpp"

namespace ringside::lessons {
namespace {

/// Every number that a lesson's sample asks for, knows by name, or takes for a known mistake.
std::vector<double> numbers_of(std::string_view name) {
  const stage::Shelf shelf;
  const auto course = load_course(RINGSIDE_SOURCE_DIR "/lessons");
  EXPECT_TRUE(course);
  const auto lesson = find_lesson(*course, name);
  EXPECT_TRUE(lesson) << (lesson ? "" : lesson.error().message);
  const auto instance = Instance::make(**lesson, 0, shelf.laboratory());
  EXPECT_TRUE(instance) << (instance ? "" : instance.error().message);
  std::vector<double> numbers;
  for (const auto& [known, quantity] : instance->values()) numbers.push_back(quantity.value);
  for (std::size_t i = 0; i < instance->size(); ++i) {
    if (instance->asked(i) == nullptr) continue;
    for (const Expected& one : instance->asked(i)->expected) {
      numbers.push_back(one.value);
      for (const Mistaken& wrong : one.wrong) numbers.push_back(wrong.values[0]);
    }
    for (const Mistaken& one : instance->asked(i)->wrong)
      numbers.insert(numbers.end(), one.values.begin(), one.values.end());
  }
  return numbers;
}

struct Sample {
  const char* lesson;
  std::vector<double> numbers;
};

TEST(SampleAnswers, AreWhatTheFormulasGive) {
  constexpr double gib = 1024.0 * 1024 * 1024, mib = 1024.0 * 1024;
  const Sample samples[] = {
      {"1", {4, 6}},
      {"2", {1400, 14, 140, 14000, 2, 30, 400, 5000, 3, 300, 3000}},
      {"3", {1, 3, 8}},
      {"4", {179.2e6, 1433.6e6, 4, 8}},
      {"5", {0.490e6, 0.941e6, 4.4e6}},
      {"6", {0.250, 0.070, 3.89e-3, 7, 0.060, 0.080, 0.015}},
      {"7", {7 * gib, 0.75 * gib, 0.097, 16.1e-3, 128.8e-3, 166.4e-3}},
      {"8", {30, 6.2, 0.656, 10.5}},
      {"9", {11.27e-3, 0.35e-3, 8.96e-3, 21.86e-3, 29.31e-3}},
      {"10", {24.5e9, 36.75e9, 120e9, 31.4e9, 16.6e9, 1.9e9}},
      {"11", {448 * mib, 0.273, 27}},
      {"12", {268.4e9, 469.8e9, 0, 1, 2}},
  };
  for (const auto& [lesson, wanted] : samples) {
    const auto numbers = numbers_of(lesson);
    for (const double number : wanted)
      EXPECT_TRUE(std::any_of(numbers.begin(), numbers.end(),
                              [number](double one) { return is_near(one, number, 0.015); }))
          << "lesson " << lesson << " has no " << number;
  }
}

}  // namespace
}  // namespace ringside::lessons
