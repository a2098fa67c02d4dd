#include "sim/workload/parallelism.hpp"

#include <algorithm>

#include "core/suggest.hpp"

namespace ringside::sim {
namespace {

std::string text(std::uint64_t number) {
  return std::to_string(number);
}

Result<void> check_counts(const Parallelism& p) {
  if (std::min({p.data, p.tensor, p.pipeline, p.expert}) == 0)
    return bad_request("data, tensor, pipeline and expert parallelism are degrees from 1 up");
  if (std::min({p.micro_batches, p.micro_batch_samples, p.interleave}) == 0)
    return bad_request("a step has at least one micro-batch of at least one sample");
  if (p.zero > 3) return bad_request("ZeRO has stages 0 to 3, not " + text(p.zero));
  if (p.bucket.count == 0) return bad_request("a bucket of gradients holds at least a byte");
  if (!is_floating(p.type))
    return bad_request("a model is trained in a floating type, not in " +
                       std::string(name(p.type)));
  return {};
}

Result<void> check_experts(const Parallelism& p, const Model& model) {
  if (p.expert == 1) return {};
  std::uint32_t experts = 0;
  for (const auto& layer : model.layers) experts = std::max(experts, layer.experts);
  if (experts == 0)
    return bad_request(model.name + " has no experts to spread over " + text(p.expert) + " GPUs");
  if (experts % p.expert != 0)
    return bad_request(text(experts) + " experts cannot be shared out evenly among " +
                       text(p.expert) + " GPUs: --expert must divide them");
  if (p.data % p.expert != 0)
    return bad_request("expert parallelism divides data parallelism: " + text(p.expert) +
                       " does not divide " + text(p.data));
  return {};
}

}  // namespace

Result<void> check(const Parallelism& p, const Model& model) {
  RS_TRY(check_counts(p));
  if (p.tensor > 1 && model.heads == 0)
    return bad_request(model.name + " has no layer that tensor parallelism splits");
  if (p.tensor > 1 && model.heads % p.tensor != 0)
    return bad_request("tensor parallelism divides the attention heads: " + text(p.tensor) +
                       " does not divide the " + text(model.heads) + " of " + model.name);
  if (std::uint64_t{p.pipeline} * p.interleave > model.depth())
    return bad_request(model.name + " has " + counted(model.depth(), "layer") +
                       ", too few for a pipeline of " +
                       text(std::uint64_t{p.pipeline} * p.interleave) + " stretches of layers");
  return check_experts(p, model);
}

}  // namespace ringside::sim
