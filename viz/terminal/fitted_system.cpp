#include "viz/terminal/fitted_system.hpp"

#include <fmt/format.h>

#include "sim/system_toml.hpp"
#include "viz/terminal/measured_machine.hpp"

namespace ringside::terminal {

std::string as_system(const scenario::LogFit& fit, const std::string& origin) {
  calibrate::Ports ports{};
  const Duration half{fit.latency.picoseconds / 2};
  ports.ranks.assign(fit.ranks,
                     {.out = fit.bandwidth, .in = fit.bandwidth, .duplex = {}, .latency = half});
  const auto system = machine_of(ports, "fitted",
                                 fmt::format("{} ranks on one switch, as {} of a log has them",
                                             fit.ranks, name(fit.collective)));
  std::string text = "# Fitted to " + origin + ":\n";
  for (const auto& sentence : in_words(fit)) text += "# " + sentence + "\n";
  return text + sim::write_system(system);
}

}  // namespace ringside::terminal
