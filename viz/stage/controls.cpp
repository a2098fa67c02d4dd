#include "viz/stage/controls.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "core/engine.hpp"
#include "sim/networks.hpp"
#include "sim/shapes.hpp"
#include "sim/systems.hpp"
#include "viz/scenario/fields.hpp"

namespace ringside::stage {
namespace {

using Kind = Control::Kind;
using Section = Control::Section;
using scenario::Scenario;

constexpr std::string_view of_rival = "rival.";
constexpr std::uint64_t most_steps = 4096;  // numbers looked at for one that the algorithm takes

/// Whose value a field is: the lead's, or behind `rival.` the rival's, with the run that plays.
struct Side {
  const Scenario& scenario;
  const Run& run;
  std::string_view field;
};
Side side_of(const Model& model, std::string_view field) {
  if (!field.starts_with(of_rival)) return {model.scenario, model.run, field};
  return {model.rival_scenario ? *model.rival_scenario : model.scenario, model.rival,
          field.substr(of_rival.size())};
}

std::optional<CollectiveKind> kind_of(const Scenario& scenario) {
  const auto kind = parse_collective(scenario.collective.collective);
  return kind ? std::optional(*kind) : std::nullopt;
}

/// What the run took where the controls leave it open.
std::string as_run(const Run& run, std::string_view field) {
  if (!run) return "";
  if (field == "ranks") return std::to_string(run->ranks());
  if (field == "chunks") return std::to_string(run->schedule->chunks());
  if (field == "channels") return std::to_string(std::max(1u, run->plan.options.channels));
  return "";
}

std::string value_of(const Model& model, std::string_view field) {
  if (is_of_workload(field)) return workload_field(model.workload, field);
  const Side side = side_of(model, field);
  const std::string value = scenario::field(side.scenario, side.field).value_or("");
  return value.empty() ? as_run(side.run, side.field) : value;
}

class Column {
 public:
  explicit Column(const Model& model) : model_(model) {}

  void add(Section section, std::string field, Word label, Kind kind) {
    std::string value = value_of(model_, field);
    controls_.push_back({std::move(field), label, kind, section, std::move(value)});
  }
  void add(const Wires& wires) {
    if (!wires.is_there) return;
    const std::string name(sim::name(wires.kind));
    controls_.push_back({name + ".bandwidth", wires.label, Kind::bandwidth, Section::wires,
                         to_string(wires.bandwidth)});
    controls_.push_back(
        {name + ".latency", wires.label, Kind::latency, Section::wires, to_string(wires.latency)});
  }
  std::vector<Control> take() { return std::move(controls_); }

