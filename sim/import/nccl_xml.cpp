// From NCCL's tree of PCI devices to a topology: which devices are GPUs and NICs, which bridges are
// worth a switch, what NVLink joins.

#include "sim/import/nccl_xml.hpp"

#include <algorithm>
#include <cctype>
#include <map>
#include <tuple>

#include "core/suggest.hpp"
#include "sim/import/machine.hpp"

namespace ringside::sim {
namespace {

using Class = NcclTree::Class;
using Indexes = std::vector<std::size_t>;

/// A NIC's name may hold what a link's name may not.
std::string plain(std::string_view text) {
  std::string out(text.substr(0, 32));
  for (char& c : out)
    if (std::isalnum(static_cast<unsigned char>(c)) == 0 && c != '_' && c != '-') c = '_';
  return out;
}

/// NVIDIA, AMD, or not said: a board's graphics chip for the console is no GPU of ours.
bool may_compute(const NcclTree::Pci& pci) {
  return pci.vendor.empty() || pci.vendor == "0x10de" || pci.vendor == "0x1002";
}

class NcclImporter {
 public:
  NcclImporter(NcclTree tree, std::string_view name, const ImportOptions& options)
      : tree_(std::move(tree)), name_(name), options_(options), machine_(name) {}

  Result<Topology> import() {
    for (const std::string& note : tree_.notes) machine_.assume(note);
    RS_TRY(choose_gpus());
    number_hosts();
    order_gpus();
    add_gpus();
    add_cpus();
    add_links_of_gpus();
    join_hosts();
    if (tree_.open_links > 0)
      machine_.assume(counted(tree_.open_links, "PCIe link") +
                      " of unsaid width or speed taken for 16 lanes or PCIe 3, as NCCL does");
    std::vector<DeviceId> ranks;
    for (const std::size_t gpu : gpus_) ranks.push_back(gpu_id_.at(gpu));
    return std::move(machine_).finish(ranks, options_);
  }

 private:
  const NcclTree::Pci& pci(std::size_t at) const { return tree_.pcis[at]; }
  std::uint32_t host_of(std::size_t at) const { return hosts_[pci(at).cpu]; }
  std::string prefix(std::uint32_t host) const {
    return host_count_ > 1 ? "node" + std::to_string(host) + "." : "";
  }

  Result<void> choose_gpus();
  void number_hosts();
  void order_gpus();
  Bandwidth memory_of(std::size_t gpu) const;
  void add_gpus();
  void add_cpus();
  void add_nics_without_pci(std::size_t cpu, DeviceId id);
  bool leads_somewhere(std::size_t at) const;
  /// Bridges between a device and what it is drawn to hang on.
  struct Passed {
    Bandwidth narrowest{UINT64_MAX};
    std::int64_t bridges = 0;
  };
  void place(std::size_t at, DeviceId parent, Passed above);
  void place_nic(const NcclTree::Nic* nic, DeviceId parent, std::uint32_t host, LinkFigure way);
  /// Links between two GPUs as either end has counted them.
  struct Told {
    std::uint32_t by_first = 0, by_second = 0;
  };
  void add_links_of_gpus();
  void add_peer(std::size_t gpu, const NcclTree::Peer& peer);
  std::uint32_t nvlink_generation(std::size_t gpu);
  void join_peers();
  void join_hosts();

