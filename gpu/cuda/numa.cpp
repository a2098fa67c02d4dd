#include "gpu/cuda/numa.hpp"

#include <linux/mempolicy.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <fstream>

namespace ringside::cuda {
namespace {

constexpr std::size_t most_nodes = 1024, word_bits = 8 * sizeof(unsigned long);
using Nodes = std::array<unsigned long, most_nodes / word_bits>;

// set_mempolicy(2), without libnuma. The kernel reads one bit less than it is told.
bool set_policy(int mode, const Nodes& nodes) {
  return syscall(SYS_set_mempolicy, mode, nodes.data(), most_nodes + 1) == 0;
}

}  // namespace

struct NearNode::Policy {
  int mode = MPOL_DEFAULT;
  Nodes nodes{};
};

int numa_node(std::string_view pci, const std::string& sysfs) {
  std::string address(pci);
  std::ranges::transform(address, address.begin(),
                         [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  std::ifstream file(sysfs + "/bus/pci/devices/" + address + "/numa_node");
  int node = -1;
  return file >> node && node < static_cast<int>(most_nodes) ? node : -1;
}

NearNode::NearNode(int node) {
  if (node < 0) return;
  auto before = std::make_unique<Policy>();
  if (syscall(SYS_get_mempolicy, &before->mode, before->nodes.data(), most_nodes + 1, nullptr, 0) !=
      0)
    return;
  Nodes wanted{};
  const auto bit = static_cast<std::size_t>(node);
  wanted[bit / word_bits] = 1ul << bit % word_bits;
  if (set_policy(MPOL_PREFERRED, wanted)) before_ = std::move(before);
}

NearNode::~NearNode() {
  if (before_) static_cast<void>(set_policy(before_->mode, before_->nodes));
}

std::string refusal(std::span<const int> nodes) {
  const auto is_refused = [](int node) { return node >= 0 && !NearNode(node).holds(); };
  const auto refused = std::ranges::find_if(nodes, is_refused);
  if (refused == nodes.end()) return {};
  return "staged memory may lie far from its device: the kernel does not let it be asked from NUMA "
         "node " +
         std::to_string(*refused) + ", as in containers that forbid memory policies";
}

}  // namespace ringside::cuda
