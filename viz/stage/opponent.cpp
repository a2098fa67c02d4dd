#include "viz/stage/opponent.hpp"

#include <algorithm>
#include <array>

namespace ringside::stage {
namespace {

/// The best known first: two that race should need no introduction.
constexpr std::array<std::string_view, 5> well_known{"ring", "star", "direct", "binomial",
                                                     "halving_doubling"};

std::size_t fame(std::string_view name) {
  return static_cast<std::size_t>(std::ranges::find(well_known, name) - well_known.begin());
}

/// Of a collective, the famous first, then by name.
std::vector<const Algorithm*> algorithms_of(CollectiveKind kind) {
  std::vector<const Algorithm*> all;
  for (const Algorithm& algorithm : all_algorithms())
    if (algorithm.collective == kind) all.push_back(&algorithm);
  std::ranges::stable_sort(all, {}, [](const Algorithm* a) { return fame(a->name); });
  return all;
}

}  // namespace

std::string usual_algorithm(CollectiveKind kind) {
  return std::string(algorithms_of(kind).front()->name);
}

std::string opponent(const scenario::Scenario& scenario, const Run& run) {
  const auto request = scenario::read(scenario.collective);
  if (!request) return scenario.collective.algorithm;
  CollectiveSpec spec = request->spec;
  if (run) spec.ranks = run->ranks();
  for (const Algorithm* other : algorithms_of(spec.kind))
    if (other->name != request->algorithm && other->in_switch == InSwitch::none &&
        make_plan(*other, spec, {}))
      return std::string(other->name);
  return scenario.collective.algorithm;
}

}  // namespace ringside::stage
