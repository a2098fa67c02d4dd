#include "sim/tuner/figures.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "core/assert.hpp"
#include "sim/strict_toml.hpp"

namespace ringside::sim {
namespace {

constexpr std::string_view suffix(FigureUnit unit) {
  switch (unit) {
    case FigureUnit::microseconds:
      return "us";
    case FigureUnit::gigabytes_per_second:
      return "GB/s";
    case FigureUnit::share:
      return "%";
    case FigureUnit::number:
      break;
  }
  return "";
}

/// `3.4us`, `95%`, `20GB/s`; nothing negative, nothing absurd.
bool parse(std::string_view text, FigureUnit unit, double& value) {
  const auto end = suffix(unit);
  if (!text.ends_with(end)) return false;
  text.remove_suffix(end.size());
  const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || rest != text.data() + text.size()) return false;
  if (!(value >= 0 && value <= 1e6)) return false;
  if (unit == FigureUnit::share) value /= 100;
  return true;
}

Result<void> read(const TomlTable& table, std::string_view key, FigureUnit unit, Figure& figure) {
  const auto wrong = std::string(key) + " is written \"1.5" + std::string(suffix(unit)) +
                     "\", or as two of these: what was published, what fits";
  const TomlValue* value = table.find(key);
  if (value == nullptr) return table.fail(std::string(key) + " is missing: " + wrong);
  const auto text = [&](const TomlValue& one, double& number) -> Result<void> {
    const auto* written = std::get_if<std::string>(&one.value);
    if (written == nullptr || !parse(*written, unit, number)) return table.fail(one, wrong);
    return {};
  };
  if (const auto* list = std::get_if<TomlValue::Array>(&value->value)) {
    if (list->size() != 2) return table.fail(*value, wrong);
    figure.is_fitted = true;
    RS_TRY(text((*list)[0], figure.published));
    return text((*list)[1], figure.value);
  }
  RS_TRY(text(*value, figure.value));
  figure.published = figure.value;
  return {};
}

/// Whatever visit() finds in `figures`, each under its key.
template <typename T>
Result<void> read_each(const TomlTable& table, T& figures) {
  Result<void> first{};
  visit(figures, [&](const std::string& key, FigureUnit unit, Figure& figure) {
    if (first) first = read(table, key, unit, figure);
  });
  return first;
}

Result<GenerationFigures> read_generation(const FiguresText& text, const TomlTable& table) {
  GenerationFigures generation{.name = std::string(text.name)};
  RS_ASSIGN(generation.devices, table.texts("devices"));
  RS_ASSIGN(generation.systems, table.texts("systems"));
  RS_ASSIGN(generation.links, table.whole("links", 0, {0, 64}));
  RS_ASSIGN(generation.channels, table.whole("channels", 1, {1, 64}));
  RS_ASSIGN(generation.in_switch, table.truth("in_switch", false));
  RS_TRY(read_each(table, generation));
  return generation;
}

Result<NetworkFigures> read_network(const std::string& name, const TomlTable& table) {
  NetworkFigures network{.name = name};
  RS_ASSIGN(network.words, table.texts("words"));
  RS_ASSIGN(const auto protocols, table.texts("protocols"));
  for (const auto& protocol : protocols) {
    RS_ASSIGN(const Protocol parsed, parse_protocol(protocol));
    network.protocols.push_back(parsed);
  }
  RS_TRY(read_each(table, network));
  return network;
}

Result<void> read_one(const FiguresText& text, Figures& figures) {
  const std::string file = std::string(text.name) + ".toml";
  RS_ASSIGN(const TomlValue root, parse_toml(text.toml, file));
  const TomlTable table(root, file);
  if (text.name == "common") return read_each(table, figures.common);
  if (text.name == "wires") {
    for (std::size_t w = 0; w < figures.wires.size(); ++w) {
      const auto key = name(static_cast<Wire>(w));
      const auto* value = table.find(key);
      if (value == nullptr) return table.fail("there is no [" + std::string(key) + "]");
      RS_ASSIGN(const TomlTable wire, table.table(*value, "a wire is a table"));
      RS_TRY(read_each(wire, figures.wires[w]));
    }
    return {};
  }
  if (text.name == "networks") {
    for (const auto& [key, value] : table.entries()) {
      RS_ASSIGN(const TomlTable one, table.table(value, "a network is a table"));
      RS_ASSIGN(auto network, read_network(key, one));
      figures.networks.push_back(std::move(network));
    }
    return {};
  }
  RS_ASSIGN(auto generation, read_generation(text, table));
  figures.generations.push_back(std::move(generation));
  return {};
}

template <typename Table>
const Table* find(const std::vector<Table>& tables, std::string_view name) {
  const auto found = std::find_if(tables.begin(), tables.end(),
                                  [&](const Table& table) { return table.name == name; });
  return found == tables.end() ? nullptr : &*found;
}

void visit(const std::string& prefix, FigureUnit unit, ByProtocol& figures,
           const FigureVisitor& visitor) {
  for (std::size_t p = 0; p < protocol_count; ++p)
    visitor(prefix + "_" + std::string(name(static_cast<Protocol>(p))), unit, figures[p]);
}

}  // namespace

