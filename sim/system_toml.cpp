#include "sim/system_toml.hpp"

#include <algorithm>
#include <map>
#include <optional>

#include "core/suggest.hpp"
#include "sim/name_pattern.hpp"
#include "sim/networks.hpp"
#include "sim/strict_toml.hpp"

namespace ringside::sim {
namespace {

constexpr std::uint32_t most_devices = 1u << 16, most_links = 1u << 20, most_width = 1u << 10;
constexpr Duration longest_latency = 1000 * microseconds(1'000'000);

/// Turns parsed TOML into a System.
class Reader {
 public:
  Result<System> read(const TomlTable& root) {
    RS_TRY(root.only({"name", "summary", "aliases", "peer_to_peer", "network", "nodes", "assumed",
                      "ranks", "kinds", "devices", "links"}));
    RS_TRY(read_head(root));
    RS_TRY(read_kinds(root));
    RS_ASSIGN(const auto devices, root.tables("devices"));
    for (const auto& device : devices) RS_TRY(read_device(device));
    RS_ASSIGN(const auto links, root.tables("links"));
    for (const auto& link : links) RS_TRY(read_links(link));
    RS_TRY(read_ranks(root));
    if (const auto sound = check(topology()); !sound)
      return root.fail("name", sound.error().message);
    return std::move(system_);
  }

 private:
  struct Figures {
    std::optional<Bandwidth> bandwidth;
    std::optional<Duration> latency;
  };
  using Pairs = std::vector<std::pair<DeviceId, DeviceId>>;

  Topology& topology() { return system_.topology; }

  Result<void> read_head(const TomlTable& root) {
    RS_ASSIGN(topology().name, root.needed("name", "my-machine"));
    if (topology().name.empty() || topology().name.size() > 256)
      return root.fail("name", "a system's name has 1 to 256 characters");
    RS_ASSIGN(const auto summary, root.text("summary", "8x H100, NVSwitch"));
    system_.summary = summary.value_or("");
    RS_ASSIGN(const auto network, root.text("network", "ndr"));
    if (network) {
      const auto known = find_network(*network);
      if (!known) return root.fail("network", known.error().message);
      system_.network = *network;
    }
    RS_ASSIGN(system_.aliases, root.texts("aliases"));
    RS_ASSIGN(topology().assumed, root.texts("assumed"));
    RS_ASSIGN(topology().peer_to_peer, root.truth("peer_to_peer", true));
    RS_ASSIGN(topology().nodes, root.whole("nodes", 1, {1, most_devices}));
    return {};
  }

  static Result<Figures> figures(const TomlTable& table) {
    Figures read;
    RS_ASSIGN(const auto bandwidth, table.text("bandwidth", "25GB/s"));
    if (bandwidth) {
      const auto value = parse_bandwidth(*bandwidth);
      if (!value) return table.fail("bandwidth", value.error().message);
      read.bandwidth = *value;
    }
    RS_ASSIGN(const auto latency, table.text("latency", "1us"));
    if (latency) {
      const auto value = parse_duration(*latency);
      if (!value) return table.fail("latency", value.error().message);
      if (*value > longest_latency)
        return table.fail("latency", "a latency of more than 1000s is too long");
      read.latency = *value;
    }
    return read;
  }

  Result<void> read_kinds(const TomlTable& root) {
    const std::string how = "kinds are tables: write [kinds.nvlink]";
    const auto* value = root.find("kinds");
    if (value == nullptr) return {};
    RS_ASSIGN(const auto kinds, root.table(*value, how));
    for (const auto& entry : kinds.entries()) {
      const auto kind = parse_link_kind(entry.key);
      if (!kind) return kinds.fail(entry.value, kind.error().message);
      RS_ASSIGN(const auto table, kinds.table(entry.value, how));
      RS_TRY(table.only({"bandwidth", "latency"}));
      RS_ASSIGN(kinds_[*kind], figures(table));
    }
    return {};
  }

