#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "lessons/training/layers.hpp"

namespace ringside::training {

/// One example: what goes in, and the class that each row of what comes out shall name.
struct Sample {
  std::vector<float> inputs;  ///< coordinates, or tokens by number
  std::vector<std::uint32_t> targets;
};

/// What one sample makes of a network: inputs first, then what each stage gives.
template <typename Real>
struct Activations {
  std::vector<std::vector<Real>> values, slopes;  ///< slopes: of the loss by each value
};

/// How wrong the network is about one sample.
struct Loss {
  double mean = 0;  ///< cross-entropy, in nats, over the sample's targets
  std::uint32_t right = 0, targets = 0;
};

/// Layers one behind the other, some with a way round them; all weights in one vector.
class Network {
 public:
  Network(std::string name, std::size_t inputs, std::uint32_t classes);
  /// The next stage takes what the last one gave; `skip`: what the stage before that one gave is
  /// added to its output (0: the inputs).
  Network& add(const Layer& layer, std::optional<std::size_t> skip = {});

  const std::string& name() const { return name_; }
  std::size_t stages() const { return stages_.size(); }
  std::size_t weights() const { return weights_; }
  std::size_t outputs() const { return sizes_.back(); }
  /// Where a weight is: `stage 2, linear 16 to 16`.
  std::string place_of(std::size_t weight) const;
  std::vector<float> initial_weights(std::uint64_t seed) const;

  template <typename Real>
  Activations<Real> activations() const;
  template <typename Real>
  void forward(std::span<const Real> weights, const Sample& sample, Activations<Real>& at) const;
  /// Softmax and cross-entropy of the last stage's rows; leaves the slopes there.
  template <typename Real>
  Loss loss(const Sample& sample, Activations<Real>& at) const;
  /// Adds the loss's slopes by the weights to `gradient`.
  template <typename Real>
  void backward(std::span<const Real> weights, Activations<Real>& at,
                std::span<Real> gradient) const;

 private:
  struct Stage {
    Layer layer;
    std::size_t first, count;  ///< of its weights
    std::optional<std::size_t> skip;
  };
  std::string name_;
  std::uint32_t classes_;
  std::vector<Stage> stages_;
  std::vector<std::size_t> sizes_;  ///< of the inputs, then of each stage's outputs
  std::size_t weights_ = 0;
};

/// Two coordinates to two classes, through two hidden layers.
Network make_mlp_of_points(std::uint32_t hidden);
/// All letters at once to all letters at once, through two hidden layers.
Network make_mlp_of_words(std::uint32_t vocabulary, std::uint32_t length, std::uint32_t hidden);
/// Embedding, one block of attention and MLP with layer norms before them and ways round them, and
/// a linear layer that reads the answer off each place.
Network make_transformer(std::uint32_t vocabulary, std::uint32_t length, std::uint32_t width);

}  // namespace ringside::training
