// Any bytes are an MSCCL algorithm or are refused; what is read can be run or is refused as such.

#include "core/formats/msccl_xml.hpp"

extern "C" int LLVMFuzzerTestOneInput(const char* data, std::size_t size) {
  if (const auto algorithm = ringside::msccl_from_xml({data, size}, "fuzzed"))
    ringside::check(algorithm->program);
  return 0;
}
