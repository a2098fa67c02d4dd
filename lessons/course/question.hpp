#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lessons/course/amount.hpp"

// What a lesson asks, as lesson.toml says it.

namespace ringside::lessons {

enum class QuestionKind : std::uint8_t {
  number,
  choice,
  pick,
  vector,
  blanks,
  sort,
  draw,
  schedule
};
std::string_view name(QuestionKind kind);

struct Expression {
  std::string text{};
  std::uint32_t line = 0;  ///< of lesson.toml
};
/// `n = [5, 6, 7]`: the first is the sample's, of which seed 0 is made.
struct Variable {
  std::string name{};
  std::vector<Quantity> values{};
};
struct Definition {
  std::string name{};
  Expression value{};
};
struct Numbers {
  std::vector<Variable> vars{};
  std::vector<Definition> lets{};  ///< each may use what stands before it
};

/// A wrong answer that is known, and why people give it.
struct KnownWrong {
  std::vector<Expression> values{};  ///< as many as the answer has
  std::string misconception{};
  std::uint32_t line = 0;
};
struct ChoiceRule {
  std::string id{};
  Expression right{"false", 0};
  std::string misconception{};  ///< empty: wrong (or right) for no known reason
  std::uint32_t line = 0;
};
/// A number to be typed: the answer of a question, or one blank.
struct Sought {
  std::string id{};  ///< of a blank
  Expression answer{};
  Expression confirm{};  ///< the same by another way; empty: none
  Unit unit = Unit::none;
  double tolerance = 0.01;
  std::vector<KnownWrong> wrong{};
};

enum class Picked : std::uint8_t { rank, chunk, link };
/// The answer is a transfer that `rank` sends in `step`.
struct ArrowRule {
  Expression rank{}, step{};
};
struct DrawRule {
  std::vector<double> over{};  ///< the variable x
  Expression truth{};
  Unit unit = Unit::none;
  double good = 1.25;  ///< the factor by which points may be off, on average
};
/// `par`: what a good schedule needs. Text schedules lie beside lesson.toml.
struct PuzzleRule {
  std::string collective{};
  Expression ranks{}, chunks{}, bytes{};
  std::string start{}, solution{};  ///< what these files say
  Expression steps{}, busiest{}, time{};
  std::string system{};  ///< fields of a share string: `bandwidth=25GB/s&latency=1us`
};

struct Question {
  QuestionKind kind = QuestionKind::number;
  std::uint32_t line = 0;
  Numbers own{};
  std::vector<Sought> sought{};     ///< number, pick: 1 (a link: 2); vector, blanks: any number
  std::vector<KnownWrong> wrong{};  ///< number, pick, vector
  std::vector<ChoiceRule> choices{};
  Picked what = Picked::rank;
  std::optional<ArrowRule> arrow{};
  std::vector<std::string> cards{};  ///< sort: names of collectives
  std::uint32_t card_ranks = 0;
  std::optional<DrawRule> draw{};
  std::optional<PuzzleRule> puzzle{};
  bool homework = false;
};

}  // namespace ringside::lessons
