#include <algorithm>
#include <string>

#include "sim/strict_toml.hpp"
#include "sim/system_toml.hpp"

namespace ringside::sim {
namespace {

/// `value` thousandths-of-thousandths-... of `unit`: the decimal point `places` digits from the
/// right, no trailing zeros. Exact; numbers that a double's digits cannot hold are written in the
/// smallest unit, so that reading them back rounds nothing.
std::string exact(std::uint64_t value, std::size_t places, const char* unit, const char* smallest) {
  if (value >= std::uint64_t{1} << 50) return std::to_string(value) + smallest;
  auto digits = std::to_string(value);
  if (digits.size() <= places) digits.insert(0, places + 1 - digits.size(), '0');
  digits.insert(digits.size() - places, ".");
  digits.erase(digits.find_last_not_of('0') + 1);
  if (digits.back() == '.') digits.pop_back();
  return digits + unit;
}

std::string exact(Bandwidth bandwidth) {
  return exact(bandwidth.bytes_per_second, 9, "GB/s", "B/s");
}

std::string exact(Duration duration) {
  return exact(static_cast<std::uint64_t>(duration.picoseconds), 6, "us", "ps");
}

std::string list(const std::vector<std::string>& texts) {
  std::string written = "[";
  for (const auto& text : texts) written += (written.size() > 1 ? ", " : "") + toml_quoted(text);
  return written + "]";
}

std::string head(const System& system) {
  const auto& t = system.topology;
  std::string out = "name = " + toml_quoted(t.name) + "\n";
  if (!system.summary.empty()) out += "summary = " + toml_quoted(system.summary) + "\n";
  if (!system.aliases.empty()) out += "aliases = " + list(system.aliases) + "\n";
  if (!system.network.empty()) out += "network = " + toml_quoted(system.network) + "\n";
  if (!t.peer_to_peer) out += "peer_to_peer = false\n";
  if (t.nodes != 1) out += "nodes = " + std::to_string(t.nodes) + "\n";
  if (!t.assumed.empty()) out += "assumed = " + list(t.assumed) + "\n";
  return out;
}

std::string line(const System& system, DeviceId id) {
  const auto& device = system.topology[id];
  std::string out = "  {name = " + toml_quoted(device.name) + ", kind = \"" +
                    std::string(name(device.kind)) + "\"";
  if (device.memory.bytes_per_second != 0) out += ", memory = \"" + exact(device.memory) + "\"";
  if (device.forwards != forwards_unless_told(device.kind))
    out += device.forwards ? ", forwards = true" : ", forwards = false";
  if (device.nvls) out += ", nvls = true";
  if (device.sharp) out += ", sharp = true";
  if (device.node != 0) out += ", node = " + std::to_string(device.node);
  if (std::find(system.shared.begin(), system.shared.end(), id) != system.shared.end())
    out += ", shared_by = " + std::to_string(system.shared_by);
  return out + "},\n";
}

std::string line(const Topology& t, const Link& link, bool both_ways) {
  const auto from = toml_quoted(t[link.from].name), to = toml_quoted(t[link.to].name);
  return (both_ways ? "  {join = [" + from + ", " + to + "]"
                    : "  {from = " + from + ", to = " + to) +
         ", kind = \"" + std::string(name(link.kind)) + "\", bandwidth = \"" +
         exact(link.bandwidth) + "\", latency = \"" + exact(link.latency) + "\"},\n";
}

bool is_reverse(const Link& a, const Link& b) {
  return a.from == b.to && a.to == b.from && a.kind == b.kind && a.bandwidth == b.bandwidth &&
         a.latency == b.latency;
}

}  // namespace

std::string write_system(const System& system) {
  const auto& t = system.topology;
  std::string out = head(system);
  if (t.ranks != gpus(t)) {
    std::vector<std::string> names;
    for (const auto rank : t.ranks) names.push_back(t[rank].name);
    out += "ranks = " + list(names) + "\n";
  }
  out += "devices = [\n";
  for (std::uint32_t i = 0; i < t.devices.size(); ++i) out += line(system, DeviceId{i});
  out += "]\nlinks = [\n";
  for (std::size_t i = 0; i < t.links.size(); ++i) {
    const bool both_ways = i + 1 < t.links.size() && is_reverse(t.links[i], t.links[i + 1]);
    out += line(t, t.links[i], both_ways);
    if (both_ways) ++i;
  }
  return out + "]\n";
}

}  // namespace ringside::sim
