// NCCL's topology XML (NCCL_TOPO_DUMP_FILE, NCCL_TOPO_FILE):
//   system > cpu > pci (nested) > gpu > nvlink, xgmi, c2c;  pci or cpu > nic > net
// Files that clouds ship for NCCL_TOPO_FILE hold cpu and pci alone.

#include <algorithm>
#include <array>
#include <charconv>
#include <pugixml.hpp>

#include "sim/import/figures.hpp"
#include "sim/import/nccl_xml.hpp"

namespace ringside::sim {
namespace {

constexpr std::size_t most_text = 16u << 20;
constexpr std::size_t most_pcis = 4096;
constexpr std::size_t most_cpus = 256;
constexpr std::uint32_t most_depth = 64;
constexpr std::uint32_t most_links = 64;
constexpr std::size_t most_peers = 256;  // of one GPU
constexpr std::size_t most_ports = 4096;

std::string lower(std::string_view text) {
  std::string out(text);
  for (char& c : out)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return out;
}

/// Decimal or 0x hexadecimal, as NCCL reads numbers; nothing if it is neither, negative or too big.
std::optional<std::uint64_t> number(std::string_view text) {
  const int base = text.starts_with("0x") ? 16 : 10;
  if (base == 16) text.remove_prefix(2);
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::optional<std::uint32_t> small_number(std::string_view text) {
  const auto value = number(text);
  if (!value || *value > UINT32_MAX) return std::nullopt;
  return static_cast<std::uint32_t>(*value);
}

/// What of an attribute may stand in a message.
std::string shown(std::string_view text) {
  std::string out(text.substr(0, 32));
  for (char& c : out)
    if (c < ' ' || c > '~') c = '?';
  return out;
}

class TreeReader {
 public:
  explicit TreeReader(std::string_view name) : name_(name) {}

  Result<NcclTree> read(const pugi::xml_node& system) {
    for (const auto& child : system.children()) {
      if (std::string_view(child.name()) == "cpu") {
        RS_TRY(add_cpu(child));
        for (const auto& part : child.children()) RS_TRY(add_below_cpu(part));
      } else {
        RS_TRY(add_loose(child));
      }
    }
    if (!left_out_.empty()) tree_.notes.push_back("elements not understood, left out:" + left_out_);
    return std::move(tree_);
  }

 private:
  tl::unexpected<Error> wrong(const std::string& what) const {
    return bad_request(std::string(name_) + ": " + what);
  }

  void leave_out(const pugi::xml_node& node) {
    if (node.type() != pugi::node_element) return;
    const std::string tag = " <" + shown(node.name()) + ">";
    if (left_out_.find(tag) == std::string::npos && left_out_.size() < 100) left_out_ += tag;
  }

  Result<void> add_cpu(const pugi::xml_node& node) {
    if (tree_.cpus.size() == most_cpus)
      return wrong("more than " + std::to_string(most_cpus) + " <cpu>");
    NcclTree::Cpu cpu;
    cpu.numa = small_number(node.attribute("numaid").value());
    cpu.host = node.attribute("host_hash").value();
    cpu.arch = node.attribute("arch").value();
    cpu.vendor = node.attribute("vendor").value();
    cpu.family = small_number(node.attribute("familyid").value()).value_or(0);
    cpu.model = small_number(node.attribute("modelid").value()).value_or(0);
    tree_.cpus.push_back(std::move(cpu));
    return {};
  }

  Result<void> add_below_cpu(const pugi::xml_node& node) {
    const std::string_view tag = node.name();
    if (tag == "pci") return add_pci(node, NcclTree::none, 1);
    if (tag == "gpu") return add_gpu(node, NcclTree::none);
    if (tag != "nic") {
      leave_out(node);
      return {};
    }
    RS_ASSIGN(NcclTree::Nic nic, read_nic(node));
    tree_.cpus.back().nics.push_back(std::move(nic));
    return {};
  }

  /// <pci>, <gpu> or <nic> that no <cpu> holds.
  Result<void> add_loose(const pugi::xml_node& node) {
    const std::string_view tag = node.name();
    if (tag != "pci" && tag != "gpu" && tag != "nic") {
      leave_out(node);
      return {};
    }
    if (tree_.cpus.empty()) {
      tree_.cpus.emplace_back();
      tree_.notes.emplace_back("devices outside any <cpu> were given one");
    }
    return add_below_cpu(node);
  }

  Result<std::size_t> new_pci(std::size_t parent) {
    if (tree_.pcis.size() == most_pcis)
      return wrong("more than " + std::to_string(most_pcis) + " PCI devices");
    const std::size_t at = tree_.pcis.size();
    NcclTree::Pci pci;
    pci.cpu = tree_.cpus.size() - 1;
    pci.parent = parent;
    tree_.pcis.push_back(std::move(pci));
    auto& siblings =
        parent == NcclTree::none ? tree_.cpus.back().children : tree_.pcis[parent].children;
    siblings.push_back(at);
    return at;
  }

  Result<void> read_link(const pugi::xml_node& node, NcclTree::Pci& pci) {
    const std::string_view width_text = node.attribute("link_width").value();
    const auto width =
        width_text.empty() ? std::optional<std::uint32_t>(0) : small_number(width_text);
    if (!width || *width > 32)
      return wrong("link_width=\"" + shown(width_text) + "\" of <pci busid=\"" +
                   shown(node.attribute("busid").value()) + "\"> is not 0 to 32 lanes");
    const PcieGeneration speed = pcie_generation(node.attribute("link_speed").value());
    if (*width == 0 || !speed.known) ++tree_.open_links;
    pci.generation = speed.generation;
    if (*width != 0) pci.lanes = *width;
    return {};
  }

  Result<void> add_pci(const pugi::xml_node& node, std::size_t parent, std::uint32_t depth) {
    if (depth > most_depth)
      return wrong("<pci> nested more than " + std::to_string(most_depth) + " deep");
    RS_ASSIGN(const std::size_t at, new_pci(parent));
    RS_TRY(read_link(node, tree_.pcis[at]));
    tree_.pcis[at].busid = lower(node.attribute("busid").value());
    tree_.pcis[at].vendor = lower(node.attribute("vendor").value());
    tree_.pcis[at].kind = NcclTree::class_of(node.attribute("class").value());
    for (const auto& child : node.children()) {
      const std::string_view tag = child.name();
      if (tag == "pci") {
        RS_TRY(add_pci(child, at, depth + 1));
      } else if (tag == "gpu") {
        RS_TRY(add_gpu(child, at));
      } else if (tag == "nic") {
        RS_ASSIGN(tree_.pcis[at].nic, read_nic(child));
      } else {
        leave_out(child);
      }
    }
    return {};
  }

  /// A second <gpu> of one <pci> gets one of its own beside it.
  Result<void> add_gpu(const pugi::xml_node& node, std::size_t pci) {
    RS_ASSIGN(NcclTree::Gpu gpu, read_gpu(node));
    if (pci == NcclTree::none || tree_.pcis[pci].gpu) {
      const std::size_t parent = pci == NcclTree::none ? pci : tree_.pcis[pci].parent;
      RS_ASSIGN(const std::size_t at, new_pci(parent));
      if (pci == NcclTree::none) {
        ++tree_.open_links;
      } else {
        tree_.pcis[at].generation = tree_.pcis[pci].generation;
        tree_.pcis[at].lanes = tree_.pcis[pci].lanes;
      }
      pci = at;
    }
    tree_.pcis[pci].gpu = std::move(gpu);
    return {};
  }

  Result<NcclTree::Gpu> read_gpu(const pugi::xml_node& node) {
    NcclTree::Gpu gpu;
    gpu.dev = small_number(node.attribute("dev").value());
    gpu.rank = small_number(node.attribute("rank").value());
    gpu.sm = small_number(node.attribute("sm").value());
    gpu.gcn = node.attribute("gcn").value();
    for (const auto& child : node.children()) {
      const std::string_view tag = child.name();
      if (tag != "nvlink" && tag != "xgmi" && tag != "c2c") {
        leave_out(child);
        continue;
      }
      const std::string_view count_text = child.attribute("count").value();
      const auto count =
          count_text.empty() ? std::optional<std::uint32_t>(1) : small_number(count_text);
      if (!count || *count == 0 || *count > most_links)
        return wrong("count=\"" + shown(count_text) + "\" of <" + std::string(tag) +
                     "> is not 1 to " + std::to_string(most_links) + " links");
      if (tag == "c2c") {  // bw: MB/s of one link
        const auto each = small_number(child.attribute("bw").value());
        gpu.c2c = each && *each > 0 ? Bandwidth{std::uint64_t{1'000'000} * *each * *count}
                                    : c2c_figure().bandwidth;
        continue;
      }
      if (gpu.peers.size() == most_peers)
        return wrong("more than " + std::to_string(most_peers) + " <nvlink> of one GPU");
      gpu.peers.push_back({.target = lower(child.attribute("target").value()),
                           .count = *count,
                           .target_class = NcclTree::class_of(child.attribute("tclass").value()),
                           .xgmi = tag == "xgmi"});
    }
    return gpu;
  }

  Result<NcclTree::Nic> read_nic(const pugi::xml_node& node) {
    if (++nics_ > most_ports) return wrong("more than " + std::to_string(most_ports) + " <nic>");
    NcclTree::Nic nic;
    for (const auto& child : node.children("net"))
      nic.nets.push_back({.name = child.attribute("name").value(),
                          .megabits = small_number(child.attribute("speed").value()).value_or(0)});
    return nic;
  }

  std::string_view name_;
  NcclTree tree_;
  std::string left_out_;
  std::size_t nics_ = 0;
};

std::size_t line_at(std::string_view text, std::ptrdiff_t offset) {
  const auto end =
      text.begin() + std::min<std::ptrdiff_t>(std::max<std::ptrdiff_t>(offset, 0),
                                              static_cast<std::ptrdiff_t>(text.size()));
  return 1 + static_cast<std::size_t>(std::count(text.begin(), end, '\n'));
}

}  // namespace

NcclTree::Class NcclTree::class_of(std::string_view pci_class) {
  const auto code = number(pci_class);
  if (!code) return Class::unsaid;
  switch (*code >> 8) {
    case 0x0604:
      return Class::bridge;
    case 0x0300:
    case 0x0302:
    case 0x0380:  // AMD
    case 0x1200:  // AMD: processing accelerator
      return Class::gpu;
    case 0x0200:
    case 0x0207:
      return Class::nic;
    case 0x0680:
      return (*code & 0xFF) == 1 ? Class::cpu : Class::nvswitch;
    default:
      return Class::other;
  }
}

Result<NcclTree> read_nccl_tree(std::string_view text, std::string_view name) {
  const std::string file(name);
  if (text.size() > most_text)
    return bad_request(file + ": larger than any machine's topology XML (16 MiB)");
  pugi::xml_document document;
  const auto parsed = document.load_buffer(text.data(), text.size());
  if (!parsed)
    return bad_request(file + ":" + std::to_string(line_at(text, parsed.offset)) +
                       ": this XML is broken or cut off (" + parsed.description() + ")");
  if (const auto system = document.child("system")) return TreeReader(name).read(system);
  if (document.child("graphs"))
    return bad_request(file +
                       ": this is what NCCL chose (NCCL_GRAPH_DUMP_FILE), not the machine; give "
                       "what NCCL_TOPO_DUMP_FILE wrote");
  if (document.child("algo"))
    return bad_request(file +
                       ": this is an MSCCL algorithm, not a machine; `ringside schedule check` "
                       "reads it");
  return bad_request(file + ": the root of NCCL's topology XML is <system>, not <" +
                     shown(document.document_element().name()) + ">");
}

}  // namespace ringside::sim
