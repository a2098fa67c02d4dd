#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/backend.hpp"
#include "core/report.hpp"
#include "core/result.hpp"

// What libraries' own collectives, measured beside ours, and a least bandwidth say of our rows.

namespace ringside::terminal {

/// One sentence if the backend is no library with a collective of its own. `flag`: who asks for it.
Result<void> check_has_own_collective(const Backend& backend, const std::string& flag);

/// How our rows stand to the yardsticks, at the last size, in a sentence each.
std::vector<std::string> comparisons(const std::vector<Row>& rows);

/// GB/s, as a plain number or with a unit: --min-busbw.
Result<double> parse_busbw(const std::string& text);

/// Our average bus bandwidth, held against the least that was asked for.
struct Gate {
  bool is_open = true;     ///< the average is enough, or nothing was asked for
  std::string sentence{};  ///< empty where there is nothing to say
};
/// Says what is averaged where rows are left out or `least` is asked for.
Gate gate(const std::vector<Row>& rows, std::optional<double> least);

}  // namespace ringside::terminal
