#pragma once

#include <optional>
#include <string>

#include "core/formats/measured_log.hpp"
#include "core/result.hpp"
#include "viz/scenario/residual.hpp"
#include "viz/scenario/view_options.hpp"
#include "viz/stage/curves.hpp"

namespace ringside::stage {

/// A log (core/formats/measured_log.hpp), to be drawn beside the curves of its collective.
struct Measured {
  CollectiveKind collective{};  ///< the first it has, and of that alone:
  std::uint32_t ranks = 0;
  Curve out_of_place{}, in_place{};  ///< what was measured, by size
  Curve predicted{};  ///< what NCCL should have shown; empty where its machine is not known
  Curve fitted{};     ///< the line through it all, at its sizes; empty where there is none
  std::optional<scenario::LogFit> fit{};
  scenario::Limits limits{};
  /// Of each point, beside the prediction, or the line where there is none; empty where neither is.
  std::vector<scenario::Residual> residuals{}, residuals_in_place{};
  std::string algorithm{};  ///< that its rows say they ran; empty: the library chose
  std::string machine{};    ///< a preset like it; empty: none
  std::uint32_t nodes = 1;
  std::string sentence{};  ///< what it was taken for, or why for nothing
  std::string origin{};    ///< the machine and the date, where the log has them; else its file
};

/// `file` may be `recorded:NAME` (viz/scenario/recordings.hpp). `said`: what flags say of the
/// machine that it ran on, with an empty system where they leave that to the log; none: all is up
/// to the log's words. Errors: the file cannot be read, or is no log; what is said makes no machine
/// that NCCL could have run these ranks on.
Result<Measured> read_log(const std::string& file, const LogOptions& options = {},
                          const std::optional<scenario::SystemOptions>& said = {});

/// Makes the scenario one that the log could be of: its collective, machine and ranks (a bare shape
/// whose links are as the line through it, where its machine is not known), except where `given`
/// flags say something else.
void adapt(scenario::Scenario& scenario, const Measured& measured,
           const std::vector<std::pair<std::string, std::string>>& given);

}  // namespace ringside::stage
