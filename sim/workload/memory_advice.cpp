// What to do where a model does not fit.

#include <vector>

#include "sim/workload/memory.hpp"

namespace ringside::sim {
namespace {

struct Change {
  std::string said;
  Parallelism parallelism;
};

std::string gigabytes(Bytes size) {
  const auto tenths = (size.count + 50'000'000) / 100'000'000;
  return std::to_string(tenths / 10) + "." + std::to_string(tenths % 10) + " GB";
}

/// From the least to the most: what costs some computing, what costs some traffic, what costs
/// other GPUs.
std::vector<Change> changes(const Parallelism& p) {
  std::vector<Change> all;
  Parallelism next = p;
  std::string so_far;
  const auto add = [&](const std::string& said) {
    so_far += (so_far.empty() ? "" : " with ") + said;
    all.push_back({so_far, next});
  };
  for (auto zero = p.zero + 1; zero <= 3 && p.data > 1; ++zero) {
    next.zero = zero;
    all.push_back({"--zero " + std::to_string(zero), next});
  }
  if (!all.empty()) so_far = all.back().said;
  if (p.recompute != Recompute::full) {
    if (p.recompute == Recompute::none) {
      next.recompute = Recompute::selective;
      all.push_back({so_far + (so_far.empty() ? "" : " with ") + "--recompute selective", next});
    }
    next.recompute = Recompute::full;
    add("--recompute full");
  }
  if (p.micro_batch_samples > 1) {
    next.micro_batches *= next.micro_batch_samples;
    next.micro_batch_samples = 1;
    add("--micro-batch 1");
  }
  return all;
}

/// The same GPUs, more of them one replica's.
std::vector<Change> splits(const Parallelism& p) {
  std::vector<Change> all;
  for (std::uint32_t tensor = p.tensor; tensor <= 8; tensor *= 2)
    for (std::uint32_t pipeline = p.pipeline; pipeline <= 64; pipeline *= 2) {
      Parallelism next = p;
      const auto factor = tensor / p.tensor * (pipeline / p.pipeline);
      if (factor == 1 || p.data % factor != 0 || p.data / factor % p.expert != 0) continue;
      next.tensor = tensor;
      next.pipeline = pipeline;
      next.data = p.data / factor;
      next.micro_batches *= factor;
      std::string said;
      if (tensor > p.tensor) said = "--tensor " + std::to_string(tensor);
      if (pipeline > p.pipeline)
        said += (said.empty() ? "" : " ") + ("--pipeline " + std::to_string(pipeline));
      all.push_back({said, next});
    }
  return all;
}

}  // namespace

Result<std::string> does_not_fit(const Model& model, const Parallelism& p, const Gpu& gpu) {
  RS_ASSIGN(const auto use, memory_use(model, p));
  if (use.total() <= gpu.memory) return std::string();
  const auto so = model.name + " does not fit: it needs " + gigabytes(use.total()) + " of " +
                  gigabytes(gpu.memory) + " a GPU";
  for (const auto& tried : {changes(p), splits(p)})
    for (const auto& change : tried) {
      const auto changed = memory_use(model, change.parallelism);
      if (changed && changed->total() <= gpu.memory)
        return so + "; " + change.said + " would take " + gigabytes(changed->total());
    }
  return so + "; no ZeRO stage, recomputation or split over these GPUs makes it fit: take more";
}

}  // namespace ringside::sim
