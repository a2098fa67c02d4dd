#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace ringside::cuda {

/// The NUMA node that a device with this PCI address (`0000:1b:00.0`) hangs on, as Linux tells it
/// below `sysfs`. Negative: there is one node only, or the machine does not say.
int numa_node(std::string_view pci, const std::string& sysfs = "/sys");

/// One sentence if memory cannot be asked from one of these nodes; else empty.
std::string refusal(std::span<const int> nodes);

/// While it lives, what this thread makes the kernel allocate comes from that node, if there is
/// room and the kernel lets us: containers may forbid it. A negative node changes nothing.
class NearNode {
 public:
  explicit NearNode(int node);
  NearNode(const NearNode&) = delete;
  NearNode& operator=(const NearNode&) = delete;
  ~NearNode();
  bool holds() const { return before_ != nullptr; }

 private:
  struct Policy;
  std::unique_ptr<Policy> before_;  // null: nothing was changed
};

}  // namespace ringside::cuda
