#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sim/import.hpp"

namespace ringside::sim {

/// How near two devices of a `topo -m` table are; nearer first. NVLink hides what PCIe would say.
enum class Nearness : std::uint8_t {
  unknown,  ///< no cell says
  self,     ///< X
  nvlink,   ///< NV#
  pix,      ///< at most one PCIe bridge between
  pxb,      ///< several bridges, below one host bridge
  phb,      ///< one host bridge
  node,     ///< host bridges of one NUMA node
  sys,      ///< NUMA nodes apart; SOC in old tables
};

struct Cell {
  Nearness near = Nearness::unknown;
  std::uint32_t links = 0;  ///< NVLinks, where near is nvlink
  friend bool operator==(const Cell&, const Cell&) = default;
};

/// A `nvidia-smi topo -m` table as read: nothing inferred but the mirror of a cell.
struct TopoTable {
  struct Device {
    std::string name;  ///< as printed: `GPU3`, `mlx5_0`
    bool gpu = false;
    bool row = false;  ///< it has a row of its own, whole or cut short
    // Empty where the table does not say, or says N/A:
    std::string cpu_affinity{}, numa_affinity{}, gpu_numa_id{};
  };
  std::vector<Device> devices;  ///< in the order of the columns
  std::vector<Cell> cells;      ///< devices x devices
  bool old_legend = false;      ///< it says SOC, as drivers of the Kepler age did
  std::vector<std::string> notes;

  const Cell& at(std::size_t a, std::size_t b) const { return cells[a * devices.size() + b]; }
  Cell& at(std::size_t a, std::size_t b) { return cells[a * devices.size() + b]; }
};

/// True if some line looks like a row or a header of such a table.
bool looks_like_topo_table(std::string_view text);

/// Tolerates what pasting does to a table: ANSI codes, spaces for tabs, Markdown, indentation, lost
/// rows and cells. Error if there is no table, if it is one of `topo -p2p`, or on a word in a cell
/// that nvidia-smi does not print.
Result<TopoTable> read_topo_table(std::string_view text, std::string_view name);

/// Fills each cell from the opposite one. Where two NVLink counts differ, the one that gives its
/// GPUs as many links as most others have is taken, else the smaller; of other connections the
/// nearer. Notes say which. Error if a cell joins what is not two GPUs by NVLink.
Result<void> mirror_cells(TopoTable& table, std::string_view name);

/// Sentences on rows and cells of GPUs that even mirroring left unknown, and what was taken.
/// `nvswitch_of`: by device, the number of the NVSwitch it is joined to, or 0.
std::vector<std::string> gaps(const TopoTable& table, std::span<const std::uint32_t> nvswitch_of);

/// The machine such a table describes.
Result<Topology> import_topo_m(std::string_view text, std::string_view name,
                               const ImportOptions& options);

}  // namespace ringside::sim
