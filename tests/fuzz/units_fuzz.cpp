// Sizes, bandwidths and durations from the command line and from files: any bytes parse or are
// refused, and what was parsed can be printed.

#include "core/units.hpp"

extern "C" int LLVMFuzzerTestOneInput(const char* data, std::size_t size) {
  const std::string_view text(data, size);
  if (const auto bytes = ringside::parse_bytes(text)) to_string(*bytes);
  if (const auto bandwidth = ringside::parse_bandwidth(text)) to_string(*bandwidth);
  if (const auto duration = ringside::parse_duration(text)) to_string(*duration);
  return 0;
}