const GenerationFigures* Figures::generation(std::string_view name) const {
  return find(generations, name);
}

const NetworkFigures* Figures::network(std::string_view name) const {
  return find(networks, name);
}

void visit(GenerationFigures& figures, const FigureVisitor& visitor) {
  visitor("link", FigureUnit::gigabytes_per_second, figures.link);
  visitor("bridge", FigureUnit::gigabytes_per_second, figures.bridge);
  visitor("launch", FigureUnit::number, figures.launch);
  visitor("launch_each", FigureUnit::number, figures.launch_each);
  visitor("hop", FigureUnit::number, figures.hop);
  visitor("ll_cap", FigureUnit::gigabytes_per_second, figures.ll_cap);
  visitor("ring_share", FigureUnit::share, figures.ring_share);
  visitor("tree_share", FigureUnit::share, figures.tree_share);
  visitor("switch_share", FigureUnit::share, figures.switch_share);
  visitor("peer_share", FigureUnit::share, figures.peer_share);
  visitor("copy", FigureUnit::gigabytes_per_second, figures.copy);
}

void visit(WireFigures& figures, const FigureVisitor& visitor) {
  visit("hop", FigureUnit::microseconds, figures.hop, visitor);
  visitor("fill", FigureUnit::microseconds, figures.fill);
  visitor("both_ways", FigureUnit::gigabytes_per_second, figures.both_ways);
  visitor("same_root", FigureUnit::share, figures.same_root);
  visitor("sockets", FigureUnit::share, figures.sockets);
}

void visit(NetworkFigures& figures, const FigureVisitor& visitor) {
  visit("hop", FigureUnit::microseconds, figures.hop, visitor);
  visit("share", FigureUnit::share, figures.share, visitor);
  visitor("fill", FigureUnit::microseconds, figures.fill);
  visitor("many", FigureUnit::share, figures.many);
  visitor("staged", FigureUnit::share, figures.staged);
}

void visit(CommonFigures& figures, const FigureVisitor& visitor) {
  visitor("launch", FigureUnit::microseconds, figures.launch);
  visitor("launch_each", FigureUnit::microseconds, figures.launch_each);
  visitor("depth", FigureUnit::number, figures.depth);
  visitor("rings", FigureUnit::number, figures.rings);
  visitor("ll_two", FigureUnit::gigabytes_per_second, figures.ll_two);
  visitor("ll_many", FigureUnit::gigabytes_per_second, figures.ll_many);
  visitor("switch_hop", FigureUnit::microseconds, figures.switch_hop);
  visitor("switch_share", FigureUnit::share, figures.switch_share);
  visitor("switch_tree_hop", FigureUnit::number, figures.switch_tree_hop);
  visitor("tree_hop", FigureUnit::share, figures.tree_hop);
  visitor("peer", FigureUnit::microseconds, figures.peer);
}

void visit_all(Figures& figures, const FigureVisitor& visitor) {
  const auto within = [&](std::string_view table) {
    return [&visitor, prefix = std::string(table) + "."](const std::string& key, FigureUnit unit,
                                                         Figure& figure) {
      visitor(prefix + key, unit, figure);
    };
  };
  for (auto& generation : figures.generations) visit(generation, within(generation.name));
  for (std::size_t w = 0; w < figures.wires.size(); ++w)
    visit(figures.wires[w], within(name(static_cast<Wire>(w))));
  for (auto& network : figures.networks) visit(network, within(network.name));
  visit(figures.common, within("common"));
}

Result<Figures> read_figures(std::span<const FiguresText> texts) {
  Figures figures;
  for (const auto& text : texts) RS_TRY(read_one(text, figures));
  return figures;
}

const Figures& built_in_figures() {
  static const Figures figures = [] {
    auto read = read_figures(figures_texts());
    RS_ASSERT(read, read ? "" : read.error().message);
    return *std::move(read);
  }();
  return figures;
}

}  // namespace ringside::sim
