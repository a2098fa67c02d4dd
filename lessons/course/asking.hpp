#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "lessons/course/instance.hpp"

// How a question gets its numbers; for Instance.

namespace ringside::lessons {

/// Which of `size` things a seed takes for a name: seed 0 the first.
std::size_t drawn(std::uint64_t seed, std::string_view name, std::size_t size);

/// Works out one question.
struct Worker {
  const Lesson& lesson;
  std::uint64_t seed;
  const std::string& beat;
  const Values& values;  ///< the lesson's and the question's own
  std::function<Result<Quantity>(const Values&, const Expression&)> evaluate;

  Result<Asked> ask(const Question& question) const;

 private:
  Result<double> number(const Expression& expression) const;
  /// Whole and not negative, as a rank or a step is.
  Result<std::uint32_t> index(const Expression& expression) const;
  Result<Expected> expected(const Sought& sought) const;
  Result<std::vector<Mistaken>> mistaken(const std::vector<KnownWrong>& wrong) const;
  Result<void> options(const Question& question, Asked& asked) const;
  Result<void> curve(const DrawRule& rule, Asked& asked) const;
  Result<void> puzzle(const PuzzleRule& rule, Asked& asked) const;
  template <typename Item>
  void shuffle(std::vector<Item>& items) const;
};

/// Before and after a collective by the card rule: rank r starts with (r+2) 10^c in chunk c. The
/// root is rank 1.
Card make_card(std::string_view collective, std::uint32_t ranks);

}  // namespace ringside::lessons
