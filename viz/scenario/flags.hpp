#pragma once

// What all commands' flags share. For the .cpp files of commands only: it needs CLI11.

#include <CLI/CLI.hpp>
#include <cstdint>
#include <string>

#include "core/result.hpp"

namespace ringside::scenario {

/// Refuses what is not a whole number from `least` to `most`, naming the flag and both ends.
CLI::Validator whole_number(std::uint64_t least, std::uint64_t most);
/// Refuses the empty text that an unset shell variable leaves.
CLI::Validator not_empty();

/// The value, or the error with the flag it came from before it: `-b: "-8" is not a size: ...`.
template <typename T>
Result<T> of_flag(const std::string& flag, Result<T> value) {
  if (!value) value.error().message = flag + ": " + value.error().message;
  return value;
}

}  // namespace ringside::scenario
