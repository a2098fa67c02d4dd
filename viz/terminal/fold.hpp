#pragma once

#include <cstddef>
#include <functional>
#include <vector>

namespace ringside::terminal {

/// A stretch of a list: `period` things from `begin` on, and after them as many alike, `times`
/// times in all.
struct Fold {
  std::size_t begin = 0, period = 1, times = 1;
  std::size_t end() const { return begin + period * times; }
};

/// Cuts a list of `length` things into stretches, in order and without a gap. Whatever comes three
/// times or more in a row, alone or as a pattern of up to eight, becomes one stretch; each other
/// thing stays alone.
std::vector<Fold> fold(std::size_t length,
                       const std::function<bool(std::size_t, std::size_t)>& alike);

}  // namespace ringside::terminal
