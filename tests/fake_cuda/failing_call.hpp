#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <string>

#include "core/engine.hpp"
#include "tests/fake_cuda/machine.hpp"

namespace fake {

constexpr const char* machine_of_failures = "devices=3,peers=partial";

/// What is tried while one call after the other fails.
struct Attempt {
  std::function<ringside::Result<ringside::Outcome>()> run;
  /// Whether an error says enough of a call that failed.
  bool (*is_sentence)(const std::string& message);
  /// Whether a failure of that function may lead to something other than an error.
  bool (*may_pass)(const std::string& function, const ringside::Outcome& outcome);
};

/// The end of something failed that was of no more use.
inline bool is_an_end(const std::string& function) {
  return function.find("Free") != function.npos || function.find("Destroy") != function.npos;
}

/// What may not be: nothing, or a sentence.
inline std::string complaint_about(const Attempt& attempt,
                                   const ringside::Result<ringside::Outcome>& outcome,
                                   bool has_failed) {
  if (outcome)
    return outcome->comparison.wrong > 0 ? "wrong data: " + outcome->comparison.first : "";
  const auto& [kind, message] = outcome.error();
  if (!has_failed) return "without a failure: " + message;
  if (kind == ringside::ErrorKind::request) return "blames the request: " + message;
  return attempt.is_sentence(message) ? "" : "says too little: " + message;
}

/// Fails call `k` of that function. False when there was no such call.
inline bool fails(const Attempt& attempt, const std::string& function, std::uint64_t k) {
  const auto what = "call " + std::to_string(k) + " of " + function;
  Machine machine(std::string(machine_of_failures) + ",fail=" + function + ":" + std::to_string(k));
  const auto outcome = attempt.run();
  const bool has_failed = ringside_fake_cuda_has_failed() == 1;
  EXPECT_EQ(complaint_about(attempt, outcome, has_failed), "") << what;
  EXPECT_TRUE(!has_failed || !outcome || attempt.may_pass(function, *outcome))
      << what << " was not told";
  EXPECT_EQ(machine.findings(), "") << what;
  return has_failed;
}

/// The functions that are called when nothing fails.
inline std::vector<std::string> functions_called(const Attempt& attempt) {
  Machine machine(machine_of_failures);
  EXPECT_EQ(complaint_about(attempt, attempt.run(), false), "");
  return Machine::called();
}

}  // namespace fake
