#pragma once

#include <cstddef>
#include <string>

#include "sim/workload/step.hpp"

namespace ringside::terminal {

/// A training step as a line for each stream of each stage (of the first stages, where there are
/// many), `columns` wide: in each column the letter of what took most of that time, or a blank
/// where nothing happened; then what the letters mean.
std::string draw_step(const sim::TrainingStep& step, std::size_t columns = 96);

}  // namespace ringside::terminal
