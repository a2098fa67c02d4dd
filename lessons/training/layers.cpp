#include "lessons/training/layers.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

namespace ringside::training {
namespace {

template <typename Real>
void forward(const Linear& layer, const Pass<Real>& pass) {
  const std::size_t n = layer.inputs, m = layer.outputs;
  for (std::size_t row = 0; row < pass.in.size() / n; ++row)
    for (std::size_t o = 0; o < m; ++o) {
      Real sum = pass.weights[m * n + o];
      for (std::size_t i = 0; i < n; ++i) sum += pass.weights[o * n + i] * pass.in[row * n + i];
      pass.out[row * m + o] = sum;
    }
}

template <typename Real>
void backward(const Linear& layer, const BackwardPass<Real>& pass) {
  const std::size_t n = layer.inputs, m = layer.outputs;
  for (std::size_t row = 0; row < pass.in.size() / n; ++row)
    for (std::size_t o = 0; o < m; ++o) {
      const Real slope = pass.out_slope[row * m + o];
      pass.weight_slope[m * n + o] += slope;
      for (std::size_t i = 0; i < n; ++i) {
        pass.weight_slope[o * n + i] += slope * pass.in[row * n + i];
        pass.in_slope[row * n + i] += slope * pass.weights[o * n + i];
      }
    }
}

template <typename Real>
void forward(const Tanh&, const Pass<Real>& pass) {
  for (std::size_t i = 0; i < pass.in.size(); ++i) pass.out[i] = std::tanh(pass.in[i]);
}

template <typename Real>
void backward(const Tanh&, const BackwardPass<Real>& pass) {
  for (std::size_t i = 0; i < pass.in.size(); ++i) {
    const Real out = std::tanh(pass.in[i]);
    pass.in_slope[i] += pass.out_slope[i] * (1 - out * out);
  }
}

/// The share of a normal distribution below x.
template <typename Real>
Real below(Real x) {
  return (1 + std::erf(x / std::numbers::sqrt2_v<Real>)) / 2;
}

template <typename Real>
void forward(const Gelu&, const Pass<Real>& pass) {
  for (std::size_t i = 0; i < pass.in.size(); ++i) pass.out[i] = pass.in[i] * below(pass.in[i]);
}

template <typename Real>
void backward(const Gelu&, const BackwardPass<Real>& pass) {
  constexpr Real height = std::numbers::inv_sqrtpi_v<Real> / std::numbers::sqrt2_v<Real>;
  for (std::size_t i = 0; i < pass.in.size(); ++i) {
    const Real x = pass.in[i];
    pass.in_slope[i] += pass.out_slope[i] * (below(x) + x * height * std::exp(-x * x / 2));
  }
}

/// What LayerNorm makes of a row before gain and bias.
template <typename Real>
struct Standard {
  explicit Standard(std::span<const Real> row) {
    const Real n = static_cast<Real>(row.size());
    for (const Real x : row) mean += x / n;
    Real variance = 0;
    for (const Real x : row) variance += (x - mean) * (x - mean) / n;
    constexpr Real least = 1e-5F;  // of the variance: a row of equal values stays finite
    scale = 1 / std::sqrt(variance + least);
  }
  Real of(Real x) const { return (x - mean) * scale; }
  Real mean = 0, scale = 0;
};

template <typename Real>
void forward(const LayerNorm& layer, const Pass<Real>& pass) {
  const std::size_t n = layer.width;
  for (std::size_t first = 0; first < pass.in.size(); first += n) {
    const auto row = pass.in.subspan(first, n);
    const Standard standard(row);
    for (std::size_t i = 0; i < n; ++i)
      pass.out[first + i] = standard.of(row[i]) * pass.weights[i] + pass.weights[n + i];
  }
}

template <typename Real>
void backward(const LayerNorm& layer, const BackwardPass<Real>& pass) {
  const std::size_t n = layer.width;
  for (std::size_t first = 0; first < pass.in.size(); first += n) {
    const auto row = pass.in.subspan(first, n);
    const auto slope = pass.out_slope.subspan(first, n);
    const Standard standard(row);
    Real mean = 0, along = 0;  // of the slopes by the standard values
    for (std::size_t i = 0; i < n; ++i) {
      const Real by_standard = slope[i] * pass.weights[i];
      pass.weight_slope[i] += slope[i] * standard.of(row[i]);
      pass.weight_slope[n + i] += slope[i];
      mean += by_standard / static_cast<Real>(n);
      along += by_standard * standard.of(row[i]) / static_cast<Real>(n);
    }
    for (std::size_t i = 0; i < n; ++i)
      pass.in_slope[first + i] +=
          standard.scale * (slope[i] * pass.weights[i] - mean - standard.of(row[i]) * along);
  }
}

template <typename Real>
void forward(const Embedding& layer, const Pass<Real>& pass) {
  const std::size_t n = layer.width;
  for (std::size_t t = 0; t < pass.in.size(); ++t) {
    const auto token = static_cast<std::size_t>(pass.in[t]);
    for (std::size_t i = 0; i < n; ++i)
      pass.out[t * n + i] =
          pass.weights[token * n + i] + pass.weights[(layer.vocabulary + t) * n + i];
  }
}

/// There is nothing to know of the input: tokens have no slope.
template <typename Real>
void backward(const Embedding& layer, const BackwardPass<Real>& pass) {
  const std::size_t n = layer.width;
  for (std::size_t t = 0; t < pass.in.size(); ++t) {
    const auto token = static_cast<std::size_t>(pass.in[t]);
    for (std::size_t i = 0; i < n; ++i) {
      pass.weight_slope[token * n + i] += pass.out_slope[t * n + i];
      pass.weight_slope[(layer.vocabulary + t) * n + i] += pass.out_slope[t * n + i];
    }
  }
}

/// One head's share of a row of queries, keys and values.
struct Head {
  Head(const Attention& layer, std::size_t head)
      : size(layer.width / layer.heads),
        width(layer.width),
        length(layer.length),
        first(head * size) {}
  std::size_t query(std::size_t t, std::size_t i) const { return t * 3 * width + first + i; }
  std::size_t key(std::size_t t, std::size_t i) const { return query(t, i) + width; }
  std::size_t value(std::size_t t, std::size_t i) const { return query(t, i) + 2 * width; }
  std::size_t out(std::size_t t, std::size_t i) const { return t * width + first + i; }
  std::size_t size, width, length, first;
};

template <typename Real>
Real scale_of(const Head& head) {
  return 1 / std::sqrt(static_cast<Real>(head.size));
}

/// How much place t attends to each place: shares that add up to 1.
template <typename Real>
std::vector<Real> shares(const Head& head, std::span<const Real> in, std::size_t t) {
  std::vector<Real> share(head.length);
  for (std::size_t s = 0; s < head.length; ++s) {
    for (std::size_t i = 0; i < head.size; ++i)
      share[s] += in[head.query(t, i)] * in[head.key(s, i)];
    share[s] *= scale_of<Real>(head);
  }
  const Real largest = *std::max_element(share.begin(), share.end());
  Real sum = 0;
  for (Real& x : share) sum += x = std::exp(x - largest);
  for (Real& x : share) x /= sum;
  return share;
}

template <typename Real>
void forward(const Attention& layer, const Pass<Real>& pass) {
  for (std::size_t h = 0; h < layer.heads; ++h) {
    const Head head(layer, h);
    for (std::size_t t = 0; t < head.length; ++t) {
      const auto share = shares(head, pass.in, t);
      for (std::size_t i = 0; i < head.size; ++i) {
        Real sum = 0;
        for (std::size_t s = 0; s < head.length; ++s) sum += share[s] * pass.in[head.value(s, i)];
        pass.out[head.out(t, i)] = sum;
      }
    }
  }
}

/// One head, one place that attends.
template <typename Real>
void backward(const Head& head, std::size_t t, const BackwardPass<Real>& pass) {
  const auto share = shares(head, pass.in, t);
  std::vector<Real> by_share(head.length);
  Real mean = 0;
  for (std::size_t s = 0; s < head.length; ++s) {
    for (std::size_t i = 0; i < head.size; ++i) {
      const Real slope = pass.out_slope[head.out(t, i)];
      by_share[s] += slope * pass.in[head.value(s, i)];
      pass.in_slope[head.value(s, i)] += slope * share[s];
    }
    mean += share[s] * by_share[s];
  }
  for (std::size_t s = 0; s < head.length; ++s) {
    const Real by_score = share[s] * (by_share[s] - mean) * scale_of<Real>(head);
    for (std::size_t i = 0; i < head.size; ++i) {
      pass.in_slope[head.query(t, i)] += by_score * pass.in[head.key(s, i)];
      pass.in_slope[head.key(s, i)] += by_score * pass.in[head.query(t, i)];
    }
  }
}

template <typename Real>
void backward(const Attention& layer, const BackwardPass<Real>& pass) {
  for (std::size_t h = 0; h < layer.heads; ++h)
    for (std::size_t t = 0; t < layer.length; ++t) backward(Head(layer, h), t, pass);
}

template <typename... Cases>
struct Overloaded : Cases... {
  using Cases::operator()...;
};
template <typename... Cases>
Overloaded(Cases...) -> Overloaded<Cases...>;

void fill(std::span<float> weights, Random& random, double reach) {
  for (float& w : weights) w = static_cast<float>(random.between(-reach, reach));
}

}  // namespace

std::string to_string(const Layer& layer) {
  const auto text = [](std::uint32_t n) { return std::to_string(n); };
  return std::visit(
      Overloaded{
          [&](const Linear& l) { return "linear " + text(l.inputs) + " to " + text(l.outputs); },
          [](const Tanh&) { return std::string("tanh"); },
          [](const Gelu&) { return std::string("gelu"); },
          [&](const LayerNorm& l) { return "layer norm of " + text(l.width); },
          [&](const Embedding& l) {
            return "embedding of " + text(l.vocabulary) + " tokens, " + text(l.length) + " places";
          },
          [&](const Attention& l) {
            return "attention of " + text(l.length) + " places, " + text(l.heads) + " heads";
          }},
      layer);
}

std::size_t weights_of(const Layer& layer) {
  const auto size = [](std::size_t rows, std::size_t width) { return rows * width; };
  return std::visit(
      Overloaded{[&](const Linear& l) { return size(l.outputs, l.inputs + std::size_t{1}); },
                 [&](const LayerNorm& l) { return size(2, l.width); },
                 [&](const Embedding& l) { return size(l.vocabulary + l.length, l.width); },
                 [](const auto&) { return std::size_t{0}; }},
      layer);
}

std::size_t outputs_of(const Layer& layer, std::size_t inputs) {
  return std::visit(
      Overloaded{[&](const Linear& l) { return inputs / l.inputs * l.outputs; },
                 [&](const Embedding& l) { return inputs * l.width; },
                 [&](const Attention&) { return inputs / 3; }, [&](const auto&) { return inputs; }},
      layer);
}

void initialise(const Layer& layer, Random& random, std::span<float> weights) {
  std::visit(Overloaded{[&](const Linear& l) { fill(weights, random, 1 / std::sqrt(l.inputs)); },
                        [&](const LayerNorm& l) {
                          std::ranges::fill(weights.first(l.width), 1.0F);
                          std::ranges::fill(weights.subspan(l.width), 0.0F);
                        },
                        [&](const Embedding&) { fill(weights, random, 1); }, [](const auto&) {}},
             layer);
}

template <typename Real>
void forward(const Layer& layer, const Pass<Real>& pass) {
  std::visit([&](const auto& l) { forward(l, pass); }, layer);
}

template <typename Real>
void backward(const Layer& layer, const BackwardPass<Real>& pass) {
  std::visit([&](const auto& l) { backward(l, pass); }, layer);
}

template void forward(const Layer&, const Pass<float>&);
template void forward(const Layer&, const Pass<double>&);
template void backward(const Layer&, const BackwardPass<float>&);
template void backward(const Layer&, const BackwardPass<double>&);

}  // namespace ringside::training
