// Every layer's slopes are those that finite differences find, in double precision.

#include "lessons/training/layers.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "lessons/training/network.hpp"
#include "lessons/training/tasks.hpp"

namespace ringside::training {
namespace {

using Numbers = std::vector<double>;

Numbers some(std::size_t n, std::uint64_t seed) {
  Random random(seed);
  Numbers all(n);
  for (double& x : all) x = random.between(-1.5, 1.5);
  return all;
}

/// A layer, and a made-up loss: each output times some number.
struct Rig {
  Rig(const Layer& of, Numbers inputs)
      : layer(of),
        in(std::move(inputs)),
        weights(some(weights_of(of), 2)),
        factors(some(outputs_of(of, in.size()), 3)) {}

  double loss() const {
    Numbers out(factors.size());
    forward<double>(layer, {weights, in, out});
    double sum = 0;
    for (std::size_t i = 0; i < out.size(); ++i) sum += out[i] * factors[i];
    return sum;
  }
  /// Central difference: its error shrinks with the square of the distance.
  double slope(double& at) const {
    constexpr double distance = 1e-5;
    const double here = at;
    at = here + distance;
    const double above = loss();
    at = here - distance;
    const double below = loss();
    at = here;
    return (above - below) / (2 * distance);
  }

  Layer layer;
  Numbers in, weights, factors;
};

/// Largest difference of any slope from what finite differences say.
double mistake(Rig rig, bool has_input_slopes = true) {
  Numbers in_slope(rig.in.size()), weight_slope(rig.weights.size());
  backward<double>(rig.layer, {rig.weights, rig.in, rig.factors, in_slope, weight_slope});
  double worst = 0;
  for (std::size_t i = 0; i < rig.weights.size(); ++i)
    worst = std::max(worst, std::abs(weight_slope[i] - rig.slope(rig.weights[i])));
  for (std::size_t i = 0; has_input_slopes && i < rig.in.size(); ++i)
    worst = std::max(worst, std::abs(in_slope[i] - rig.slope(rig.in[i])));
  return worst;
}

constexpr double tolerance = 1e-8;  // distance^2 times a third derivative, and rounding / distance

TEST(Layers, LinearHasTheSlopesItSays) {
  EXPECT_LT(mistake({Linear{3, 5}, some(12, 1)}), tolerance);
}
TEST(Layers, TanhHasTheSlopesItSays) {
  EXPECT_LT(mistake({Tanh{}, some(7, 1)}), tolerance);
}
TEST(Layers, GeluHasTheSlopesItSays) {
  EXPECT_LT(mistake({Gelu{}, some(7, 1)}), tolerance);
}
TEST(Layers, LayerNormHasTheSlopesItSays) {
  EXPECT_LT(mistake({LayerNorm{6}, some(18, 1)}), tolerance);
}
TEST(Layers, EmbeddingHasTheSlopesItSays) {
  EXPECT_LT(mistake({Embedding{5, 3, 4}, {4, 1, 4}}, false), tolerance);
}
TEST(Layers, AttentionHasTheSlopesItSays) {
  EXPECT_LT(mistake({Attention{5, 4, 2}, some(60, 1)}), tolerance);
}

/// Whole networks: ways round, the loss, and how one layer's slopes become the next one's.
class Networks : public testing::TestWithParam<std::pair<Model, Task>> {};

TEST_P(Networks, HaveTheGradientThatFiniteDifferencesFind) {
  const auto network = make_network(GetParam().first, GetParam().second);
  ASSERT_TRUE(network);
  const auto start = network->initial_weights(1);
  Numbers weights(start.begin(), start.end());
  const Sample sample = draw(GetParam().second, 1, 0);
  auto at = network->activations<double>();
  const auto loss = [&] {
    network->forward<double>(weights, sample, at);
    return network->loss(sample, at).mean;
  };
  Numbers gradient(weights.size());
  loss();
  network->backward<double>(weights, at, gradient);
  for (std::size_t i = 0; i < weights.size(); i += 7) {  // every seventh: each layer has many
    constexpr double distance = 1e-5;
    const double here = weights[i];
    weights[i] = here + distance;
    const double above = loss();
    weights[i] = here - distance;
    const double below = loss();
    weights[i] = here;
    ASSERT_NEAR(gradient[i], (above - below) / (2 * distance), tolerance) << network->place_of(i);
  }
}

INSTANTIATE_TEST_SUITE_P(Of, Networks,
                         testing::Values(std::pair{Model::mlp, Task::spirals},
                                         std::pair{Model::mlp, Task::reverse},
                                         std::pair{Model::transformer, Task::reverse}));

TEST(Networks, TheLossOfAGuessIsTheLogarithmOfTheChoices) {
  Network network("flat", 3, 3);
  network.add(Linear{1, 3});
  auto at = network.activations<double>();
  const Sample sample{{1, 1, 1}, {0, 1, 2}};
  network.forward<double>(Numbers(6), sample, at);
  EXPECT_NEAR(network.loss(sample, at).mean, std::log(3), 1e-15);
}

}  // namespace
}  // namespace ringside::training
