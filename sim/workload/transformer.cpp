// What a transformer's layers hold, compute and keep, from its shape alone.

#include <algorithm>
#include <utility>

#include "core/assert.hpp"
#include "sim/workload/model.hpp"

namespace ringside::sim {
namespace {

using Count = std::uint64_t;

Count kv_width(const Transformer& t) {
  return Count{t.hidden} / t.heads * t.kv_heads;
}

/// Norms: a weight, and with biases a bias, for each of `hidden`.
Count norm(const Transformer& t) {
  return Count{t.biases ? 2U : 1U} * t.hidden;
}

Count attention_weights(const Transformer& t) {
  return Count{t.hidden} * (2 * Count{t.hidden} + 2 * kv_width(t));
}

/// Of one expert's network, or of the only one.
Count network_weights(const Transformer& t) {
  return Count{t.gated ? 3U : 2U} * t.hidden * t.feed_forward;
}

Count network_biases(const Transformer& t) {
  return t.biases ? Count{t.hidden} + Count{t.gated ? 2U : 1U} * t.feed_forward : 0;
}

/// Korthikanti et al. 2022, section 4.1, term by term (a token keeps this), with its 4h and h
/// widths as this shape has them: with two matrices of 4h, as many heads for keys, and dropout
/// these are the paper's 34 s h + 5 a s^2 bytes. A gated network keeps gate, up and their product.
void keep(const Transformer& t, Layer& block) {
  const Count s = t.sequence, h = t.hidden, seen_by = std::max(t.experts_per_token, 1U);
  const Count inside = Count{t.gated ? 3U : 2U} * t.feed_forward;
  block.split.elements = s * (2 * h + 2 * kv_width(t) + seen_by * inside);
  // The input of both sub-layers' first products (each expert has its own), of both norms.
  block.replicated.elements = s * h * (1 + seen_by + 2);
  const Count scores = t.flash ? 0 : Count{t.heads} * s * s;
  block.scores.elements = (t.dropout ? 2 : 1) * scores;
  if (t.dropout) {
    block.scores.bytes = scores;
    block.replicated.bytes = 2 * s * h;
  }
  // Written by the product, read and written by the softmax, and again by the dropout (with its
  // mask), read by the next product: 13 bytes a score in 16 bits. Backward passes twice as often.
  block.forward_traffic = static_cast<double>(scores) * (t.dropout ? 13 : 8);
  block.backward_traffic = 2 * block.forward_traffic;
}

Layer block_of(const Transformer& t) {
  const Count h = t.hidden, experts = std::max(t.experts, 1U);
  const Count network = network_weights(t) + network_biases(t);
  const Count router = t.experts > 0 ? h * t.experts : 0;
  Layer block{.name = "block", .repeat = t.layers};
  block.parameters = attention_weights(t) + (t.biases ? 2 * h + 2 * kv_width(t) : 0) +
                     experts * network + router + 2 * norm(t);
  const double s = t.sequence;
  const Count met =
      attention_weights(t) + std::max(t.experts_per_token, 1U) * network_weights(t) + router;
  block.forward_flops = 2 * s * static_cast<double>(met) + 4 * s * s * static_cast<double>(h);
  block.backward_flops = 2 * block.forward_flops;
  block.output_elements = Count{t.sequence} * h;
  block.splits_by_tensor = true;
  block.forward_all_reduces = block.backward_all_reduces = 2;
  if (t.experts > 0) {
    block.experts = t.experts;
    block.experts_per_token = t.experts_per_token;
    block.expert_parameters = experts * network;
  }
  keep(t, block);
  return block;
}

Layer embedding_of(const Transformer& t) {
  const Count h = t.hidden;
  Layer embedding{.name = "embedding"};
  embedding.parameters = (Count{t.vocabulary} + t.positions + t.segments) * h;
  if (!t.norm_first) embedding.parameters += norm(t);
  embedding.output_elements = Count{t.sequence} * h;
  if (t.dropout) embedding.replicated.bytes = embedding.output_elements;
  embedding.splits_by_tensor = true;
  embedding.forward_all_reduces = 1;
  return embedding;
}

/// Korthikanti et al. 2022, section 4.3: the last norm's and the product's inputs, and the logits
/// in float.
Layer head_of(const Transformer& t) {
  const Count h = t.hidden, s = t.sequence;
  Layer head{.name = "head"};
  if (t.norm_first) head.parameters += norm(t);
  if (t.pooler) head.parameters += h * h + h;
  if (!t.tied) head.parameters += Count{t.vocabulary} * h;
  head.forward_flops = 2 * static_cast<double>(s * h) * t.vocabulary;
  head.backward_flops = 2 * head.forward_flops;
  head.replicated.elements = (t.norm_first ? 2 : 1) * s * h;
  head.split.bytes = 4 * s * t.vocabulary;
  head.splits_by_tensor = true;
  head.backward_all_reduces = 1;
  return head;
}

}  // namespace

Model make_transformer(std::string name, const Transformer& shape) {
  RS_ASSERT(shape.heads > 0 && shape.hidden % shape.heads == 0, "heads divide the hidden width");
  Transformer t = shape;
  if (t.kv_heads == 0) t.kv_heads = t.heads;
  Model model{.name = std::move(name)};
  model.sequence = t.sequence;
  model.heads = t.heads;
  model.layers = {embedding_of(t), block_of(t), head_of(t)};
  return model;
}

}  // namespace ringside::sim
