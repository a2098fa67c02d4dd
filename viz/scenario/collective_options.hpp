#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/engine.hpp"
#include "core/units.hpp"

namespace CLI {
class App;
}

namespace ringside::scenario {

/// Which collective, how, and on how much: the flags that nccl-tests has, and our own, as text
/// until read.
struct CollectiveOptions {
  std::string collective = "all_reduce";
  std::string algorithm = "ring";
  std::string type = "float", redop = "sum";
  std::uint32_t root = 0;
  bool in_place = false;
  std::string schedule;        ///< a file, instead of collective and algorithm; empty: none
  Options options;             ///< what the user fixed of the algorithm's options
  bool least_is_open = false;  ///< nobody named the smallest size
  std::string min_bytes = "8", max_bytes = "1G", step_factor = "2", bytes;

  /// `--collective --algorithm --root --in-place --chunks --channels ...`; `--dims` comes with the
  /// system, and `--root` with who takes several.
  void add_to(CLI::App& command, bool with_root = true);
  /// `-b -e -f`: a range of sizes.
  void add_sizes_to(CLI::App& command);
  /// `--bytes`: one size.
  void add_size_to(CLI::App& command, const std::string& fallback);
};

/// The same, read and checked as far as it goes without a system.
struct CollectiveRequest {
  CollectiveSpec spec;  ///< `ranks` still to be set
  std::string algorithm;
  ElementType type;
  ReduceOp redop;
  Options options;
};

Result<CollectiveRequest> read(const CollectiveOptions& options);
/// What the request asks for: an algorithm by name, or the one that retells its file.
Result<const Algorithm*> algorithm_of(const CollectiveRequest& request);
/// Says in the options what their file says: the collective, its name, and where sizes begin if
/// nobody said so. Returns how many ranks it is for; 0: there is no file.
Result<std::uint32_t> follow_file(CollectiveOptions& options);
/// From `-b` to `-e`, each `-f` times the one before.
Result<std::vector<Bytes>> read_sizes(const CollectiveOptions& options);
/// Sizes that come to the same number of elements are one row; a barrier has just one. `sizes`
/// ascends.
void keep_distinct(std::vector<Bytes>& sizes, const CollectiveSpec& spec, ElementType type);
/// `4x8` -> {4, 8}.
Result<std::vector<std::uint32_t>> parse_dims(const std::string& text);

}  // namespace ringside::scenario
