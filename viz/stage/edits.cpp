// What the controls say, changed by hand.

#include <algorithm>
#include <charconv>

#include "core/engine.hpp"
#include "sim/shapes.hpp"
#include "viz/scenario/fields.hpp"
#include "viz/stage/controls.hpp"
#include "viz/stage/experiments.hpp"
#include "viz/stage/opponent.hpp"

namespace ringside::stage {
namespace {

using scenario::Scenario;

void drop_lost_stragglers(Scenario& scenario) {
  const auto ranks = scenario.system.ranks;
  std::erase_if(scenario.system.straggler, [&](const std::string& text) {
    return ranks > 0 && std::strtoull(text.c_str(), nullptr, 10) >= ranks;
  });
}

/// Options that the algorithm cannot take on so many ranks go back to its defaults.
void relax_options(Scenario& scenario, std::uint32_t ranks) {
  const auto request = read(scenario.collective);
  if (!request) return;
  const auto algorithm = find_algorithm(request->spec.kind, request->algorithm);
  if (!algorithm) return;
  CollectiveSpec spec = request->spec;
  spec.ranks = ranks;
  Options& options = scenario.collective.options;
  const Options given = options;
  for (std::uint32_t Options::*const option :
       {&Options::chunks, &Options::channels, &Options::ranks_per_node}) {
    if (make_plan(**algorithm, spec, options)) return;
    options.*option = 0;
  }
  if (!make_plan(**algorithm, spec, options)) options = given;  // it was not their fault
}

/// The system decides which wires there are; what was said about others goes.
void fit_system(Scenario& scenario, const Scenario& before) {
  auto& system = scenario.system;
  system.set.clear();
  system.dims.clear();
  if (sim::is_shape(system.system)) {
    system.nodes = 1;
    system.net.clear();
    system.nvlink = 0;
    system.no_p2p = false;
  } else {
    system.bandwidth.clear();
    system.latency.clear();
    system.ranks = 0;
  }
  if (!sim::is_shape(before.system.system)) system.ranks = 0;
}

bool is_one_of(std::string_view field, std::initializer_list<std::string_view> names) {
  return std::ranges::count(names, field) > 0;
}

/// What does not go with the new value of `field` goes with the old one.
void fit(Scenario& scenario, std::string_view field, const Scenario& before, const Run& run) {
  auto& collective = scenario.collective;
  if (field == "collective") {
    const auto kind = *parse_collective(collective.collective);
    if (!find_algorithm(kind, collective.algorithm)) collective.algorithm = usual_algorithm(kind);
    if (!may_be_in_place(kind)) collective.in_place = false;
  }
  if (field == "system") fit_system(scenario, before);
  if (is_one_of(field, {"collective", "algorithm"})) scenario.mistake.clear();
  if (is_one_of(field, {"system", "ranks", "nodes", "dims"})) {
    scenario.system.slow.clear();
    scenario.system.dead.clear();
    if (!is_one_of(scenario.system.rank_order, {"auto", "identity"}))
      scenario.system.rank_order.clear();
    drop_lost_stragglers(scenario);
  }
  if (is_one_of(field, {"collective", "algorithm", "ranks"}) && run)
    relax_options(scenario, scenario.system.ranks > 0
                                ? static_cast<std::uint32_t>(scenario.system.ranks)
                                : run->ranks());
}

/// Nothing is staged anew for what is as it was.
bool is_same(const Scenario& a, const Scenario& b) {
  return std::ranges::all_of(scenario::field_names(), [&](std::string_view name) {
    return *scenario::field(a, name) == *scenario::field(b, name);
  });
}

void take(Model& model, Scenario scenario, Director& director) {
  if (is_same(scenario, model.scenario) && model.refusal.sentence.empty()) return;
  model.scenario = std::move(scenario);
  model.staged = model.wish;
  director.request(Director::Part::lead, model.scenario, model.run);
}

void take_rival(Model& model, Scenario scenario, Director& director) {
  if (model.rival_scenario && is_same(scenario, *model.rival_scenario) &&
      model.refusal.sentence.empty())
    return;
  model.rival_scenario = std::move(scenario);
  model.staged = model.wish;
  director.request(Director::Part::rival, *model.rival_scenario, model.rival);
}

void edit_rival(Model& model, const std::string_view field, std::string_view value,
                Director& director) {
  Scenario before = model.rival_scenario.value_or(model.scenario);
  if (!model.rival_scenario) before.mistake.clear();
  auto after = edited(before, field, value, model.rival ? model.rival : model.run);
  if (!after) return refuse(model, "rival: " + after.error().message);
  model.edits_field = false;
  model.refusal = {};
  take_rival(model, *std::move(after), director);
}

/// Wires between nodes are the training's alone where the run has one node: what is set about them
/// waits with the workload. False if the run has such wires, or the view is of the run.
bool keep_for_training(Model& model, std::string_view field, std::string_view value) {
  if (model.view == Model::View::run || !model.run) return false;
  const auto kind = sim::parse_link_kind(field.substr(0, field.find('.')));
  if (!kind || std::ranges::count(model.run->topology->links, *kind, &sim::Link::kind) > 0)
    return false;
  Scenario kept;
  kept.system.set = model.workload.set;
  const auto wire = wire_edit(kept, field, value);
  if (!wire) return false;
  if (auto done = scenario::set_field(kept, wire->field, wire->value); !done)
    refuse(model, done.error().message);
  else
    model.workload.set = kept.system.set;
  return true;
}

void edit_workload(Model& model, std::string_view field, std::string_view value) {
  if (auto done = set_workload_field(model.workload, field, value); !done)
    return refuse(model, done.error().message);
  model.edits_field = false;
  model.refusal = {};
}

}  // namespace

Result<Scenario> edited(const Scenario& before, std::string_view field, std::string_view value,
                        const Run& run) {
  Scenario scenario = before;
  RS_TRY(set_field(scenario, field, value));
  if (field == "algorithm") {
    RS_ASSIGN(const auto request, read(scenario.collective));
    RS_TRY(find_algorithm(request.spec.kind, request.algorithm));
  }
  fit(scenario, field, before, run);
  if (field == "system" && value == "-")
    return bad_request("system: - is standard input, which has been read: name a system or a file");
  if (field == "system") RS_TRY(read(scenario.system));
  return scenario;
}

void edit(Model& model, std::string_view field, std::string_view value, Director& director) {
  constexpr std::string_view of_rival = "rival.";
  const bool is_rivals = field.starts_with(of_rival);
  if (is_rivals) field.remove_prefix(of_rival.size());
  const Scenario& whose =
      is_rivals && model.rival_scenario ? *model.rival_scenario : model.scenario;
  if (is_of_workload(field)) return edit_workload(model, field, value);
  if (!is_rivals && keep_for_training(model, field, value)) {
    model.edits_field = false;
    return;
  }
  const auto wire = wire_edit(whose, field, value);
  if (wire) {
    field = wire->field;
    value = wire->value;
  }
  if (is_rivals) return edit_rival(model, field, value, director);
  auto after = edited(model.scenario, field, value, model.run);
  if (!after) return refuse(model, after.error().message);
  const bool both =
      model.rival_scenario && field != "mistake" &&
      *scenario::field(*model.rival_scenario, field) == *scenario::field(model.scenario, field);
  // A rival that was told another algorithm keeps it, or gets one of the new collective.
  std::optional<Scenario> rival;
  if (both) {
    auto followed = edited(*model.rival_scenario, field, value, model.rival);
    if (!followed) return refuse(model, "rival: " + followed.error().message);
    rival = *std::move(followed);
    if (field == "collective" && rival->collective.algorithm == after->collective.algorithm)
      rival->collective.algorithm = opponent(*after, model.run);
  }
  model.edits_field = false;
  model.refusal = {};
  if (field == "system") model.workload.set.clear();
  take(model, *std::move(after), director);
  if (rival) take_rival(model, *std::move(rival), director);
}

namespace {

/// The link of a lesson's state says which, where, and with whose numbers. False if it is of none.
bool opens_lesson(Model& model, const scenario::Share& share, Director& director) {
  std::string lesson, beat;
  std::uint64_t seed = 0;
  for (const auto& [key, value] : share.extra) {
    if (key == "lesson") lesson = value;
    if (key == "beat") beat = value;
    if (key == "seed") std::from_chars(value.data(), value.data() + value.size(), seed);
  }
  if (lesson.empty()) return false;
  model.classroom.seed = seed;
  if (auto opened = open_lesson(model, lesson, beat, director); !opened)
    refuse(model, opened.error().message);
  return true;
}

}  // namespace

void open(Model& model, std::string_view text, Director& director) {
  auto share = scenario::parse_share_string(text);
  if (!share) return refuse(model, share.error().message);
  std::optional<Scenario> rival;
  TimePoint start{};
  if (opens_lesson(model, *share, director)) return;
  for (const auto& [key, value] : share->extra) {
    if (key == "t") {
      const auto t = parse_duration(value);
      if (!t) return refuse(model, "t: " + t.error().message);
      start = *t;
    }
    if (key == "rival") {
      auto other = scenario::parse_share_string(value);
      if (!other) return refuse(model, "rival: " + other.error().message);
      rival = std::move(other->scenario);
    }
  }
  model.refusal = {};
  model.rival = nullptr;
  model.rival_scenario = std::move(rival);
  model.scenario = std::move(share->scenario);
  model.playback.start = start;
  model.staged = model.wish;
  director.request(Director::Part::lead, model.scenario, model.run);
  if (model.rival_scenario) director.request(Director::Part::rival, *model.rival_scenario, nullptr);
}

}  // namespace ringside::stage
