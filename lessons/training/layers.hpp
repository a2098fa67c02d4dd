#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <variant>

#include "lessons/training/random.hpp"

namespace ringside::training {

// The layers a network is made of: values that say shapes, no more. A layer's input is rows of
// equal width, one after another; a row is what it treats alike. Its weights and its gradients lie
// in vectors of the network's.

/// out = W in + b, row by row. Weights: W, `outputs` rows of `inputs`; then b.
struct Linear {
  std::uint32_t inputs, outputs;
};
/// tanh of each value.
struct Tanh {};
/// x times the share of a normal distribution that lies below x (Hendrycks & Gimpel 2016).
struct Gelu {};
/// Each row less its mean, over its standard deviation; times a gain, plus a bias (Ba, Kiros &
/// Hinton 2016). Weights: gains, then biases.
struct LayerNorm {
  std::uint32_t width;
};
/// Row t is what stands for its token, plus what stands for place t. A token is a number below
/// `vocabulary`. Weights: `vocabulary` rows, then `length` rows.
struct Embedding {
  std::uint32_t vocabulary, length, width;
};
/// Self-attention of all places to all places, in `heads` parts (Vaswani et al. 2017). A row of
/// its input is query, key and value, `width` each; of its output, `width`. No weights: Linear
/// layers before and behind have them.
struct Attention {
  std::uint32_t length, width, heads;
};
using Layer = std::variant<Linear, Tanh, Gelu, LayerNorm, Embedding, Attention>;

std::string to_string(const Layer& layer);  ///< `linear 2 to 16`
std::size_t weights_of(const Layer& layer);
/// How many values come out where `inputs` go in.
std::size_t outputs_of(const Layer& layer, std::size_t inputs);
void initialise(const Layer& layer, Random& random, std::span<float> weights);

template <typename Real>
struct Pass {
  std::span<const Real> weights, in;
  std::span<Real> out;  ///< written
};
/// From the loss's derivative by each output to that by each input and weight: both are added to.
template <typename Real>
struct BackwardPass {
  std::span<const Real> weights, in, out_slope;
  std::span<Real> in_slope, weight_slope;
};

/// Real: float, as networks are trained, or double, in which finite differences can tell.
template <typename Real>
void forward(const Layer& layer, const Pass<Real>& pass);
template <typename Real>
void backward(const Layer& layer, const BackwardPass<Real>& pass);

}  // namespace ringside::training