  Result<void> read_device(const TomlTable& table) {
    RS_TRY(
        table.only({"name", "kind", "memory", "forwards", "nvls", "sharp", "node", "shared_by"}));
    RS_ASSIGN(const auto kind_name, table.needed("kind", "gpu"));
    const auto kind = parse_device_kind(kind_name);
    if (!kind) return table.fail("kind", kind.error().message);
    Device device{.name = {}, .kind = *kind};
    RS_ASSIGN(device.forwards, table.truth("forwards", forwards_unless_told(*kind)));
    RS_ASSIGN(device.nvls, table.truth("nvls", false));
    RS_ASSIGN(device.sharp, table.truth("sharp", false));
    if ((device.nvls || device.sharp) && *kind != DeviceKind::nvswitch &&
        *kind != DeviceKind::network_switch)
      return table.fail(device.nvls ? "nvls" : "sharp",
                        "only a device of kind nvswitch or network_switch reduces for others");
    RS_ASSIGN(device.node, table.whole("node", 0, {0, topology().nodes - 1}));
    RS_ASSIGN(const auto memory, table.text("memory", "2TB/s"));
    if (memory) {
      const auto rate = parse_bandwidth(*memory);
      if (!rate) return table.fail("memory", rate.error().message);
      device.memory = *rate;
    }
    RS_ASSIGN(const auto shared_by, table.whole("shared_by", 1, {1, most_devices}));
    if (shared_by > 1 && system_.shared_by > 1 && system_.shared_by != shared_by)
      return table.fail("shared_by", "other devices are shared by " +
                                         counted(system_.shared_by, "node") +
                                         ": one system has one number");
    if (shared_by > 1) system_.shared_by = shared_by;
    return add_devices(table, device, shared_by > 1);
  }

  Result<void> add_devices(const TomlTable& table, Device device, bool shared) {
    RS_ASSIGN(const auto pattern, table.needed("name", "gpu0..7"));
    const auto names = expand_names(pattern, most_devices);
    if (!names) return table.fail("name", names.error().message);
    if (topology().devices.size() + names->size() > most_devices)
      return table.fail("name", std::to_string(most_devices) + " devices at most in one file");
    for (const auto& device_name : *names) {
      device.name = device_name;
      const auto id = topology().add(device);
      if (!devices_.emplace(device_name, id).second)
        return table.fail("name", "there are two devices " + device_name);
      if (shared) system_.shared.push_back(id);
    }
    return {};
  }

  /// The devices that `value`, a name or a range of names, stands for.
  Result<std::vector<DeviceId>> devices(const TomlTable& table, const TomlValue& value) const {
    const auto* pattern = std::get_if<std::string>(&value.value);
    if (pattern == nullptr)
      return table.fail(value, "expected a device or a range, such as \"gpu0..7\"");
    const auto names = expand_names(*pattern, most_devices);
    if (!names) return table.fail(value, names.error().message);
    std::vector<DeviceId> found;
    for (const auto& device_name : *names) {
      const auto device = devices_.find(device_name);
      if (device == devices_.end()) return table.fail(value, no_device(device_name));
      found.push_back(device->second);
    }
    return found;
  }

  std::string no_device(std::string_view text) const {
    std::vector<std::string_view> some;  // to suggest from, not a thousand names to read
    for (const auto& [device_name, id] : devices_)
      if (some.size() < 64) some.push_back(device_name);
    return unknown("device", text, some);
  }

  Result<void> read_links(const TomlTable& table) {
    RS_TRY(table.only({"kind", "join", "mesh", "from", "to", "width", "bandwidth", "latency"}));
    RS_ASSIGN(const auto kind_name, table.needed("kind", "nvlink"));
    const auto kind = parse_link_kind(kind_name);
    if (!kind) return table.fail("kind", kind.error().message);
    RS_ASSIGN(auto given, figures(table));
    if (!given.bandwidth) given.bandwidth = kinds_[*kind].bandwidth;
    if (!given.latency) given.latency = kinds_[*kind].latency;
    if (!given.bandwidth || !given.latency)
      return table.fail("this " + kind_name + " link has no " +
                        (given.bandwidth ? "latency" : "bandwidth") +
                        ": say it here or under [kinds." + kind_name + "]");
    RS_ASSIGN(const auto width, table.whole("width", 1, {1, most_width}));
    if (given.bandwidth->bytes_per_second > (std::uint64_t{1} << 62) / width)
      return table.fail("width", "the bandwidth of all wires together is out of range");
    return add_links(table, Link{.from = {},
                                 .to = {},
                                 .kind = *kind,
                                 .bandwidth = {given.bandwidth->bytes_per_second * width},
                                 .latency = *given.latency});
  }

  Result<void> add_links(const TomlTable& table, const Link& link) {
    const auto *join = table.find("join"), *mesh = table.find("mesh");
    const auto *from = table.find("from"), *to = table.find("to");
    const bool directed = from != nullptr && to != nullptr;
    if ((join != nullptr) + (mesh != nullptr) + directed != 1 ||
        directed != (from != nullptr || to != nullptr))
      return table.fail("",
                        "links say what they join in one of three ways: join = [\"gpu0..7\", "
                        "\"nvsw0\"], mesh = \"gpu0..7\", or from = \"gpu0\" and to = "
                        "\"nvsw0\" for one direction");
    if (join != nullptr) return add_joins(table, *join, link);
    if (mesh != nullptr) return add_mesh(table, *mesh, link);
    RS_ASSIGN(const auto sources, devices(table, *from));
    RS_ASSIGN(const auto targets, devices(table, *to));
    if (sources.size() != 1 || targets.size() != 1)
      return table.fail(*from, "from and to are one device each: use join for ranges");
    RS_TRY(may_add(table, *from, {{sources[0], targets[0]}}));
    topology().add(Link{sources[0], targets[0], link.kind, link.bandwidth, link.latency});
    return {};
  }

