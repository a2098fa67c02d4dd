#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.hpp"

namespace ringside {

// Processes that meet bring a letter each: words for the others, or a farewell.

/// What a process that leaves says of itself.
struct Farewell {
  int status = 0;           ///< its exit status, one digit
  std::string complaint{};  ///< one sentence; empty: nothing is wrong
};

std::string letter_with(std::string_view words);
std::string letter_with(const Farewell& farewell);
/// Empty if it holds words.
std::optional<Farewell> farewell_in(std::string_view letter);

/// What all have to say, by process. An error if one leaves: its complaint, or that it has ended.
Result<std::vector<std::string>> words_in(std::vector<std::string> letters);
/// If all leave: the worst status, and the first complaint. Empty if one of them still has words.
std::optional<Farewell> farewell_of_all(std::span<const std::string> letters);

/// Brings every process a letter, and returns all of theirs.
using Exchange = std::function<Result<std::vector<std::string>>(const std::string& letter)>;
/// Takes leave until all do, and returns the farewell of all: those who were about to share
/// something learn that they are to leave. An error: that of an exchange.
Result<Farewell> leave_together(const Farewell& mine, const Exchange& exchange);

/// What is said of a process that is silent where all exchange letters.
std::string absence(std::size_t process);

}  // namespace ringside
