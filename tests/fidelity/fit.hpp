#pragma once

#include <span>
#include <string>
#include <vector>

#include "sim/tuner/figures.hpp"
#include "tests/fidelity/logs.hpp"

namespace ringside::fidelity {

/// What the tuner says of a sample, in us.
double predict(const sim::Figures& figures, const Log& log, const Sample& sample);

/// Moves the figures that were measured to where they fit `logs`, one after the other, as long as
/// that helps; the others stay where they were published. Robust: a row counts by the size of its
/// error, up to a bound, a log by the root of its rows; a stray from what was published costs.
void fit(sim::Figures& figures, std::span<const Log* const> logs);

}  // namespace ringside::fidelity
