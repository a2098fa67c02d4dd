// Any bytes are a schedule or are refused; a schedule survives the way to text and back.

#include <cstdlib>

#include "core/formats/schedule_json.hpp"

extern "C" int LLVMFuzzerTestOneInput(const char* data, std::size_t size) {
  const auto schedule = ringside::schedule_from_json({data, size}, "fuzzed");
  if (!schedule) return 0;
  const auto text = ringside::schedule_to_json(*schedule);
  const auto again = ringside::schedule_from_json(text, "again");
  if (!again || ringside::schedule_to_json(*again) != text) std::abort();
  return 0;
}
