// Any bytes are a recorded run or are refused; a run survives the way to text and back.

#include <cstdlib>

#include "core/formats/trace_json.hpp"

extern "C" int LLVMFuzzerTestOneInput(const char* data, std::size_t size) {
  const auto run = ringside::trace_from_json({data, size}, "fuzzed");
  if (!run) return 0;
  const auto text = ringside::trace_to_json(*run);
  if (!text) std::abort();
  const auto again = ringside::trace_from_json(*text, "again");
  if (!again || *ringside::trace_to_json(*again) != *text) std::abort();
  return 0;
}
