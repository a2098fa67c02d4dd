#include "lessons/training/network.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/assert.hpp"

namespace ringside::training {

Network::Network(std::string name, std::size_t inputs, std::uint32_t classes)
    : name_(std::move(name)), classes_(classes), sizes_{inputs} {}

Network& Network::add(const Layer& layer, std::optional<std::size_t> skip) {
  const std::size_t outputs = outputs_of(layer, sizes_.back());
  RS_ASSERT(!skip || sizes_.at(*skip) == outputs, "a way round ends where it is as wide");
  stages_.push_back({layer, weights_, weights_of(layer), skip});
  weights_ += stages_.back().count;
  sizes_.push_back(outputs);
  return *this;
}

std::string Network::place_of(std::size_t weight) const {
  for (std::size_t s = 0; s < stages_.size(); ++s)
    if (weight < stages_[s].first + stages_[s].count)
      return "stage " + std::to_string(s + 1) + ", " + to_string(stages_[s].layer);
  RS_ASSERT(false, "a weight that no stage has");
  return {};
}

std::vector<float> Network::initial_weights(std::uint64_t seed) const {
  std::vector<float> all(weights_);
  Random random(seed);
  for (const Stage& stage : stages_)
    initialise(stage.layer, random, std::span(all).subspan(stage.first, stage.count));
  return all;
}

template <typename Real>
Activations<Real> Network::activations() const {
  Activations<Real> at;
  for (const std::size_t size : sizes_) {
    at.values.emplace_back(size);
    at.slopes.emplace_back(size);
  }
  return at;
}

template <typename Real>
void Network::forward(std::span<const Real> weights, const Sample& sample,
                      Activations<Real>& at) const {
  RS_ASSERT(sample.inputs.size() == sizes_.front(), "a sample of another task");
  std::ranges::copy(sample.inputs, at.values.front().begin());
  for (std::size_t s = 0; s < stages_.size(); ++s) {
    const Stage& stage = stages_[s];
    auto& out = at.values[s + 1];
    training::forward<Real>(stage.layer,
                            {weights.subspan(stage.first, stage.count), at.values[s], out});
    if (!stage.skip) continue;
    const auto& round = at.values[*stage.skip];
    for (std::size_t i = 0; i < out.size(); ++i) out[i] += round[i];
  }
}

template <typename Real>
Loss Network::loss(const Sample& sample, Activations<Real>& at) const {
  const auto& logits = at.values.back();
  auto& slopes = at.slopes.back();
  Loss loss{.targets = static_cast<std::uint32_t>(sample.targets.size())};
  for (std::size_t t = 0; t < sample.targets.size(); ++t) {
    const auto row = std::span(logits).subspan(t * classes_, classes_);
    const auto largest = std::ranges::max_element(row);
    Real sum = 0;
    for (const Real x : row) sum += std::exp(x - *largest);
    const std::size_t target = sample.targets[t];
    loss.mean += static_cast<double>(std::log(sum) - (row[target] - *largest)) / loss.targets;
    if (static_cast<std::size_t>(largest - row.begin()) == target) ++loss.right;
    for (std::size_t c = 0; c < classes_; ++c) {
      const Real share = std::exp(row[c] - *largest) / sum;
      slopes[t * classes_ + c] = (share - (c == target ? 1 : 0)) / static_cast<Real>(loss.targets);
    }
  }
  return loss;
}

template <typename Real>
void Network::backward(std::span<const Real> weights, Activations<Real>& at,
                       std::span<Real> gradient) const {
  for (std::size_t s = 0; s < stages_.size(); ++s) std::ranges::fill(at.slopes[s], Real{0});
  for (std::size_t s = stages_.size(); s-- > 0;) {
    const Stage& stage = stages_[s];
    const auto& out_slope = at.slopes[s + 1];
    training::backward<Real>(stage.layer,
                             {weights.subspan(stage.first, stage.count), at.values[s], out_slope,
                              at.slopes[s], gradient.subspan(stage.first, stage.count)});
    if (!stage.skip) continue;
    auto& round = at.slopes[*stage.skip];
    for (std::size_t i = 0; i < round.size(); ++i) round[i] += out_slope[i];
  }
}

template Activations<float> Network::activations() const;
template Activations<double> Network::activations() const;
template void Network::forward(std::span<const float>, const Sample&, Activations<float>&) const;
template void Network::forward(std::span<const double>, const Sample&, Activations<double>&) const;
template Loss Network::loss(const Sample&, Activations<float>&) const;
template Loss Network::loss(const Sample&, Activations<double>&) const;
template void Network::backward(std::span<const float>, Activations<float>&,
                                std::span<float>) const;
template void Network::backward(std::span<const double>, Activations<double>&,
                                std::span<double>) const;

namespace {

void add_mlp(Network& network, std::uint32_t inputs, std::uint32_t hidden, std::uint32_t outputs) {
  network.add(Linear{inputs, hidden}).add(Tanh{});
  network.add(Linear{hidden, hidden}).add(Tanh{});
  network.add(Linear{hidden, outputs});
}

}  // namespace

Network make_mlp_of_points(std::uint32_t hidden) {
  Network network("mlp", 2, 2);
  add_mlp(network, 2, hidden, 2);
  return network;
}

Network make_mlp_of_words(std::uint32_t vocabulary, std::uint32_t length, std::uint32_t hidden) {
  Network network("mlp", length, vocabulary);
  network.add(Embedding{vocabulary, length, vocabulary});
  add_mlp(network, length * vocabulary, hidden, length * vocabulary);
  return network;
}

Network make_transformer(std::uint32_t vocabulary, std::uint32_t length, std::uint32_t width) {
  Network network("transformer", length, vocabulary);
  network.add(Embedding{vocabulary, length, width});
  const std::size_t embedded = network.stages();
  network.add(LayerNorm{width}).add(Linear{width, 3 * width});
  network.add(Attention{length, width, 2}).add(Linear{width, width}, embedded);
  const std::size_t attended = network.stages();
  network.add(LayerNorm{width}).add(Linear{width, 2 * width}).add(Gelu{});
  network.add(Linear{2 * width, width}, attended);
  network.add(LayerNorm{width}).add(Linear{width, vocabulary});
  return network;
}

}  // namespace ringside::training
