// Any words about a machine name a platform that the tuner takes, or are refused.

#include <cstdlib>

#include "sim/tuner.hpp"

extern "C" int LLVMFuzzerTestOneInput(const char* data, std::size_t size) {
  using namespace ringside;
  const std::string_view words(data, size);
  const auto lines = [&](std::size_t n) {
    std::size_t begin = 0;
    for (; n > 0 && begin != std::string_view::npos; --n) begin = words.find('\n', begin + 1);
    return std::string(begin == std::string_view::npos ? "" : words.substr(begin));
  };
  const auto platform = sim::platform_of(
      sim::Description{.hardware = lines(0),
                       .nodes = static_cast<std::uint32_t>(size > 0 ? data[0] & 63 : 1),
                       .per_node = static_cast<std::uint32_t>(size > 1 ? data[1] & 15 : 8),
                       .interconnect = lines(1),
                       .version = lines(2),
                       .notes = lines(3)});
  if (!platform) return 0;
  const auto tuner = sim::Tuner::make(*platform);
  if (!tuner || !tuner->choose({CollectiveKind::all_reduce, 1_MiB})) std::abort();
  return 0;
}
