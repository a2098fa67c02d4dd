#include "sim/systems.hpp"

#include <algorithm>

#include "core/assert.hpp"
#include "core/suggest.hpp"
#include "sim/system_toml.hpp"

namespace ringside::sim {
namespace {

System parse(const SystemText& text) {
  auto system = read_system(text.toml, std::string(text.name) + ".toml");
  RS_ASSERT(system, system ? "" : system.error().message);
  RS_ASSERT(system->topology.name == text.name, "a preset is named as its file");
  return *std::move(system);
}

}  // namespace

bool forwards_unless_told(DeviceKind kind) {
  return kind != DeviceKind::gpu && kind != DeviceKind::memory;
}

std::vector<DeviceId> gpus(const Topology& topology) {
  std::vector<DeviceId> found;
  for (std::uint32_t i = 0; i < topology.devices.size(); ++i)
    if (topology.devices[i].kind == DeviceKind::gpu) found.push_back({i});
  return found;
}

std::vector<System> list_systems() {
  std::vector<System> systems;
  for (const auto& text : system_texts()) systems.push_back(parse(text));
  return systems;
}

Result<System> load_system(std::string_view name) {
  for (const auto& text : system_texts())
    if (text.name == name) return parse(text);
  auto systems = list_systems();
  std::vector<std::string_view> names;
  for (auto& system : systems) {
    const auto& aliases = system.aliases;
    if (std::find(aliases.begin(), aliases.end(), name) != aliases.end()) return std::move(system);
    names.push_back(system.topology.name);
  }
  return bad_request(unknown("system", name, names));
}

}  // namespace ringside::sim
