// What a class tries out: a race, a fork, faults, mistakes.

#include "viz/stage/experiments.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "core/mutation.hpp"
#include "viz/scenario/fields.hpp"
#include "viz/stage/clock.hpp"
#include "viz/stage/opponent.hpp"

namespace ringside::stage {
namespace {

constexpr std::string_view slow_factor = "=4x";

/// The links that a fault of what is selected is about.
std::vector<LinkId> picked_links(const StagedRun& run, const Pick& pick) {
  if (pick.link) return {*pick.link};
  if (pick.transfer) {
    const auto route = run.route(*pick.transfer);
    return {route.begin(), route.end()};
  }
  std::vector<LinkId> out;
  if (!pick.rank) return out;
  const DeviceId device = run.topology->ranks[pick.rank->value];
  for (LinkId id{0}; id.value < run.topology->links.size(); ++id.value)
    if ((*run.topology)[id].from == device) out.push_back(id);
  return out;
}

std::optional<Rank> picked_rank(const StagedRun& run, const Pick& pick) {
  if (pick.rank) return pick.rank;
  if (pick.slot) return pick.slot->rank;
  if (pick.transfer) return (*run.schedule)[*pick.transfer].src().rank;
  return std::nullopt;
}

/// Dead links have left the topology, and their parallels have moved up: the name that a link had
/// when all lived.
std::string first_name(const std::string& name, const std::vector<std::string>& dead) {
  const auto hash = name.find('#');
  const std::string base = name.substr(0, hash);
  const auto is_dead = [&](std::uint32_t k) {
    return std::ranges::count(dead, base + "#" + std::to_string(k)) > 0;
  };
  std::uint32_t nth = 1, dead_ones = 0;
  if (hash != std::string::npos)
    std::from_chars(name.data() + hash + 1, name.data() + name.size(), nth);
  for (const std::string& gone : dead) dead_ones += gone.starts_with(base + "#") ? 1 : 0;
  if (dead_ones == 0) return name;
  std::uint32_t k = 1;
  for (;; ++k)
    if (!is_dead(k) && --nth == 0) break;
  return base + "#" + std::to_string(k);
}

std::vector<std::string> picked_names(const Model& model) {
  std::vector<std::string> names;
  for (const LinkId id : picked_links(*model.run, model.selected))
    names.push_back(first_name(model.run->topology->link_name(id), model.scenario.system.dead));
  return names;
}

/// Entries of a list are NAME=VALUE: all named ones out, or where none was, in.
void toggle(Model& model, const char* field, const std::vector<std::string>& names,
            std::string_view value, Director& director) {
  std::vector<std::string> list = field == std::string_view("slow")
                                      ? model.scenario.system.slow
                                      : model.scenario.system.straggler;
  const auto is_named = [&](const std::string& entry) {
    return std::ranges::count(names, entry.substr(0, entry.rfind('='))) > 0;
  };
  if (std::erase_if(list, is_named) == 0)
    for (const auto& name : names) list.push_back(name + std::string(value));
  edit(model, field, fmt::format("{}", fmt::join(list, ",")), director);
}

/// Two typical steps late: seen at once, and still small beside the whole.
std::string delay_for(const StagedRun& run) {
  const Duration delay = 3 * usual_speed(run);
  return delay.picoseconds % 1'000'000 == 0 ? fmt::format("={}us", delay.picoseconds / 1'000'000)
                                            : fmt::format("={}ps", delay.picoseconds);
}

}  // namespace

void toggle_race(Model& model, Director& director) {
  if (model.rival_scenario) {
    model.rival_scenario.reset();
    model.rival = nullptr;
    seek(model, model.playback.now);
    const TimeWindow all = whole(model);
    if (model.window.to > all.to) model.window = all;
    return;
  }
  scenario::Scenario rival = model.scenario;
  rival.mistake.clear();
  if (!model.run || !model.run->is_measured) {
    rival.collective.options.chunks = 0;
    rival.collective.algorithm = opponent(rival, model.run);
    rival.collective.schedule.clear();
  }
  model.rival_scenario = rival;
  model.staged = model.wish;
  director.request(Director::Part::rival, rival, model.run);
}

void toggle_ghost(Model& model) {
  const Extent before = extent_of(model);
  model.ghost = model.ghost == model.run ? nullptr : model.run;
  follow(model, before, Place::moment);
}

void toggle_slow(Model& model, Director& director) {
  if (!model.run) return;
  const auto names = picked_names(model);
  if (names.empty()) return refuse(model, Word::select_a_link);
  toggle(model, "slow", names, slow_factor, director);
}

void kill(Model& model, Director& director) {
  if (!model.run) return;
  if (!model.selected.link) return refuse(model, Word::select_a_link);
  auto dead = model.scenario.system.dead;
  dead.push_back(picked_names(model).front());
  edit(model, "dead", fmt::format("{}", fmt::join(dead, ",")), director);
}

void toggle_straggler(Model& model, Director& director) {
  if (!model.run) return;
  const auto rank = picked_rank(*model.run, model.selected);
  if (!rank || rank->value >= model.run->ranks()) return refuse(model, Word::select_a_rank);
  toggle(model, "straggler", {std::to_string(rank->value)}, delay_for(*model.run), director);
}

void repair(Model& model, Director& director) {
  for (const char* field : {"slow", "dead", "straggler", "jitter", "mistake"}) {
    edit(model, field, "", director);
    if (model.rival_scenario && !scenario::field(*model.rival_scenario, field)->empty())
      edit(model, std::string("rival.") + field, "", director);
  }
}

std::string next_mistake(const StagedRun& run, std::string_view after) {
  constexpr std::size_t most_looked_at = 1u << 16, most_tries = 16;
  const auto schedule = build_schedule(run.plan);
  if (!schedule) return {};
  const auto current = scenario::parse_mistake(after);
  const std::size_t tries = std::clamp<std::size_t>(
      most_looked_at / std::max<std::size_t>(1, schedule->transfers().size()), 1, most_tries);
  for (std::size_t i = current ? static_cast<std::size_t>(current->kind) + 1 : 0;
       i < mutation_count; ++i) {
    const auto kind = static_cast<Mutation>(i);
    const std::size_t count = places(*schedule, kind);
    std::optional<std::size_t> harmless;
    for (std::size_t nth = 0; nth < std::min(tries, count); ++nth) {
      const std::size_t seed = (count / 3 + nth * (count / tries + 1)) % count;
      const auto mutant = mutate(*schedule, kind, seed);
      if (!mutant) continue;
      if (!verify(mutant->schedule, 1).empty()) return fmt::format("{}:{}", name(kind), seed);
      harmless = harmless.value_or(seed);
    }
    if (harmless) return fmt::format("{}:{}", name(kind), *harmless);
  }
  return {};
}

void break_it(Model& model, Director& director) {
  if (!model.run) return;
  if (model.run->is_measured) return refuse(model, Word::recorded_cannot_break);
  edit(model, "mistake", next_mistake(*model.run, model.scenario.mistake), director);
}

Pick found_again(const Pick& pick, const StagedRun& before, const StagedRun& run) {
  const Schedule& schedule = *run.schedule;
  const bool is_same = run.schedule == before.schedule;
  if (pick.link) {
    const std::string name = before.topology->link_name(*pick.link);
    if (*pick.link < LinkId{static_cast<std::uint32_t>(run.topology->links.size())} &&
        run.topology->link_name(*pick.link) == name)
      return pick;
    const auto links = sim::find_links(*run.topology, name);
    return links && links->size() == 1 ? Pick{.link = links->front()} : Pick{};
  }
  if (pick.transfer || pick.slot) return is_same ? pick : Pick{};
  if (pick.rank && pick.rank->value >= schedule.participants()) return {};
  if (pick.chunk && pick.chunk->value >= schedule.chunks()) return {};
  return pick;
}

}  // namespace ringside::stage
