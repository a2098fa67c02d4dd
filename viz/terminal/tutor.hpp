#pragma once

#include <cstddef>
#include <functional>
#include <iosfwd>

#include "lessons/course/sitting.hpp"
#include "viz/terminal/state_view.hpp"

namespace ringside::terminal {

struct Tutoring {
  lessons::Language language = lessons::Language::en;
  Style style{};
  std::size_t columns = 80;
  /// Called after every answer and page, so that nothing is lost; null: progress is not kept.
  std::function<void()> keep{};
  bool echo = false;  ///< what is read is written, too: for answers that come from a file
};

/// Goes through a lesson from where the sitting stands: shows a beat and its run as text, asks its
/// question, and reads one line for each answer until the last beat is left, the input ends, or
/// somebody types `quit`. Everything the learner may type is said at the prompt.
void tutor(lessons::Sitting& sitting, const Tutoring& manner, std::istream& in, std::ostream& out);

}  // namespace ringside::terminal
