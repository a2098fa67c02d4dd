// A `nvidia-smi topo -m` table says how near devices are, not how they are wired. Nearness nests:
// PIX within PXB within PHB within NODE. So devices are grouped level by level, and each group that
// holds two things becomes the switch, host bridge or CPU they meet in.

#include "sim/import/topo_m.hpp"

#include <algorithm>
#include <cctype>
#include <numeric>

#include "core/suggest.hpp"
#include "sim/import/machine.hpp"

namespace ringside::sim {
namespace {

using Indexes = std::vector<std::size_t>;

/// Disjoint sets of devices, each called by its smallest member.
class Groups {
 public:
  explicit Groups(std::size_t count) : parent_(count) {
    std::iota(parent_.begin(), parent_.end(), std::size_t{0});
  }
  std::size_t of(std::size_t a) const {
    while (parent_[a] != a) a = parent_[a];
    return a;
  }
  void unite(std::size_t a, std::size_t b) {
    a = of(a);
    b = of(b);
    parent_[std::max(a, b)] = std::min(a, b);
  }
  /// The groups that `members` fall into, each in ascending order.
  std::vector<Indexes> split(const Indexes& members) const {
    std::vector<Indexes> groups;
    Indexes names;
    for (const std::size_t member : members) {
      const auto at = std::find(names.begin(), names.end(), of(member));
      if (at == names.end()) {
        names.push_back(of(member));
        groups.push_back({member});
      } else {
        groups[static_cast<std::size_t>(at - names.begin())].push_back(member);
      }
    }
    return groups;
  }

 private:
  Indexes parent_;
};

/// Devices at most so near: pix to node.
Groups group_by_nearness(const TopoTable& table, Nearness widest) {
  Groups groups(table.devices.size());
  for (std::size_t a = 0; a < table.devices.size(); ++a)
    for (std::size_t b = 0; b < a; ++b)
      if (const Nearness near = table.at(a, b).near; near >= Nearness::pix && near <= widest)
        groups.unite(a, b);
  return groups;
}

std::string whereabouts(const TopoTable::Device& device) {
  if (!device.numa_affinity.empty()) return "NUMA " + device.numa_affinity;
  return device.cpu_affinity.empty() ? "" : "CPUs " + device.cpu_affinity;
}

class TopoImporter {
 public:
  TopoImporter(const TopoTable& table, std::string_view name, const ImportOptions& options)
      : table_(table),
        options_(options),
        machine_(name),
        ids_(table.devices.size()),
        nvswitch_of_(table.devices.size()),
        pix_(group_by_nearness(table, Nearness::pix)),
        pxb_(group_by_nearness(table, Nearness::pxb)),
        phb_(group_by_nearness(table, Nearness::phb)) {}

  Result<Topology> import() {
    for (const std::string& note : table_.notes) machine_.assume(note);
    add_gpus();
    add_nvlinks();
    for (const std::string& gap : gaps(table_, nvswitch_of_)) machine_.assume(gap);
    choose_pcie();
    add_sockets();
    if (options_.peer_to_peer && !all_nvlink_)
      machine_.assume(
          "GPUs without NVLink between them are taken to reach each other over PCIe; "
          "`nvidia-smi topo -p2p r` tells whether they do");
    std::vector<DeviceId> ranks;
    for (const std::size_t gpu : gpus_) ranks.push_back(ids_[gpu]);
    return std::move(machine_).finish(ranks, options_);
  }

 private:
  const TopoTable::Device& device(std::size_t i) const { return table_.devices[i]; }
  LinkFigure pcie(PcieWay way) const {
    return {pcie_bandwidth(pcie_generation_, 16), pcie_latency(way)};
  }

  /// Ranks follow the GPUs' numbers, whatever the order of the columns.
  void add_gpus() {
    for (std::size_t i = 0; i < table_.devices.size(); ++i)
      if (device(i).gpu) gpus_.push_back(i);
    const auto number = [this](std::size_t i) { return std::stoul(device(i).name.substr(3)); };
    std::sort(gpus_.begin(), gpus_.end(), [&](std::size_t a, std::size_t b) {
      return std::pair(number(a), a) < std::pair(number(b), b);
    });
    for (const std::size_t gpu : gpus_)
      ids_[gpu] = machine_.add(DeviceKind::gpu, "gpu" + std::to_string(number(gpu)));
  }

