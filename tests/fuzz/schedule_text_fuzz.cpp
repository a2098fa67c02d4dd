// Any bytes are a schedule or are refused; a schedule survives the way to text and back.

#include <cstdlib>

#include "core/formats/schedule_text.hpp"

extern "C" int LLVMFuzzerTestOneInput(const char* data, std::size_t size) {
  const auto told = ringside::schedule_from_text_lines({data, size}, "fuzzed");
  if (!told) return 0;
  if (told->lines.size() != told->schedule.transfers().size()) std::abort();
  const auto text = ringside::schedule_to_text(told->schedule);
  const auto again = ringside::schedule_from_text_lines(text, "again");
  if (!again || ringside::schedule_to_text(again->schedule) != text) std::abort();
  return 0;
}
