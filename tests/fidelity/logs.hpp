#pragma once

#include <string>
#include <vector>

#include "sim/tuner.hpp"

namespace ringside::fidelity {

/// One measured time.
struct Sample {
  sim::Query query;
  double microseconds = 0;
  double busbw = 0;  ///< GB/s
};

/// One published log, as far as the study uses it.
struct Log {
  std::string file;    ///< `01_a100x8_...`: its first two digits are its number
  std::string family;  ///< logs of one machine: none of them is in the fit when one is judged
  sim::Platform platform;
  std::uint32_t ranks = 0;
  std::vector<Sample> samples;
  std::size_t spikes = 0;  ///< rows that stand out (outliers()), in no figure
  std::string number() const { return file.substr(0, 2); }
};

/// All logs of a folder that the study uses, by name. Left out, and why: the end of
/// docs/fidelity.md.
Result<std::vector<Log>> read_logs(const std::string& folder);

}  // namespace ringside::fidelity
