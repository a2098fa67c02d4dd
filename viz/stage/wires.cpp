#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <map>

#include "sim/override.hpp"
#include "sim/shapes.hpp"
#include "viz/stage/controls.hpp"

namespace ringside::stage {
namespace {

using sim::LinkKind;

/// Kinds that take one place in the column: the first that the machine has is shown.
struct Family {
  std::array<LinkKind, 3> kinds;
  std::array<Word, 3> labels;
};
constexpr Family families[] = {
    {{LinkKind::nvlink, LinkKind::xgmi, LinkKind::c2c},
     {Word::wire_nvlink, Word::wire_xgmi, Word::wire_c2c}},
    {{LinkKind::pcie, LinkKind::pcie, LinkKind::pcie},
     {Word::wire_pcie, Word::wire_pcie, Word::wire_pcie}},
    {{LinkKind::ib, LinkKind::roce, LinkKind::ethernet},
     {Word::wire_ib, Word::wire_roce, Word::wire_ethernet}},
};

/// A machine whose wires are shown, and which of them something crosses.
struct Wired {
  const sim::Topology& machine;
  const StagedRun* run;  ///< null: all are used
  bool is_used(LinkId id) const {
    return run == nullptr || (id.value < run->links.size() && run->links[id.value].bytes.count > 0);
  }
};

/// The figure that most links of a kind have, used ones first.
template <typename Figure>
Figure usual(const Wired& wired, LinkKind kind, bool used_only, Figure sim::Link::*figure) {
  std::map<Figure, std::size_t> counts;
  for (LinkId id{0}; id.value < wired.machine.links.size(); ++id.value) {
    const sim::Link& link = wired.machine[id];
    if (link.kind == kind && (!used_only || wired.is_used(id))) ++counts[link.*figure];
  }
  const auto most =
      std::ranges::max_element(counts, {}, [](const auto& entry) { return entry.second; });
  return most == counts.end() ? Figure{} : most->first;
}

/// What the controls say of a kind, ahead of what is staged: a slider follows the hand at once.
void overrule(const scenario::Scenario& scenario, std::span<const std::string> set, Wires& wires) {
  const auto& system = scenario.system;
  for (const auto& text : set) {
    const auto change = sim::parse_override(text);
    if (!change || change->kind != wires.kind || change->scale > 0) continue;
    if (change->field == sim::Override::Field::bandwidth)
      wires.bandwidth = change->bandwidth;
    else
      wires.latency = change->latency;
  }
  if (wires.kind != LinkKind::generic || !sim::is_shape(system.system)) return;
  wires.bandwidth = parse_bandwidth(system.bandwidth).value_or(wires.bandwidth);
  wires.latency = parse_duration(system.latency).value_or(wires.latency);
}

std::optional<Wired> wired_of(const Model& model) {
  const bool is_training = model.view != Model::View::run;
  if (is_training && model.forecast && model.forecast->machine)
    return Wired{*model.forecast->machine, nullptr};
  if (!model.run) return std::nullopt;
  return Wired{*model.run->topology, model.run.get()};
}

Wires wires_of(const Model& model, LinkKind kind, Word label) {
  Wires wires{.kind = kind, .label = label};
  const auto wired = wired_of(model);
  if (!wired) return wires;
  for (LinkId id{0}; id.value < wired->machine.links.size(); ++id.value) {
    if (wired->machine[id].kind != kind) continue;
    wires.is_there = true;
    wires.is_used |= wired->is_used(id);
  }
  wires.bandwidth = usual(*wired, kind, wires.is_used, &sim::Link::bandwidth);
  wires.latency = usual(*wired, kind, wires.is_used, &sim::Link::latency);
  if (!wires.is_there) return wires;
  overrule(model.scenario, model.scenario.system.set, wires);
  if (model.view != Model::View::run) overrule(model.scenario, model.workload.set, wires);
  return wires;
}

bool is_bare_number(std::string_view text) {
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc{} && end == text.data() + text.size();
}

// Sliders.
constexpr double least_rate = 1e9, most_rate = 1e12;       // bytes a second
constexpr double least_latency = 1e5, most_latency = 1e8;  // picoseconds

double place(double value, double least, double most) {
  if (value <= least) return 0;
  return std::min(1., std::log(value / least) / std::log(most / least));
}

double two_digits(double value) {
  const double power = std::pow(10, std::floor(std::log10(value)) - 1);
  return std::round(value / power) * power;
}

}  // namespace

std::vector<Wires> wires_of(const Model& model) {
  std::vector<Wires> all;
  const Wires bare = wires_of(model, LinkKind::generic, Word::wire_link);
  if (bare.is_there) all.push_back(bare);
  for (const Family& family : families) {
    Wires shown = wires_of(model, family.kinds[0], family.labels[0]);
    for (std::size_t i = 1; i < family.kinds.size() && !shown.is_used; ++i) {
      const Wires other = wires_of(model, family.kinds[i], family.labels[i]);
      if (other.is_used || (other.is_there && !shown.is_there)) shown = other;
    }
    all.push_back(shown);
  }
  return all;
}

std::optional<Edit> wire_edit(const scenario::Scenario& scenario, std::string_view field,
                              std::string_view value) {
  const auto dot = field.find('.');
  if (dot == std::string_view::npos) return std::nullopt;
  const auto kind = sim::parse_link_kind(field.substr(0, dot));
  const auto figure = field.substr(dot + 1);
  const bool is_bandwidth = figure == "bandwidth";
  if (!kind || (!is_bandwidth && figure != "latency")) return std::nullopt;
  std::string text(value);
  if (is_bare_number(text)) text += is_bandwidth ? "GB/s" : "us";
  if (*kind == LinkKind::generic && sim::is_shape(scenario.system.system))
    return Edit{std::string(figure), text};
  std::vector<std::string> set;
  const std::string prefix = std::string(field) + "=";
  for (const auto& other : scenario.system.set)
    if (!other.starts_with(prefix)) set.push_back(other);
  if (!text.empty()) set.push_back(prefix + text);
  return Edit{"set", fmt::format("{}", fmt::join(set, ","))};
}

double slider_place(Bandwidth bandwidth) {
  return place(static_cast<double>(bandwidth.bytes_per_second), least_rate, most_rate);
}

double slider_place(Duration latency) {
  return place(static_cast<double>(latency.picoseconds), least_latency, most_latency);
}

std::string slider_value(Control::Kind kind, double at) {
  at = std::clamp(at, 0., 1.);
  if (kind == Control::Kind::bandwidth)
    return fmt::format("{:.6g}GB/s",
                       two_digits(least_rate * std::pow(most_rate / least_rate, at)) / 1e9);
  return fmt::format("{:.6g}us",
                     two_digits(least_latency * std::pow(most_latency / least_latency, at)) / 1e6);
}

}  // namespace ringside::stage
