#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace ringside::terminal {

/// Few combinations of several factors that hold every pair of values of any two factors: most
/// faults need no more than two things to come together (Kuhn, Wallace & Gallo, "Software fault
/// interactions", 2004). `levels[f]` is how many values factor f has, at least one each. Greedy;
/// the same every time.
std::vector<std::vector<std::uint32_t>> pairwise(std::span<const std::uint32_t> levels);

}  // namespace ringside::terminal