 private:
  const Model& model_;
  std::vector<Control> controls_;
};

bool reduces_in_switch(const Run& run, InSwitch way) {
  return run && std::ranges::any_of(run->topology->devices, [&](const sim::Device& device) {
           return way == InSwitch::nvls ? device.nvls : device.sharp;
         });
}

bool can_run(const Side& side, const Algorithm& algorithm) {
  const auto request = read(side.scenario.collective);
  if (!request || !side.run) return true;
  if (algorithm.in_switch != InSwitch::none && !reduces_in_switch(side.run, algorithm.in_switch))
    return false;
  CollectiveSpec spec = request->spec;
  spec.ranks = side.run->ranks();
  return make_plan(algorithm, spec, {}).has_value();
}

std::vector<Choice> algorithms(const Side& side) {
  std::vector<Choice> all;
  const auto kind = kind_of(side.scenario);
  for (const Algorithm& algorithm : all_algorithms())
    if (kind && algorithm.collective == *kind)
      all.push_back({std::string(algorithm.name), can_run(side, algorithm)});
  return all;
}

std::vector<Choice> systems() {
  static const auto all = [] {
    std::vector<Choice> list;
    for (const auto name : sim::shape_names()) list.push_back({std::string(name)});
    for (const auto& text : sim::system_texts()) list.push_back({std::string(text.name)});
    return list;
  }();
  return all;
}

std::vector<Choice> networks() {
  std::vector<Choice> all{{""}};
  for (const auto& network : sim::networks()) all.push_back({std::string(network.name)});
  return all;
}

/// The neighbour in a list that can run.
std::optional<Edit> neighbour(const Model& model, std::string_view field, int by) {
  const auto choices = choices_of(model, field);
  const Side side = side_of(model, field);
  const std::string now = is_of_workload(field)
                              ? workload_field(model.workload, field)
                              : scenario::field(side.scenario, side.field).value_or("");
  const auto here = std::ranges::find(choices, now, &Choice::value);
  auto at = here - choices.begin();
  const auto end = static_cast<std::ptrdiff_t>(choices.size());
  if (at == end) return std::nullopt;
  do {
    at -= by;
  } while (at >= 0 && at < end && !choices[static_cast<std::size_t>(at)].is_possible);
  if (at < 0 || at >= end) return std::nullopt;
  return Edit{std::string(field), choices[static_cast<std::size_t>(at)].value};
}

/// The next whole number that the algorithm takes.
std::optional<Edit> next_number(const Model& model, std::string_view field, int by) {
  const Side side = side_of(model, field);
  const std::string now = value_of(model, field);
  std::uint64_t number = 0;
  if (std::from_chars(now.data(), now.data() + now.size(), number).ec != std::errc{})
    return std::nullopt;
  const auto request = read(side.scenario.collective);
  if (!request || !side.run) return std::nullopt;
  const auto algorithm = find_algorithm(request->spec.kind, request->algorithm);
  if (!algorithm) return std::nullopt;
  for (std::uint64_t step = 0; step < most_steps; ++step) {
    if (by < 0 && number == (side.field == "root" ? 0u : 1u)) return std::nullopt;
    number = by > 0 ? number + 1 : number - 1;
    Edit edit{std::string(side.field), std::to_string(number)};
    Scenario tried = side.scenario;
    if (!scenario::set_field(tried, edit.field, edit.value)) return std::nullopt;
    CollectiveSpec spec = request->spec;
    spec.ranks = side.field == "ranks" ? static_cast<std::uint32_t>(number) : side.run->ranks();
    spec.root = {tried.collective.root};
    const bool chunked = side.field == "chunks" || side.field == "channels";
    if (make_plan(**algorithm, spec, chunked ? tried.collective.options : Options{}))
      return Edit{std::string(field), edit.value};
  }
  return std::nullopt;
}

/// Of a workload: doubled or halved.
std::optional<Edit> next_double(const Model& model, std::string_view field, int by) {
  const std::string now = workload_field(model.workload, field);
  std::uint64_t number = 0;
  if (std::from_chars(now.data(), now.data() + now.size(), number).ec != std::errc{})
    return std::nullopt;
  const std::string next = std::to_string(by > 0 ? number * 2 : number / 2);
  Workload tried = model.workload;
  if (!set_workload_field(tried, field, next)) return std::nullopt;
  return Edit{std::string(field), next};
}

std::optional<Edit> next_size(const Model& model, std::string_view field, int by) {
  const auto now = parse_bytes(value_of(model, field));
  if (!now) return std::nullopt;
  const Bytes next{by > 0 ? now->count * 2 : now->count / 2};
  if (next.count == 0) return std::nullopt;
  return Edit{std::string(field), to_string(next)};
}

/// 1, 2, 5, 10, 20, ... of either unit.
std::optional<Edit> next_round(const Control& control, int by) {
  constexpr double digits[] = {1, 2, 5};
  constexpr double powers[] = {0.1, 1, 10, 100, 1000};
  const bool is_rate = control.kind == Kind::bandwidth;
  const double now = is_rate ? parse_bandwidth(control.value)->gigabytes_per_second()
                             : parse_duration(control.value)->microseconds();
  std::optional<double> next;
  for (const double power : powers)
    for (const double digit : digits) {
      const double value = digit * power;
      constexpr double slack = 1e-6;
      if (by > 0 ? value <= now * (1 + slack) : value >= now * (1 - slack)) continue;
      if (!next || (by > 0 ? value < *next : value > *next)) next = value;
    }
  if (!next) return std::nullopt;
  std::string text = std::to_string(*next);
  text.erase(text.find_last_not_of('0') + 1);
  if (text.ends_with('.')) text.pop_back();
  return Edit{control.field, text + (is_rate ? "GB/s" : "us")};
}

constexpr Word workload_labels[] = {
    Word::train_model,   Word::train_gpu,       Word::train_gpus,        Word::train_batch,
    Word::train_tensor,  Word::train_pipeline,  Word::train_micro_batch, Word::train_schedule,
    Word::train_zero,    Word::train_recompute, Word::train_mode,        Word::train_most,
    Word::train_network, Word::train_workers,   Word::train_way,         Word::train_shards,
    Word::train_start};

/// What is trained, and how; the machine is the run's, as large as it takes, and that of a small
/// training is this one.
std::vector<Control> training_controls(const Model& model) {
  Column column(model);
  const auto fields = workload_fields();
  const bool is_practice = model.view == Model::View::loss;
  for (std::size_t i = 0; i < fields.size(); ++i) {
    const std::string_view field = fields[i];
    const bool is_of_curve = field == "train.mode" || field == "train.most";
    if (is_of_practice(field) != is_practice) continue;
    if (is_of_curve && model.view != Model::View::scaling) continue;
    if (field == "train.schedule" && model.workload.pipeline == 1) continue;
    column.add(Section::what, std::string(field), workload_labels[i],
               workload_choices(field).empty() ? Kind::number : Kind::choice);
  }
  if (is_practice) return column.take();
  column.add(Section::on, "system", Word::control_system, Kind::choice);
  for (const Wires& wires : wires_of(model)) column.add(wires);
  return column.take();
}

std::vector<Control> all_controls(const Model& model) {
  if (model.view != Model::View::run) return training_controls(model);
  Column column(model);
  const auto kind = kind_of(model.scenario);
  column.add(Section::what, "collective", Word::control_collective, Kind::choice);
  column.add(Section::what, "algorithm", Word::control_algorithm, Kind::choice);
  if (kind && has_root(*kind)) column.add(Section::what, "root", Word::control_root, Kind::number);
  column.add(Section::what, "ranks", Word::control_ranks, Kind::number);
  column.add(Section::what, "bytes", Word::control_bytes, Kind::number);
  column.add(Section::what, "chunks", Word::control_chunks, Kind::number);
  column.add(Section::what, "channels", Word::control_channels, Kind::number);
  if (model.rival_scenario) {
    column.add(Section::against, "rival.algorithm", Word::control_algorithm, Kind::choice);
    column.add(Section::against, "rival.system", Word::control_system, Kind::choice);
  }
  column.add(Section::on, "system", Word::control_system, Kind::choice);
  if (!sim::is_shape(model.scenario.system.system)) {
    column.add(Section::on, "nodes", Word::control_nodes, Kind::number);
    if (model.scenario.system.nodes > 1)
      column.add(Section::on, "net", Word::control_net, Kind::choice);
  }
  column.add(Section::on, "model", Word::control_model, Kind::choice);
  for (const Wires& wires : wires_of(model)) column.add(wires);
  return column.take();
}

}  // namespace

std::vector<Control> controls_of(const Model& model) {
  auto controls = all_controls(model);
  std::erase_if(controls, [&](const Control& c) { return !lets_edit(model, c.field); });
  return controls;
}

std::vector<Choice> choices_of(const Model& model, std::string_view field) {
  const Side side = side_of(model, field);
  std::vector<Choice> all;
  for (auto& choice : workload_choices(field)) all.push_back({std::move(choice)});
  if (side.field == "collective")
    for (std::size_t i = 0; i < collective_count; ++i)
      all.push_back({std::string(name(static_cast<CollectiveKind>(i)))});
  if (side.field == "algorithm") return algorithms(side);
  if (side.field == "system") return systems();
  if (side.field == "net") return networks();
  if (side.field == "model") return {{"flow"}, {"stream"}};
  return all;
}

std::optional<Edit> stepped(const Model& model, std::string_view field, int by) {
  for (const Control& control : controls_of(model)) {
    if (control.field != field) continue;
    if (control.kind == Kind::choice) return neighbour(model, field, by);
    if (is_of_workload(field)) return next_double(model, field, by);
    if (control.kind != Kind::number) return next_round(control, by);
    if (side_of(model, field).field == "bytes") return next_size(model, field, by);
    return next_number(model, field, by);
  }
  return std::nullopt;
}

}  // namespace ringside::stage
