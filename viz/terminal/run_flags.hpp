#pragma once

#include <functional>
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
  std::string root = "0";          ///< a rank, or `all` in turn
  bool largest_is_open = false;    ///< nobody named it: as large as there is memory for
  bool algorithm_is_open = false;  ///< nobody named it
  std::string step_bytes;          ///< empty: sizes grow by a factor
  bool out_of_place = false;
  Manner manner;
  std::string timeout = "60s";
  bool spread = false, native = false, graph = false;
  std::string compare;  ///< a backend whose own collective is measured too
  std::string predict, trace, min_busbw;
  OutputOptions output;

  void add_to(CLI::App& command);
  /// What several flags say together: the manner's timeout and executor, the root, and
  /// what a schedule's file says.
  Result<void> read();
  /// One sentence if the executor that was asked for follows no schedule and other flags speak of
  /// one.
  Result<void> check_executor(const Backend& chosen) const;
  /// Whose own collective is measured beside ours: no library's twice. One sentence if who is named
  /// has none.
  Result<void> choose_yardstick(const Backend& chosen);
  /// What running a row again takes besides what it says itself.
  std::vector<Condition> conditions() const;
  bool has_all_roots() const { return root == "all"; }
  /// From -b to -e, each -i more than the one before.
  Result<std::vector<Bytes>> stepped_sizes() const;
};

/// The largest of `from`, half of it, a quarter, ... but not below `least` that fits; else why
/// `least` does not.
Result<Bytes> largest_that_fits(Bytes from, Bytes least,
                                const std::function<Result<void>(Bytes)>& fits);
/// Ring where there is one, else the first that the collective has.
std::string usual_algorithm(const std::string& collective);

}  // namespace ringside::terminal
