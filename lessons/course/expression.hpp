#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>

#include "lessons/course/amount.hpp"
#include "lessons/course/laboratory.hpp"
#include "lessons/course/question.hpp"

namespace ringside::lessons {

/// Numbers by name.
using Values = std::map<std::string, Quantity, std::less<>>;

/// What an expression may use: names, and the runs of a lesson by theirs.
struct Scope {
  const Values& values;
  std::function<Result<ExperimentPtr>(std::string_view run)> run;
};

/// Works an expression out: + - * / ^, comparisons, && ||, a ? b : c; the functions that
/// lessons/README.md lists, facts of runs among them. The unit is what its dimension says: bytes,
/// time, bandwidth, or none. Error: one sentence, without a place. Never throws, whatever the text.
Result<Quantity> evaluate(std::string_view text, const Scope& scope);
/// The value alone; cheaper.
Result<double> evaluate_number(std::string_view text, const Scope& scope);

/// As a share string takes it, exact: `4294967296`, `5000000ps`, `25000000000B/s`, `8`.
std::string in_share(const Quantity& quantity);

}  // namespace ringside::lessons
