#include "sim/workload/stages.hpp"

#include <algorithm>

#include "core/assert.hpp"

namespace ringside::sim {
namespace {

struct Dealt {
  std::uint32_t first = 0, last = 0;  ///< layers [first, last) of the model are dealt out
};

Dealt dealt(const Model& model, std::uint32_t stages) {
  const auto size = static_cast<std::uint32_t>(model.layers.size());
  Dealt range{0, size};
  const auto repeated = [&](std::uint32_t layer) { return model.layers[layer].repeat > 1; };
  while (range.first < size && !repeated(range.first)) ++range.first;
  while (range.last > range.first && !repeated(range.last - 1)) --range.last;
  std::uint32_t count = 0;
  for (auto layer = range.first; layer < range.last; ++layer) count += model.layers[layer].repeat;
  return count >= stages ? range : Dealt{0, size};
}

void add(Stage& stage, std::uint32_t layer, std::uint32_t count) {
  if (!stage.empty() && stage.back().layer == layer)
    stage.back().count += count;
  else
    stage.push_back({layer, count});
}

}  // namespace

std::vector<Stage> cut_into_stages(const Model& model, std::uint32_t stages) {
  RS_ASSERT(stages > 0 && stages <= model.depth(), "at least a layer for every stage");
  const auto range = dealt(model, stages);
  std::uint32_t count = 0;
  for (auto layer = range.first; layer < range.last; ++layer) count += model.layers[layer].repeat;
  std::vector<Stage> cut(stages);
  for (std::uint32_t layer = 0; layer < range.first; ++layer)
    add(cut.front(), layer, model.layers[layer].repeat);
  std::uint32_t stage = 0;
  std::uint32_t room = count / stages + (count % stages > 0 ? 1 : 0);
  for (auto layer = range.first; layer < range.last; ++layer) {
    for (auto left = model.layers[layer].repeat; left > 0;) {
      if (room == 0) {
        ++stage;
        room = count / stages + (stage < count % stages ? 1 : 0);
      }
      const auto taken = std::min(left, room);
      add(cut[stage], layer, taken);
      left -= taken;
      room -= taken;
    }
  }
  for (auto layer = range.last; layer < model.layers.size(); ++layer)
    add(cut.back(), layer, model.layers[layer].repeat);
  return cut;
}

}  // namespace ringside::sim
