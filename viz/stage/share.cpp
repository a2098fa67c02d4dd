#include "viz/stage/share.hpp"

#include <fmt/format.h>

namespace ringside::stage {

scenario::Share share_of(const Model& model) {
  scenario::Share share{model.scenario, {}};
  const auto add = [&](const char* key, std::string value) {
    share.extra.emplace_back(key, std::move(value));
  };
  if (const auto now = model.playback.now.picoseconds; now > 0)
    add("t",
        now % 1'000'000 == 0 ? fmt::format("{}us", now / 1'000'000) : fmt::format("{}ps", now));
  if (model.rival_scenario) add("rival", scenario::to_share_string({*model.rival_scenario, {}}));
  if (model.lesson) {
    const auto& instance = model.lesson->sitting.instance();
    add("lesson", std::to_string(instance.lesson().number));
    add("beat", model.lesson->beat().id);
    if (instance.seed() != 0) add("seed", std::to_string(instance.seed()));
  }
  if (model.language == Language::chinese) add("lang", "zh");
  if (model.theme == Theme::projector) add("theme", "projector");
  if (model.layout != Model::Layout::automatic)
    add("layout", model.layout == Model::Layout::ring ? "ring" : "machine");
  static constexpr const char* sides[] = {"curves", "busbw", "ranks", "addition_tree"};
  if (model.side != Model::Side::curves) add("side", sides[static_cast<std::size_t>(model.side)]);
  return share;
}

}  // namespace ringside::stage
