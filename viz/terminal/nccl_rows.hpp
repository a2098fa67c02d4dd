#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/report.hpp"
#include "sim/tuner.hpp"
#include "viz/scenario/collective_options.hpp"
#include "viz/scenario/system_options.hpp"

namespace ringside::terminal {

/// What of NCCL to predict: `auto` takes what is fastest, as NCCL means to; `all` shows each method
/// under each protocol; a name is one of NCCL's methods.
struct NcclChoice {
  std::string algorithm = "auto";
  std::optional<sim::Protocol> protocol;  ///< empty: the fastest, or each (`all`)
};

/// Rows as NCCL would show them on a machine, each with where its time goes. Errors: a machine that
/// NCCL does not run on, one with faults (no single link is in NCCL's times), a method that NCCL
/// has not.
class NcclRows {
 public:
  static Result<NcclRows> make(const scenario::CollectiveRequest& request,
                               const scenario::Machine& machine, const NcclChoice& choice);
  Result<std::vector<Row>> at(Bytes size) const;
  const sim::Platform& platform() const { return tuner_.platform(); }

 private:
  NcclRows(scenario::CollectiveRequest request, const scenario::Machine& machine, NcclChoice choice,
           sim::Tuner tuner);
  scenario::CollectiveRequest request_;
  const scenario::Machine* machine_;
  NcclChoice choice_;
  sim::Tuner tuner_;
};

/// `picked: tree LL, from 1 MiB nvls Simple`, of rows by size, one a size.
std::string picks(const std::vector<Row>& rows);
/// The shares of a row's time for people, one a line, each with `#` before it.
std::string shares_for_people(const Row& row);

}  // namespace ringside::terminal
