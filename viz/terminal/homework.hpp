#pragma once

#include <cstdint>
#include <iosfwd>
#include <string>

#include "core/result.hpp"
#include "lessons/course/course.hpp"
#include "viz/terminal/output.hpp"

namespace ringside::terminal {

/// `learn 3 --assign --seed auto --student ID --out hw.json`.
struct AssignRequest {
  std::string lesson, student;
  std::string seed = "auto";  ///< or a number: the same for everybody
  lessons::Language language = lessons::Language::en;
  OutputOptions output{};
};
/// A whole number below 2^53.
Result<std::uint64_t> parse_seed(const std::string& text);
/// Errors: no such lesson, no such student, a seed that is neither.
Result<int> assign_homework(const AssignRequest& request, const lessons::Course& course);

/// `learn --homework hw.json`: asks what is not right yet, judges each attempt and records it in
/// the file at once. Ends with the questions, with `quit`, or with the input. Errors: no homework;
/// one that was edited, which recording would seal anew.
struct HomeworkDesk {
  std::string file;
  std::istream& in;
  std::ostream& out;
};
Result<int> do_homework(const HomeworkDesk& desk, const lessons::Course& course);

}  // namespace ringside::terminal
