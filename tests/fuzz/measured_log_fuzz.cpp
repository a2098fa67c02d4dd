// Any bytes are a log or are refused; a log's rows have a size and a time.

#include <cstdlib>

#include "core/formats/measured_log.hpp"

extern "C" int LLVMFuzzerTestOneInput(const char* data, std::size_t size) {
  const auto log = ringside::read_measured({data, size}, "fuzzed");
  if (!log) return 0;
  if (log->rows.empty()) std::abort();
  for (const auto& row : log->rows)
    if (!row.size || row.size->count == 0 || !row.time || row.time->picoseconds <= 0) std::abort();
  return 0;
}
