#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/import.hpp"

namespace ringside::sim {

/// NCCL's topology XML as plain data, in the order of the file. Nothing is inferred but the width
/// and speed of PCIe links that the file leaves open, which NCCL fills in the same way.
struct NcclTree {
  static constexpr std::size_t none = SIZE_MAX;

  enum class Class : std::uint8_t { unsaid, bridge, gpu, nic, nvswitch, cpu, other };
  static Class class_of(std::string_view pci_class);  ///< `0x030200`

  /// <nvlink> and <xgmi>: `count` links of a GPU to a PCI device.
  struct Peer {
    std::string target;  ///< a bus id
    std::uint32_t count = 1;
    Class target_class = Class::unsaid;
    bool xgmi = false;
  };
  /// <gpu>
  struct Gpu {
    std::optional<std::uint32_t> dev, rank, sm;
    std::string gcn;  ///< AMD only
    std::vector<Peer> peers;
    std::optional<Bandwidth> c2c;  ///< to its CPU, beside PCIe
  };
  /// <net>: one port.
  struct Net {
    std::string name;
    std::uint64_t megabits = 0;  ///< 0 = not said
  };
  /// <nic>: the ports of one adapter.
  struct Nic {
    std::vector<Net> nets;
  };
  /// <pci>; a <gpu> without one counts as one whose link is left open.
  struct Pci {
    std::string busid, vendor;
    Class kind = Class::unsaid;
    std::uint32_t generation = 3, lanes = 16;  ///< of its link upwards
    std::size_t cpu = 0, parent = none;
    std::vector<std::size_t> children;
    std::optional<Gpu> gpu;
    std::optional<Nic> nic;
  };
  struct Cpu {
    std::optional<std::uint32_t> numa;
    std::string host;  ///< tells machines apart in the dump of a multi-node NVLink domain
    std::string arch, vendor;
    std::uint32_t family = 0, model = 0;
    std::vector<std::size_t> children;  ///< top <pci>s
    std::vector<Nic> nics;              ///< adapters without a <pci>
  };

  std::vector<Cpu> cpus;
  std::vector<Pci> pcis;
  std::size_t open_links = 0;  ///< PCIe links whose speed or width was not said
  std::vector<std::string> notes;
};

/// Error, one sentence, if this is no such file, is cut off, or is larger than any machine.
Result<NcclTree> read_nccl_tree(std::string_view text, std::string_view name);

/// The machine such a file describes.
Result<Topology> import_nccl_xml(std::string_view text, std::string_view name,
                                 const ImportOptions& options);

}  // namespace ringside::sim
