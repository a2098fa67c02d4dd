#pragma once

#include <string>
#include <vector>

#include "core/result.hpp"
#include "core/units.hpp"
#include "viz/scenario/collective_options.hpp"
#include "viz/terminal/backends.hpp"
#include "viz/terminal/measuring.hpp"
#include "viz/terminal/output.hpp"

namespace ringside::terminal {

/// What `ringside run` can be told.
struct RunFlags {
  std::string backend = "host";
  BackendOptions backend_options;
  std::uint32_t ranks = 0;  ///< as many as the backend has, or 4
  scenario::CollectiveOptions collective;
  std::string step_bytes;  ///< empty: sizes grow by a factor
  bool out_of_place = false;
  Manner manner;
  std::string timeout = "60s";
  bool spread = false, native = false, graph = false;
  std::string compare;  ///< a backend whose own collective is measured too
  std::string predict, trace, min_busbw;
  OutputOptions output;

  void add_to(CLI::App& command);
  /// What several flags say together: the manner's timeout and executor.
  Result<void> read();
  /// From -b to -e, each -i more than the one before.
  Result<std::vector<Bytes>> stepped_sizes() const;
};

/// GB/s, as a plain number or with a unit: --min-busbw.
Result<double> parse_busbw(const std::string& text);
/// Ring where there is one, else the first that the collective has.
std::string usual_algorithm(const std::string& collective);

}  // namespace ringside::terminal
