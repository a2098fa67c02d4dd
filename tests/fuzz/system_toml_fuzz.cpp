// A machine in TOML: any bytes become a sound system or one sentence, and what was read can be
// written and read again. The first line of the text doubles as a `--set` argument.

#include <cstdlib>

#include "sim/override.hpp"
#include "sim/system_toml.hpp"

extern "C" int LLVMFuzzerTestOneInput(const char* data, std::size_t size) {
  using namespace ringside::sim;
  const std::string_view text(data, size);
  const auto change = parse_override(text.substr(0, text.find('\n')));
  auto system = read_system(text, "fuzz.toml");
  if (!system) return system.error().message.empty() ? std::abort(), 0 : 0;
  if (!check(system->topology)) std::abort();
  if (system->topology.links.size() < 1000) {
    const auto again = read_system(write_system(*system), "again.toml");
    if (!again || again->topology.links.size() != system->topology.links.size()) std::abort();
  }
  if (change && apply(*change, system->topology) && !check(system->topology)) std::abort();
  return 0;
}
