// Any bytes are a machine or are refused; a machine passes check().

#include <cstdlib>

#include "sim/import/topo_m.hpp"

extern "C" int LLVMFuzzerTestOneInput(const char* data, std::size_t size) {
  if (size == 0) return 0;
  // The first byte asks for an NVLink generation.
  const ringside::sim::ImportOptions options{.nvlink = static_cast<unsigned char>(data[0]) % 8u};
  const auto topology = ringside::sim::import_topo_m({data + 1, size - 1}, "fuzzed", options);
  if (topology && !check(*topology)) std::abort();
  return 0;
}
