// A model or a GPU in TOML, and a list of GPU counts: any bytes become something sound or one
// sentence.

#include <cstdlib>

#include "sim/workload/memory.hpp"
#include "sim/workload/scaling.hpp"

extern "C" int LLVMFuzzerTestOneInput(const char* data, std::size_t size) {
  using namespace ringside::sim;
  const std::string_view text(data, size);
  if (const auto counts = parse_gpu_counts(text.substr(0, text.find('\n')));
      counts && (counts->empty() || counts->front() == 0))
    std::abort();
  const auto gpu = read_gpu(text, "fuzz.toml");
  if (gpu ? gpu->memory.count == 0 : gpu.error().message.empty()) std::abort();
  const auto model = read_model(text, "fuzz.toml");
  if (!model) return model.error().message.empty() ? std::abort(), 0 : 0;
  if (model->parameters() == 0 || !memory_use(*model, {.data = 2, .zero = 3})) std::abort();
  return 0;
}
