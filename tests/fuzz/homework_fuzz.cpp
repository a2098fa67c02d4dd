// Any bytes are a homework or are refused; a homework survives the way to JSON and back, and then
// its seal holds.

#include <cstdlib>

#include "lessons/course/homework.hpp"

extern "C" int LLVMFuzzerTestOneInput(const char* data, std::size_t size) {
  using namespace ringside::lessons;
  const auto homework = homework_from_json({data, size}, "fuzzed");
  if (!homework) return 0;
  const auto text = to_json(*homework);
  const auto again = homework_from_json(text, "again");
  if (!again && text.size() > ringside::lessons::most_homework.count) return 0;
  if (!again || to_json(*again) != text || again->seal != seal_of(*again)) std::abort();
  return 0;
}
