#pragma once

#include <string>

#include "viz/scenario/log_fit.hpp"

namespace ringside::terminal {

/// All ranks on one switch: a step through it takes the latency and carries the bandwidth. As text
/// that --system takes; `origin` says in it where the figures are from.
std::string as_system(const scenario::LogFit& fit, const std::string& origin);

}  // namespace ringside::terminal
