#include "lessons/course/expression.hpp"

#include <fmt/format.h>
#include <muParser.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

#include "core/suggest.hpp"
#include "lessons/course/facts.hpp"
#include "lessons/course/training_facts.hpp"

namespace ringside::lessons {
namespace {

constexpr std::size_t most_letters = 400;

/// Dimensions are found by trying: what does the result do when a byte counts twice, or a second?
struct Scales {
  double byte = 1, second = 1;
  double of(Unit unit) const {
    switch (unit) {
      case Unit::bytes:
        return byte;
      case Unit::time:
        return second;
      case Unit::bandwidth:
        return byte / second;
      default:
        return 1;
    }
  }
};

/// A fact that could not be had; muParser hands it through.
struct Refused {
  std::string sentence;
};

/// What the functions that muParser calls stand for at the moment: it takes plain functions only.
struct Now {
  const Scope* scope = nullptr;
  Scales scales{};
};
thread_local Now now;

double fact(const Fact& fact, const char* run, Arguments arguments) {
  const auto experiment = now.scope->run(run);
  if (!experiment) throw Refused{experiment.error().message};
  const auto value = fact.of(**experiment, arguments);
  if (!value)
    throw Refused{fmt::format("{}('{}', ...): {}", fact.name, run, value.error().message)};
  return *value * now.scales.of(fact.unit);
}

constexpr std::size_t most_facts = 32;
template <std::size_t I, typename... Number>
double nth_fact(const char* run, Number... numbers) {
  const std::array<double, sizeof...(Number)> arguments{numbers...};
  return fact(facts()[I], run, arguments);
}

template <std::size_t I>
void define_fact(mu::Parser& parser) {
  if (I >= facts().size()) return;
  const std::string name(facts()[I].name);
  switch (facts()[I].arguments) {
    case 0:
      return parser.DefineFun(name, static_cast<mu::strfun_type1>(nth_fact<I>), false);
    case 1:
      return parser.DefineFun(name, static_cast<mu::strfun_type2>(nth_fact<I, double>), false);
    case 2:
      return parser.DefineFun(name, static_cast<mu::strfun_type3>(nth_fact<I, double, double>),
                              false);
    case 3:
      return parser.DefineFun(
          name, static_cast<mu::strfun_type4>(nth_fact<I, double, double, double>), false);
    default:
      return parser.DefineFun(
          name, static_cast<mu::strfun_type6>(nth_fact<I, double, double, double, double, double>),
          false);
  }
}

template <std::size_t... I>
void define_facts(mu::Parser& parser, std::index_sequence<I...> /*all*/) {
  (define_fact<I>(parser), ...);
}

/// What training costs, in whatever units the answer has: arguments come scaled, and are scaled
/// back.
template <std::size_t I>
double nth_training_fact(const double* numbers, int count) {
  const TrainingFact& fact = training_facts()[I];
  if (static_cast<std::size_t>(count) != fact.arguments.size())
    throw Refused{fmt::format("{} takes {}, not {}", fact.name,
                              counted(fact.arguments.size(), "number"), count)};
  std::vector<double> arguments(numbers, numbers + count);
  for (std::size_t i = 0; i < arguments.size(); ++i)
    arguments[i] /= now.scales.of(fact.arguments[i]);
  const auto value = fact.of(arguments);
  if (!value) throw Refused{fmt::format("{}(...): {}", fact.name, value.error().message)};
  return *value * now.scales.of(fact.unit);
}

template <std::size_t... I>
void define_training_facts(mu::Parser& parser, std::index_sequence<I...> /*all*/) {
  const auto define = [&](std::size_t i, mu::multfun_type function) {
    if (i < training_facts().size())
      parser.DefineFun(std::string(training_facts()[i].name), function, false);
  };
  (define(I, nth_training_fact<I>), ...);
}

double modulo(double a, double b) {
  if (b == 0) throw Refused{"mod(a, 0) means nothing"};
  return a - b * std::floor(a / b);
}

/// A parser that knows all functions; names come with each expression.
mu::Parser& parser() {
  thread_local mu::Parser made = [] {
    mu::Parser parser;
    parser.DefineFun("mod", modulo);
    parser.DefineFun("floor", static_cast<mu::fun_type1>([](double x) { return std::floor(x); }));
    parser.DefineFun("ceil", static_cast<mu::fun_type1>([](double x) { return std::ceil(x); }));
    parser.DefineFun("round", static_cast<mu::fun_type1>([](double x) { return std::round(x); }));
    parser.DefineFun("float32", static_cast<mu::fun_type1>([](double x) {
                       return static_cast<double>(static_cast<float>(x));
                     }));
    define_facts(parser, std::make_index_sequence<most_facts>{});
    define_training_facts(parser, std::make_index_sequence<most_facts>{});
    return parser;
  }();
  return made;
}

struct Constant {
  const char* name;
  double value;
  Unit unit;
};
constexpr double kibi = 1024;
constexpr Constant constants[] = {{"true", 1, Unit::none},
                                  {"false", 0, Unit::none},
                                  {"KB", 1e3, Unit::bytes},
                                  {"MB", 1e6, Unit::bytes},
                                  {"GB", 1e9, Unit::bytes},
                                  {"KiB", kibi, Unit::bytes},
                                  {"MiB", kibi* kibi, Unit::bytes},
                                  {"GiB", kibi* kibi* kibi, Unit::bytes},
                                  {"us", 1e-6, Unit::time},
                                  {"ms", 1e-3, Unit::time},
                                  {"s", 1, Unit::time},
                                  {"GBps", 1e9, Unit::bandwidth}};

std::string explain(const mu::Parser::exception_type& error, const Scope& scope) {
  switch (error.GetCode()) {
    case mu::ecUNASSIGNABLE_TOKEN: {
      std::vector<std::string_view> known;
      for (const auto& [name, value] : scope.values) known.push_back(name);
      for (const Fact& one : facts()) known.push_back(one.name);
      return unknown("name", error.GetToken(), known);
    }
    case mu::ecDIV_BY_ZERO:
      return "it divides by zero";
    default:
      return "it cannot be read: " + error.GetMsg();
  }
}

Result<double> evaluate_scaled(std::string_view text, const Scope& scope, const Scales& scales) {
  const Now before = std::exchange(now, Now{&scope, scales});
  mu::Parser& calculator = parser();
  try {
    calculator.ClearConst();
    for (const Constant& constant : constants)
      calculator.DefineConst(constant.name, constant.value * scales.of(constant.unit));
    for (const auto& [name, quantity] : scope.values)
      calculator.DefineConst(name, quantity.value * scales.of(quantity.unit));
    std::string said(text);
    std::ranges::replace(said, '\'', '"');  // a run's name: lessons quote it once, muParser twice
    calculator.SetExpr(said);
    const double value = calculator.Eval();
    now = before;
    if (!std::isfinite(value)) return bad_request("it gives no finite number");
    return value;
  } catch (const mu::Parser::exception_type& error) {
    now = before;
    return bad_request(explain(error, scope));
  } catch (const Refused& refused) {
    now = before;
    return bad_request(refused.sentence);
  }
}

/// The power to which `base` was raised to give `ratio`; none if it is not -1, 0 or 1.
std::optional<int> power(double ratio, double base) {
  for (const int exponent : {0, 1, -1})
    if (std::abs(ratio / std::pow(base, exponent) - 1) < 1e-9) return exponent;
  return std::nullopt;
}

}  // namespace

Result<double> evaluate_number(std::string_view text, const Scope& scope) {
  if (text.empty()) return bad_request("it is empty");
  if (text.size() > most_letters)
    return bad_request(fmt::format("it is longer than {} letters", most_letters));
  return evaluate_scaled(text, scope, {});
}

Result<Quantity> evaluate(std::string_view text, const Scope& scope) {
  RS_ASSIGN(const double value, evaluate_number(text, scope));
  if (value == 0) return Quantity{0, Unit::none};
  constexpr double twice = 2, thrice = 3;
  RS_ASSIGN(const double of_bytes, evaluate_scaled(text, scope, {.byte = twice}));
  RS_ASSIGN(const double of_seconds, evaluate_scaled(text, scope, {.second = thrice}));
  const auto bytes = power(of_bytes / value, twice), seconds = power(of_seconds / value, thrice);
  if (bytes == 1 && seconds == 0) return Quantity{value, Unit::bytes};
  if (bytes == 0 && seconds == 1) return Quantity{value, Unit::time};
  if (bytes == 1 && seconds == -1) return Quantity{value, Unit::bandwidth};
  return Quantity{value, Unit::none};
}

std::string in_share(const Quantity& quantity) {
  switch (quantity.unit) {
    case Unit::bytes:
      return fmt::format("{:.0f}", quantity.value);
    case Unit::time:
      return fmt::format("{:.0f}ps", quantity.value * 1e12);
    case Unit::bandwidth:
      return fmt::format("{:.0f}B/s", quantity.value);
    case Unit::percent:
      return fmt::format("{}%", quantity.value * 100);
    default:
      break;
  }
  const bool is_whole =
      std::abs(quantity.value) < 1e15 && std::round(quantity.value) == quantity.value;
  return is_whole ? fmt::format("{:.0f}", quantity.value) : fmt::format("{}", quantity.value);
}

}  // namespace ringside::lessons