  NcclTree tree_;
  std::string name_;
  ImportOptions options_;
  Machine machine_;
  Indexes gpus_;  // PCI devices, in rank order
  bool by_leaf_ = false;
  std::vector<std::uint32_t> hosts_;  // of the CPUs
  std::uint32_t host_count_ = 1;
  std::vector<bool> leads_;  // by PCI device: a GPU or NIC is at or below it
  std::map<std::size_t, DeviceId> gpu_id_;
  std::vector<DeviceId> cpu_id_;
  std::vector<std::pair<DeviceId, std::uint64_t>> nics_;  // and their megabits
  std::map<std::string, std::size_t> by_busid_;
  // NVLinks of each GPU to the switch of a host, and of two GPUs (or a GPU and a CPU) to each other
  std::map<std::pair<std::uint32_t, std::size_t>, std::uint32_t> to_switch_;
  std::map<std::tuple<std::size_t, std::size_t, bool>, Told> to_gpu_;
  std::uint32_t switches_ = 0, nic_number_ = 0, narrow_ = 0;
  bool meshed_ = false;  // one NVLink switch joins all hosts
};

/// <gpu> elements; else the PCI class; else, where no class is said, every leaf.
Result<void> NcclImporter::choose_gpus() {
  Indexes by_class, leaves;
  for (std::size_t i = 0; i < tree_.pcis.size(); ++i) {
    if (pci(i).gpu) gpus_.push_back(i);
    if (pci(i).kind == Class::gpu && may_compute(pci(i))) by_class.push_back(i);
    if (pci(i).kind == Class::unsaid && pci(i).children.empty() && !pci(i).nic) leaves.push_back(i);
  }
  if (gpus_.empty() && !by_class.empty()) {
    gpus_ = by_class;
    machine_.assume("no <gpu> in the file: " + counted(by_class.size(), "device") +
                    " of a GPU's PCI class taken, numbered by bus id");
  } else if (gpus_.empty() && !leaves.empty()) {
    gpus_ = leaves;
    by_leaf_ = true;
    machine_.assume("neither <gpu> nor PCI class in the file: all " +
                    counted(leaves.size(), "PCI device") +
                    " without devices below taken for GPUs, in the order of the file");
  }
  if (gpus_.empty())
    return bad_request(name_ +
                       ": no GPU in it: no <gpu>, no PCI device of class 0x0300 or 0x0302, and no "
                       "<pci> without a class");
  return {};
}

void NcclImporter::number_hosts() {
  std::map<std::string, std::uint32_t> numbers;
  for (const NcclTree::Cpu& cpu : tree_.cpus)
    hosts_.push_back(
        numbers.emplace(cpu.host, static_cast<std::uint32_t>(numbers.size())).first->second);
  host_count_ = std::max<std::uint32_t>(1, static_cast<std::uint32_t>(numbers.size()));
}

/// By rank where every GPU has its own; else by host and device number or bus id, as CUDA numbers.
void NcclImporter::order_gpus() {
  Indexes ranks;
  for (const std::size_t gpu : gpus_)
    if (pci(gpu).gpu && pci(gpu).gpu->rank) ranks.push_back(*pci(gpu).gpu->rank);
  std::sort(ranks.begin(), ranks.end());
  const bool by_rank =
      ranks.size() == gpus_.size() && std::adjacent_find(ranks.begin(), ranks.end()) == ranks.end();
  if (by_leaf_) return;
  std::sort(gpus_.begin(), gpus_.end(), [&](std::size_t a, std::size_t b) {
    const auto key = [&](std::size_t i) {
      const auto& gpu = pci(i).gpu;
      const std::uint32_t number = !gpu ? 0 : by_rank ? *gpu->rank : gpu->dev.value_or(0);
      return std::tuple(by_rank ? 0 : host_of(i), number, pci(i).busid, i);
    };
    return key(a) < key(b);
  });
}

Bandwidth NcclImporter::memory_of(std::size_t at) const {
  if (!pci(at).gpu)
    return options_.nvlink == 0 ? Bandwidth{} : memory_beside_nvlink(options_.nvlink);
  const NcclTree::Gpu& gpu = *pci(at).gpu;
  if (!gpu.gcn.empty()) return memory_of_gcn(gpu.gcn);
  const auto generation = gpu.sm ? nvlink_generation_of_sm(*gpu.sm) : std::nullopt;
  return generation ? memory_beside_nvlink(*generation) : Bandwidth{};
}

void NcclImporter::add_gpus() {
  std::map<std::uint32_t, std::uint32_t> next;
  for (const std::size_t gpu : gpus_) {
    const std::uint32_t host = host_of(gpu);
    gpu_id_[gpu] =
        machine_.add(DeviceKind::gpu, prefix(host) + "gpu" + std::to_string(next[host]++), host);
    machine_.set_memory(gpu_id_[gpu], memory_of(gpu));
    if (!pci(gpu).busid.empty()) by_busid_.emplace(pci(gpu).busid, gpu);
  }
}

bool NcclImporter::leads_somewhere(std::size_t at) const {
  return gpu_id_.count(at) > 0 || pci(at).nic || pci(at).kind == Class::nic;
}

void NcclImporter::add_cpus() {
  leads_.resize(tree_.pcis.size());
  for (std::size_t i = tree_.pcis.size(); i-- > 0;) {  // children follow their parents
    leads_[i] = leads_[i] || leads_somewhere(i);
    if (leads_[i] && pci(i).parent != NcclTree::none) leads_[pci(i).parent] = true;
  }
  std::uint32_t fastest = 3;
  for (const NcclTree::Pci& device : tree_.pcis) fastest = std::max(fastest, device.generation);
  std::map<std::uint32_t, std::vector<DeviceId>> sockets;
  std::map<std::uint32_t, std::size_t> first;
  for (std::size_t i = 0; i < tree_.cpus.size(); ++i) {
    const NcclTree::Cpu& cpu = tree_.cpus[i];
    const auto local = static_cast<std::uint32_t>(sockets[hosts_[i]].size());
    cpu_id_.push_back(machine_.add_cpu({.number = cpu.numa.value_or(local),
                                        .node = hosts_[i],
                                        .prefix = prefix(hosts_[i]),
                                        .pcie_generation = fastest}));
    sockets[hosts_[i]].push_back(cpu_id_.back());
    first.emplace(hosts_[i], i);
    for (const std::size_t top : cpu.children) place(top, cpu_id_.back(), {});
  }
  for (std::size_t i = 0; i < tree_.cpus.size(); ++i) add_nics_without_pci(i, cpu_id_[i]);
  for (const auto& [host, cpus] : sockets) {
    if (cpus.size() < 2) continue;
    const NcclTree::Cpu& cpu = tree_.cpus[first.at(host)];
    const SocketFigure figure = socket_figure({cpu.arch, cpu.vendor, cpu.family, cpu.model});
    machine_.join_sockets(cpus, figure.link);
    machine_.assume("every two <cpu> joined at " + to_string(figure.link.bandwidth) +
                    (figure.known_as.empty()
                         ? ", as NCCL does for a Skylake: the file names no CPU it knows"
                         : ", NCCL's figure for " + std::string(figure.known_as)));
  }
}

/// Virtual adapters count only where there are no real ones.
void NcclImporter::add_nics_without_pci(std::size_t cpu, DeviceId id) {
  const bool real = std::any_of(tree_.pcis.begin(), tree_.pcis.end(),
                                [](const auto& p) { return p.nic || p.kind == Class::nic; });
  for (const NcclTree::Nic& nic : tree_.cpus[cpu].nics) {
    const std::string label = nic.nets.empty() ? "" : " (" + plain(nic.nets[0].name) + ")";
    if (real) {
      machine_.assume("a <nic>" + label + " without PCI device was left out");
      continue;
    }
    LinkFigure way{pcie_bandwidth(3, 16), pcie_latency(PcieWay::device_to_cpu)};
    if (!nic.nets.empty() && nic.nets[0].megabits > 0)
      way.bandwidth = {nic.nets[0].megabits * 125'000};
    machine_.assume("a <nic>" + label + " without PCI device reaches its CPU at " +
                    to_string(way.bandwidth));
    place_nic(&nic, id, hosts_[cpu], way);
  }
}

void NcclImporter::place_nic(const NcclTree::Nic* nic, DeviceId parent, std::uint32_t host,
                             LinkFigure way) {
  std::string name = nic != nullptr && !nic->nets.empty() ? plain(nic->nets[0].name) : "";
  if (name.empty()) name = "nic" + std::to_string(nic_number_);
  ++nic_number_;
  std::uint64_t megabits = 0;
  if (nic != nullptr)
    for (const NcclTree::Net& net : nic->nets) megabits += net.megabits;
  const DeviceId id = machine_.add(DeviceKind::nic, prefix(host) + name, host);
  machine_.join(id, parent, LinkKind::pcie, way);
  nics_.emplace_back(id, megabits);
}

/// A bridge that only one device or bridge hangs on is passed over: `above` tells of those.
void NcclImporter::place(std::size_t at, DeviceId parent, Passed above) {
  if (!leads_[at]) return;
  const NcclTree::Pci& here = pci(at);
  const bool is_gpu = gpu_id_.count(at) > 0;
  const bool is_nic = !is_gpu && leads_somewhere(at);
  const bool on_cpu = parent == cpu_id_[here.cpu] && above.bridges == 0;
  const LinkFigure device_way{
      std::min(above.narrowest, pcie_bandwidth(here.generation, here.lanes)),
      pcie_latency(on_cpu ? PcieWay::device_to_cpu : PcieWay::device_to_switch) +
          above.bridges * pcie_latency(PcieWay::switch_upwards)};
  if (is_gpu) machine_.join(gpu_id_.at(at), parent, LinkKind::pcie, device_way);
  if (is_nic) place_nic(here.nic ? &*here.nic : nullptr, parent, host_of(at), device_way);
  Indexes below;
  for (const std::size_t child : here.children)
    if (leads_[child]) below.push_back(child);
  above = {device_way.bandwidth, above.bridges + 1};
  if (is_gpu || is_nic) {  // a device with devices below: they hang beside it
    for (const std::size_t child : below) place(child, parent, {});
  } else if (below.size() == 1) {
    place(below[0], parent, above);
  } else {
    const std::uint32_t host = host_of(at);
    const DeviceId bridge = machine_.add(DeviceKind::pcie_switch,
                                         prefix(host) + "pcie" + std::to_string(switches_++), host);
    const bool narrow = std::any_of(below.begin(), below.end(), [&](std::size_t child) {
      return pcie_bandwidth(pci(child).generation, pci(child).lanes) > above.narrowest;
    });
    if (narrow && narrow_++ == 0)
      machine_.assume("way up from " + machine_.name_of(bridge) + ", and perhaps others, at " +
                      to_string(above.narrowest) +
                      " as the file has it, narrower than what hangs below");
    machine_.join(parent, bridge, LinkKind::pcie,
                  {above.narrowest, above.bridges * pcie_latency(PcieWay::switch_upwards)});
    for (const std::size_t child : below) place(child, bridge, {});
  }
}

std::uint32_t NcclImporter::nvlink_generation(std::size_t gpu) {
  if (options_.nvlink != 0) return options_.nvlink;
  const auto& sm = pci(gpu).gpu->sm;
  if (const auto known = sm ? nvlink_generation_of_sm(*sm) : std::nullopt) return *known;
  machine_.assume(
      "the file does not say which NVLink its GPUs have: generation 3 taken "
      "(else --nvlink N)");
  return 3;
}

void NcclImporter::add_peer(std::size_t gpu, const NcclTree::Peer& peer) {
  const auto found = by_busid_.find(peer.target);
  const bool fabric = peer.target.starts_with("fffffff");  // a switch the machine cannot see
  const bool to_switch = fabric || peer.target_class == Class::nvswitch ||
                         peer.target_class == Class::bridge;  // as NCCL: what is no GPU, no CPU
  if (!peer.xgmi && to_switch) {
    meshed_ = meshed_ || fabric;
    to_switch_[{fabric ? 0 : host_of(gpu), gpu}] += peer.count;
  } else if (!peer.xgmi && peer.target_class == Class::cpu) {
    machine_.join(gpu_id_.at(gpu), cpu_id_[pci(gpu).cpu], LinkKind::nvlink,
                  nvlink_figure(nvlink_generation(gpu), peer.count));
  } else if (found == by_busid_.end()) {
    machine_.assume("NVLinks or xGMI links to devices that are not in the file were left out");
  } else if (found->second == gpu) {
    machine_.assume("NVLinks that join a GPU to itself were left out");
  } else {
    const auto [a, b] = std::minmax(gpu, found->second);
    auto& told = to_gpu_[{a, b, peer.xgmi}];
    (gpu == a ? told.by_first : told.by_second) += peer.count;
  }
}

void NcclImporter::join_peers() {
  for (const auto& [key, told] : to_gpu_) {
    const auto& [a, b, xgmi] = key;
    const std::uint32_t links = std::max(told.by_first, told.by_second);
    const LinkFigure figure =
        xgmi ? xgmi_figure(pci(a).gpu->gcn, links) : nvlink_figure(nvlink_generation(a), links);
    machine_.join(gpu_id_.at(a), gpu_id_.at(b), xgmi ? LinkKind::xgmi : LinkKind::nvlink, figure);
    machine_.assume(std::string(xgmi ? "xGMI" : "NVLink") + " reckoned at " +
                    to_string(xgmi ? xgmi_figure(pci(a).gpu->gcn, 1).bandwidth
                                   : nvlink_figure(nvlink_generation(a), 1).bandwidth) +
                    " a link: the file counts links only");
  }
}

void NcclImporter::add_links_of_gpus() {
  for (const std::size_t gpu : gpus_) {
    if (!pci(gpu).gpu) continue;
    for (const NcclTree::Peer& peer : pci(gpu).gpu->peers) add_peer(gpu, peer);
    if (const auto c2c = pci(gpu).gpu->c2c)
      machine_.join(gpu_id_.at(gpu), cpu_id_[pci(gpu).cpu], LinkKind::c2c,
                    {*c2c, c2c_figure().latency});
  }
  join_peers();
  std::map<std::uint32_t, DeviceId> nvswitches;
  for (const auto& [key, links] : to_switch_) {
    const auto& [host, gpu] = key;
    if (nvswitches.count(host) == 0)
      nvswitches[host] = machine_.add(DeviceKind::nvswitch, prefix(host) + "nvsw0", host);
    const std::uint32_t generation = nvlink_generation(gpu);
    machine_.tell_switch(nvswitches[host], generation);
    machine_.join(gpu_id_.at(gpu), nvswitches[host], LinkKind::nvlink,
                  nvlink_figure(generation, links, true));
    machine_.assume("NVLink reckoned at " + to_string(nvlink_figure(generation, 1).bandwidth) +
                    " a link: the file counts links only");
    machine_.assume("all NVSwitch chips drawn as one, as NCCL does");
  }
  if (!to_switch_.empty() || !to_gpu_.empty()) return;
  if (options_.nvlink == 0) {
    if (gpus_.size() > 1)
      machine_.assume(
          "the file names no NVLink between GPUs: they meet over PCIe (--nvlink N adds generation "
          "N)");
    return;
  }
  std::map<std::uint32_t, std::vector<DeviceId>> on_host;
  for (const std::size_t gpu : gpus_) on_host[host_of(gpu)].push_back(gpu_id_.at(gpu));
  for (const auto& [host, ids] : on_host) machine_.assume_nvlink(ids, options_.nvlink);
}

/// Hosts that no NVLink switch joins meet in one network switch.
void NcclImporter::join_hosts() {
  if (host_count_ < 2 || meshed_) return;
  const DeviceId network = machine_.add(DeviceKind::network_switch, "net0");
  for (const auto& [nic, megabits] : nics_)
    machine_.join(nic, network, LinkKind::ib,
                  {{(megabits == 0 ? 100'000 : megabits) * 125'000}, microseconds(1)});
  machine_.assume("hosts joined by one network switch at the speed of their NICs, 1 us a hop");
}

}  // namespace

Result<Topology> import_nccl_xml(std::string_view text, std::string_view name,
                                 const ImportOptions& options) {
  RS_TRY(check(options));
  RS_ASSIGN(NcclTree tree, read_nccl_tree(text, name));
  return NcclImporter(std::move(tree), name, options).import();
}

}  // namespace ringside::sim
