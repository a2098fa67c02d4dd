// Any bytes are a rubric or are refused.

#include "lessons/course/rubric.hpp"

extern "C" int LLVMFuzzerTestOneInput(const char* data, std::size_t size) {
  static_cast<void>(ringside::lessons::parse_rubric({data, size}, "fuzzed"));
  return 0;
}
