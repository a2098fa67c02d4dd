#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "core/result.hpp"
#include "lessons/training/network.hpp"

namespace ringside::training {

/// What is to be learned; examples are made from a seed.
enum class Task : std::uint8_t {
  spirals,  ///< two spirals round each other: which one is a point of the plane on?
  reverse,  ///< six letters of eight: say them backwards
};
inline constexpr std::size_t task_count = 2;
std::string_view name(Task task);
std::string_view describe(Task task);  ///< for people: what goes in, what shall come out
Result<Task> parse_task(std::string_view text);

enum class Model : std::uint8_t { mlp, transformer };
inline constexpr std::size_t model_count = 2;
std::string_view name(Model model);
Result<Model> parse_model(std::string_view text);

/// The `index`th example of a seed; there is no end of them.
Sample draw(Task task, std::uint64_t seed, std::uint64_t index);

/// A network for the task. Error: points are no sequence, which a transformer needs.
Result<Network> make_network(Model model, Task task);

}  // namespace ringside::training
