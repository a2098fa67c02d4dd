#include "lessons/training/tasks.hpp"

#include <array>
#include <cmath>
#include <numbers>
#include <string>

#include "core/suggest.hpp"

namespace ringside::training {
namespace {

constexpr std::array<std::string_view, task_count> task_names{"spirals", "reverse"};
constexpr std::array<std::string_view, model_count> model_names{"mlp", "transformer"};

constexpr std::uint32_t letters = 8, word = 6;

Sample point_on_a_spiral(Random& random) {
  const std::uint32_t arm = random.below(2);
  constexpr double turns = 1, noise = 0.04;
  const double along = std::sqrt(random.between(0.02, 1));
  const double angle = (2 * turns * along + arm) * std::numbers::pi;
  const auto at = [&](double unit) {
    return static_cast<float>(along * unit + random.between(-noise, noise));
  };
  const float x = at(std::cos(angle)), y = at(std::sin(angle));
  return {{x, y}, {arm}};
}

Sample word_backwards(Random& random) {
  Sample sample;
  for (std::uint32_t t = 0; t < word; ++t)
    sample.inputs.push_back(static_cast<float>(random.below(letters)));
  for (std::uint32_t t = word; t-- > 0;)
    sample.targets.push_back(static_cast<std::uint32_t>(sample.inputs[t]));
  return sample;
}

}  // namespace

std::string_view name(Task task) {
  return task_names[static_cast<std::size_t>(task)];
}

std::string_view describe(Task task) {
  return task == Task::spirals ? "which of two spirals a point of the plane lies on"
                               : "to say six letters backwards";
}

Result<Task> parse_task(std::string_view text) {
  for (std::size_t i = 0; i < task_count; ++i)
    if (task_names[i] == text) return static_cast<Task>(i);
  return bad_request(unknown("task", text, task_names));
}

std::string_view name(Model model) {
  return model_names[static_cast<std::size_t>(model)];
}

Result<Model> parse_model(std::string_view text) {
  for (std::size_t i = 0; i < model_count; ++i)
    if (model_names[i] == text) return static_cast<Model>(i);
  return bad_request(unknown("model", text, model_names));
}

Sample draw(Task task, std::uint64_t seed, std::uint64_t index) {
  Random random(mix(seed, index));
  return task == Task::spirals ? point_on_a_spiral(random) : word_backwards(random);
}

Result<Network> make_network(Model model, Task task) {
  constexpr std::uint32_t points_hidden = 24, words_hidden = 48, width = 16;
  if (model == Model::transformer) {
    if (task == Task::reverse) return make_transformer(letters, word, width);
    return bad_request("a transformer reads sequences: take --task reverse, or --model mlp for " +
                       std::string(name(task)));
  }
  return task == Task::spirals ? make_mlp_of_points(points_hidden)
                               : make_mlp_of_words(letters, word, words_hidden);
}

}  // namespace ringside::training
