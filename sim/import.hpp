#pragma once

#include <cstdint>
#include <string_view>

#include "core/result.hpp"
#include "sim/systems.hpp"

namespace ringside::sim {

/// What the reader may add to what a text says. Whatever is added is told in Topology::assumed.
struct ImportOptions {
  /// NVLink generation, 1 to 6; 0 = not said. Adds NVLink where the text names none, and settles
  /// the generation where the text leaves it open (`NV18` is an H100 as well as a B200).
  std::uint32_t nvlink = 0;
  /// False: GPUs cannot reach each other over PCIe (GeForce, some clouds); host memory is between.
  bool peer_to_peer = true;
};

enum class TopologyFormat : std::uint8_t {
  nccl_xml,  ///< NCCL_TOPO_DUMP_FILE, NCCL_TOPO_FILE
  topo_m,    ///< `nvidia-smi topo -m`
  toml,      ///< our own, sim/system_toml.hpp
};

/// Told by the first characters and words; an error that names the three where it is none of them.
/// `name` (of the file) only serves messages.
Result<TopologyFormat> detect_topology_format(std::string_view text, std::string_view name);

/// One machine's wiring from any text of the three formats. The result passes check(), and every
/// GPU reaches every other. Never guesses silently: see Topology::assumed.
Result<Topology> import_topology(std::string_view text, std::string_view name,
                                 const ImportOptions& options = {});

}  // namespace ringside::sim
