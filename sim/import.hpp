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

/// One machine from a text of any of three formats, told apart by its first words: NCCL's topology
/// XML (NCCL_TOPO_DUMP_FILE, NCCL_TOPO_FILE), `nvidia-smi topo -m`, and our own TOML
/// (sim/system_toml.hpp). `name` (of the file) only serves messages. Its topology passes check();
/// in the first two every GPU reaches every other. Never guesses silently: see Topology::assumed.
/// Errors: none of the three (it names them), or options that do not fit (`nvlink` for a TOML).
Result<System> import_system(std::string_view text, std::string_view name,
                             const ImportOptions& options = {});

}  // namespace ringside::sim