  bool sys_between(const Groups& groups, std::size_t a, std::size_t b) const;
  void add_nvlinks();
  void add_nvlink_island(const Indexes& island);
  std::uint32_t assumed_generation(const Indexes& island, std::uint32_t most, bool nvswitch) const;
  void choose_pcie();
  Groups group_by_socket();
  void add_sockets();
  void fill_socket(DeviceId cpu, const Indexes& members);
  void attach(std::size_t member, DeviceId parent, bool on_cpu);
  DeviceId add_switch(DeviceId parent);

  const TopoTable& table_;
  const ImportOptions& options_;
  Machine machine_;
  std::vector<DeviceId> ids_;  // of the table's devices; NICs' are set when they are attached
  std::vector<std::uint32_t> nvswitch_of_;  // by device of the table, from 1; 0 = none
  Groups pix_, pxb_, phb_;
  Indexes gpus_;  // in rank order
  bool all_nvlink_ = true, grace_ = false;
  std::uint32_t generation_ = 0;  // of NVLink; 0 = none
  std::uint32_t pcie_generation_ = 4;
  std::uint32_t switches_ = 0, bridges_ = 0, nvswitches_ = 0;
};

/// NVLinks join GPUs in islands; what an island is made of is told by its cells alone.
void TopoImporter::add_nvlinks() {
  Groups islands(table_.devices.size());
  bool any = false;
  for (const std::size_t a : gpus_)
    for (const std::size_t b : gpus_)
      if (a < b && table_.at(a, b).near == Nearness::nvlink) {
        islands.unite(a, b);
        any = true;
      } else if (a != b && table_.at(a, b).near != Nearness::nvlink) {
        all_nvlink_ = false;
      }
  if (any) {
    for (const Indexes& island : islands.split(gpus_))
      if (island.size() > 1) add_nvlink_island(island);
  } else if (options_.nvlink != 0) {
    std::vector<DeviceId> ids;
    for (const std::size_t gpu : gpus_) ids.push_back(ids_[gpu]);
    machine_.assume_nvlink(ids, options_.nvlink);
    generation_ = options_.nvlink;
    all_nvlink_ = true;
  }
}

/// From the number of links of the best-joined GPU, `most`.
std::uint32_t TopoImporter::assumed_generation(const Indexes& island, std::uint32_t most,
                                               bool nvswitch) const {
  if (options_.nvlink != 0) return options_.nvlink;
  if (island.size() == 2 && most == 4) return nvlink_ga102;
  if (!nvswitch && island.size() >= 4 && most <= 4) return 1;
  if (most <= 6) return 2;
  if (most <= 12) return 3;
  return most <= 18 ? 4 : 6;
}

void TopoImporter::add_nvlink_island(const Indexes& island) {
  constexpr std::uint32_t most_direct = 18;  // NVLinks of one GPU, up to Blackwell
  const auto count = static_cast<std::uint32_t>(island.size());
  std::uint32_t widest = 0, most = 0;
  bool uniform = true;
  for (const std::size_t a : island) {
    std::uint32_t total = 0;
    for (const std::size_t b : island) {
      const Cell& cell = table_.at(a, b);
      if (a == b || cell.near == Nearness::unknown) continue;
      uniform = uniform && cell.near == Nearness::nvlink && (widest == 0 || cell.links == widest);
      widest = std::max(widest, cell.links);
      total += cell.links;
    }
    most = std::max(most, total);
  }
  const bool nvswitch = uniform && ((count - 1) * widest > most_direct || count >= 8 ||
                                    (count == 2 && widest >= most_direct));
  const std::uint32_t links = nvswitch ? widest : most;
  const std::uint32_t generation = assumed_generation(island, links, nvswitch);
  generation_ = std::max(generation_, generation);
  if (nvswitch) {
    const DeviceId sw = machine_.add(DeviceKind::nvswitch, "nvsw" + std::to_string(nvswitches_++));
    machine_.tell_switch(sw, generation);
    for (const std::size_t gpu : island) {
      machine_.join(ids_[gpu], sw, LinkKind::nvlink, nvlink_figure(generation, links, true));
      nvswitch_of_[gpu] = nvswitches_;
    }
    machine_.assume("equal NV" + std::to_string(links) + " between all of " +
                    counted(count, "GPU") + " taken for an NVSwitch");
  } else {
    for (const std::size_t a : island)
      for (const std::size_t b : island)
        if (a < b && table_.at(a, b).near == Nearness::nvlink)
          machine_.join(ids_[a], ids_[b], LinkKind::nvlink,
                        nvlink_figure(generation, table_.at(a, b).links));
  }
  const std::string rate = to_string(nvlink_figure(generation, 1).bandwidth) + " a link";
  if (options_.nvlink != 0)
    machine_.assume("NVLink " + std::to_string(generation) + " as asked, " + rate);
  else if (generation == nvlink_ga102)
    machine_.assume("NV4 between two GPUs taken for an RTX 3090's or A6000's bridge, " + rate +
                    " (--nvlink N for another generation)");
  else
    machine_.assume(std::to_string(links) + " NVLinks a GPU taken for generation " +
                    std::to_string(generation) + ", " + rate +
                    (links == 18 ? "; a B200 prints the same: --nvlink 5" : " (else --nvlink N)"));
}

void TopoImporter::choose_pcie() {
  if (generation_ != 0)
    pcie_generation_ = pcie_generation_beside_nvlink(generation_);
  else if (table_.old_legend)
    pcie_generation_ = 3;
  for (const std::size_t gpu : gpus_)
    machine_.set_memory(ids_[gpu],
                        generation_ == 0 ? Bandwidth{} : memory_beside_nvlink(generation_));
  machine_.assume(
      "every GPU, NIC and switch on 16 lanes of PCIe " + std::to_string(pcie_generation_) + ", " +
      to_string(pcie_bandwidth(pcie_generation_, 16)) + " each way: the table does not say");
}

/// True if some two devices of the groups of a and b are said to be NUMA nodes apart.
bool TopoImporter::sys_between(const Groups& groups, std::size_t a, std::size_t b) const {
  const std::size_t n = table_.devices.size();
  for (std::size_t i = 0; i < n; ++i) {
    if (groups.of(i) != groups.of(a)) continue;
    for (std::size_t j = 0; j < n; ++j)
      if (groups.of(j) == groups.of(b) && table_.at(i, j).near == Nearness::sys) return true;
  }
  return false;
}

/// By the table's cells; then by affinity, where no cell contradicts; then the rest together.
Groups TopoImporter::group_by_socket() {
  Groups groups = group_by_nearness(table_, Nearness::node);
  const std::size_t n = table_.devices.size();
  const auto try_unite = [&](std::size_t a, std::size_t b) {
    if (groups.of(a) == groups.of(b) || sys_between(groups, a, b)) return false;
    groups.unite(a, b);
    return true;
  };
  for (std::size_t b = 0; b < n; ++b)
    for (std::size_t a = 0; a < b; ++a)
      if (const std::string where = whereabouts(device(b));
          !where.empty() && where == whereabouts(device(a)) && !try_unite(a, b) &&
          groups.of(a) != groups.of(b))
        machine_.assume(
            "GPUs that read SYS to each other were given CPUs of their own, though "
            "some have the same affinity");
  for (std::size_t b = 0; b < n; ++b) {
    if (!whereabouts(device(b)).empty()) continue;
    const auto near = [&](std::size_t a) {
      const Nearness cell = table_.at(a, b).near;
      return cell == Nearness::unknown || cell == Nearness::nvlink;
    };
    for (std::size_t a = 0; a < b; ++a)
      if (near(a) && try_unite(a, b)) {
        machine_.assume("the CPU of " + device(b).name + " is not told: that of " + device(a).name +
                        " taken");
        break;
      }
  }
  return groups;
}

void TopoImporter::add_sockets() {
  const Groups groups = group_by_socket();
  Indexes all(table_.devices.size());
  std::iota(all.begin(), all.end(), std::size_t{0});
  const std::vector<Indexes> sockets = groups.split(all);
  std::vector<DeviceId> cpus;
  for (const Indexes& members : sockets) {
    cpus.push_back(machine_.add_cpu(
        {.number = static_cast<std::uint32_t>(cpus.size()), .pcie_generation = pcie_generation_}));
    fill_socket(cpus.back(), members);
  }
  if (cpus.size() < 2) return;
  const SocketFigure socket =
      grace_ ? socket_figure({"arm64", "", 0, 0}) : socket_figure_beside_pcie(pcie_generation_);
  machine_.join_sockets(cpus, socket.link);
  machine_.assume("every two of " + std::to_string(cpus.size()) + " NUMA nodes joined at " +
                  to_string(socket.link.bandwidth) + ", NCCL's figure for " +
                  std::string(socket.known_as));
}

DeviceId TopoImporter::add_switch(DeviceId parent) {
  const DeviceId id = machine_.add(DeviceKind::pcie_switch, "pcie" + std::to_string(switches_++));
  machine_.join(parent, id, LinkKind::pcie, pcie(PcieWay::switch_upwards));
  machine_.assume("devices that PIX or PXB joins sit below one PCIe switch with one uplink");
  return id;
}

/// Host bridges, switches and devices below one CPU.
void TopoImporter::fill_socket(DeviceId cpu, const Indexes& members) {
  const auto bridges = phb_.split(members);
  for (const Indexes& below_bridge : bridges) {
    const auto trees = pxb_.split(below_bridge);
    DeviceId root = cpu;
    if (bridges.size() > 1 && trees.size() > 1) {
      root = machine_.add(DeviceKind::pcie_switch, "hb" + std::to_string(bridges_++));
      machine_.join(cpu, root, LinkKind::generic,
                    host_bridge_figure(pcie_generation_, trees.size()));
    }
    for (const Indexes& tree : trees) {
      if (tree.size() == 1) {
        attach(tree[0], root, true);
        continue;
      }
      const DeviceId top = add_switch(root);
      const auto leaves = pix_.split(tree);
      for (const Indexes& leaf : leaves) {
        const bool own = leaves.size() > 1 && leaf.size() > 1;
        const DeviceId parent = own ? add_switch(top) : top;
        for (const std::size_t member : leaf) attach(member, parent, false);
      }
    }
  }
}

void TopoImporter::attach(std::size_t member, DeviceId parent, bool on_cpu) {
  const PcieWay way = on_cpu ? PcieWay::device_to_cpu : PcieWay::device_to_switch;
  if (!device(member).gpu) {
    std::string name = device(member).name;
    if (name.starts_with("NIC")) name.replace(0, 3, "nic");
    ids_[member] = machine_.add(DeviceKind::nic, name);
    machine_.join(ids_[member], parent, LinkKind::pcie, pcie(way));
    return;
  }
  const std::string& numa = device(member).gpu_numa_id;
  const bool grace =
      on_cpu && !numa.empty() && std::isdigit(static_cast<unsigned char>(numa[0])) != 0;
  machine_.join(ids_[member], parent, grace ? LinkKind::c2c : LinkKind::pcie,
                grace ? c2c_figure() : pcie(way));
  grace_ = grace_ || grace;
  if (grace)
    machine_.assume("a GPU whose memory is a NUMA node sits beside a Grace CPU, NVLink-C2C at " +
                    to_string(c2c_figure().bandwidth));
  else if (on_cpu && generation_ != 0)
    machine_.assume(
        "NVLink hides how GPUs are wired to PCIe: those no NIC is near to got a port of the CPU");
}

}  // namespace

Result<Topology> import_topo_m(std::string_view text, std::string_view name,
                               const ImportOptions& options) {
  RS_TRY(check(options));
  RS_ASSIGN(const TopoTable table, read_topo_table(text, name));
  return TopoImporter(table, name, options).import();
}

}  // namespace ringside::sim