  /// `["gpu0..7", "nvsw0"]`, or a list of such couples.
  Result<void> add_joins(const TomlTable& table, const TomlValue& join, const Link& link) {
    const auto* list = std::get_if<TomlValue::Array>(&join.value);
    const auto is_couple = [](const TomlValue& value) {
      const auto* two = std::get_if<TomlValue::Array>(&value.value);
      return two != nullptr && two->size() == 2 &&
             std::holds_alternative<std::string>(two->front().value);
    };
    const std::string wrong =
        "join is two devices or ranges, such as [\"gpu0..7\", \"pcie0..3\"], or a list of such";
    if (list == nullptr || list->empty()) return table.fail(join, wrong);
    if (is_couple(join)) return add_join(table, join, link);
    for (const auto& couple : *list) {
      if (!is_couple(couple)) return table.fail(couple, wrong);
      RS_TRY(add_join(table, couple, link));
    }
    return {};
  }

  /// The longer side is cut into as many equal runs as the shorter has devices, a run for each.
  Result<void> add_join(const TomlTable& table, const TomlValue& couple, const Link& link) {
    const auto& sides = std::get<TomlValue::Array>(couple.value);
    RS_ASSIGN(const auto a, devices(table, sides[0]));
    RS_ASSIGN(const auto b, devices(table, sides[1]));
    const auto longer = std::max(a.size(), b.size()), shorter = std::min(a.size(), b.size());
    if (longer % shorter != 0)
      return table.fail(couple, std::to_string(longer) +
                                    " devices cannot be shared out evenly to " +
                                    std::to_string(shorter));
    Pairs pairs;
    for (std::size_t i = 0; i < longer; ++i)
      pairs.emplace_back(a[i * a.size() / longer], b[i * b.size() / longer]);
    return join_all(table, couple, pairs, link);
  }

  Result<void> add_mesh(const TomlTable& table, const TomlValue& mesh, const Link& link) {
    RS_ASSIGN(const auto all, devices(table, mesh));
    Pairs pairs;
    if (all.size() < 2048)  // else too many for one file, whatever they are
      for (std::size_t i = 0; i < all.size(); ++i)
        for (std::size_t j = i + 1; j < all.size(); ++j) pairs.emplace_back(all[i], all[j]);
    else
      pairs.resize(most_links);
    return join_all(table, mesh, pairs, link);
  }

  Result<void> join_all(const TomlTable& table, const TomlValue& where, const Pairs& pairs,
                        const Link& link) {
    RS_TRY(may_add(table, where, pairs));
    for (const auto& [a, b] : pairs) topology().join(a, b, link.kind, link.bandwidth, link.latency);
    return {};
  }

  Result<void> may_add(const TomlTable& table, const TomlValue& where, const Pairs& pairs) {
    if (topology().links.size() + 2 * pairs.size() > most_links)
      return table.fail(where, std::to_string(most_links) + " links at most in one file");
    for (const auto& [a, b] : pairs)
      if (a == b) return table.fail(where, topology()[a].name + " cannot be joined to itself");
    return {};
  }

  /// The devices that ranks sit on; all GPUs in order unless told otherwise.
  Result<void> read_ranks(const TomlTable& root) {
    const auto* value = root.find("ranks");
    if (value == nullptr) {
      topology().ranks = gpus(topology());
      if (topology().ranks.empty())
        return root.fail("devices",
                         "there is no gpu: write [[devices]] with name = \"gpu0..7\" and "
                         "kind = \"gpu\"");
      return {};
    }
    const auto* list = std::get_if<TomlValue::Array>(&value->value);
    if (list == nullptr || list->empty())
      return root.fail(*value, "ranks is a list of devices, such as [\"gpu0..7\"]");
    for (const auto& element : *list) {
      RS_ASSIGN(const auto some, devices(root, element));
      if (topology().ranks.size() + some.size() > most_devices)
        return root.fail(element, std::to_string(most_devices) + " ranks at most in one file");
      topology().ranks.insert(topology().ranks.end(), some.begin(), some.end());
    }
    return {};
  }

  System system_;
  std::map<LinkKind, Figures> kinds_;
  std::map<std::string, DeviceId, std::less<>> devices_;
};

}  // namespace

Result<System> read_system(std::string_view text, std::string_view file) {
  RS_ASSIGN(const auto document, parse_toml(text, file));
  return Reader().read(TomlTable(document, file));
}

}  // namespace ringside::sim
