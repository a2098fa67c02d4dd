#pragma once

#include <optional>
#include <string>
#include <vector>

#include "viz/scenario/contest.hpp"
#include "viz/terminal/block_times.hpp"

namespace ringside::terminal {

/// What a schedule in a file takes on a machine, for rows that ran it: an MSCCL program as its
/// thread blocks run, another schedule by the links alone.
class FileTimes {
 public:
  /// `protocol` instead of the program's own; empty: that. Errors: the file, the machine, or both
  /// together make no sense.
  static Result<FileTimes> of(const std::string& file, scenario::SystemOptions system,
                              const std::string& protocol);
  /// Nothing where the file cannot have run: another collective or number of ranks, a size that
  /// does not divide into its chunks, one at which it hangs. Else the row gets what it ran.
  std::optional<Duration> at(Row& row);
  /// What was left out, and why.
  std::vector<std::string> notes() const;

 private:
  FileTimes(scenario::CollectiveRequest request, scenario::Contest contest)
      : request_(std::move(request)), contest_(std::move(contest)) {}

  scenario::CollectiveRequest request_;
  scenario::Contest contest_;
  std::optional<BlockTimes> blocks_{};
  std::size_t others_ = 0;   ///< rows of other collectives or ranks
  std::string undivided_{};  ///< why some sizes were left out
  std::size_t refused_ = 0;  ///< how many
};

}  // namespace ringside::terminal
