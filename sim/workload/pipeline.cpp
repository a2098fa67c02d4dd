#include "sim/workload/pipeline.hpp"

#include <algorithm>

namespace ringside::sim {
namespace {

/// The k-th turn forward, or backward, of any stage: micro-batches in groups of one a stage, each
/// group through all pieces.
Turn kth(std::uint64_t k, const Parallelism& p, bool is_forward) {
  const std::uint64_t group = std::min(p.pipeline, p.micro_batches), round = group * p.interleave;
  const auto piece = static_cast<std::uint32_t>(k % round / group);
  return {is_forward, static_cast<std::uint32_t>(k / round * group + k % group),
          is_forward ? piece : p.interleave - 1 - piece};
}

}  // namespace

std::vector<Turn> turns(const Parallelism& p, std::uint32_t stage) {
  std::vector<Turn> order;
  const auto m = p.micro_batches;
  if (p.pipeline_schedule == PipelineSchedule::gpipe) {
    for (std::uint32_t i = 0; i < m; ++i) order.push_back({true, i, 0});
    for (auto i = m; i-- > 0;) order.push_back({false, i, 0});
    return order;
  }
  const bool interleaved = p.interleave > 1;
  const std::uint64_t all = std::uint64_t{m} * p.interleave, later = p.pipeline - stage - 1;
  const auto ahead =
      std::min(all, interleaved ? 2 * later + std::uint64_t{p.interleave - 1} * p.pipeline : later);
  for (std::uint64_t k = 0; k < all + ahead; ++k) {
    if (k < all) order.push_back(kth(k, p, true));
    if (k >= ahead) order.push_back(kth(k - ahead, p, false));
  }
  return order;
}

}  // namespace ringside::sim
