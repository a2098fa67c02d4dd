#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/engine.hpp"
#include "core/formats/trace_json.hpp"
#include "core/placement_table.hpp"
#include "viz/scenario/collective_options.hpp"

namespace ringside::terminal {

/// One algorithm in one placement, built and proven: what runs at every size.
struct Entrant {
  Plan plan;
  std::shared_ptr<const Schedule> schedule;
};

/// One algorithm; a placement that was not asked for or cannot be is absent.
struct Contender {
  std::optional<Entrant> out_of_place{}, in_place{};
  const Entrant& any() const { return out_of_place ? *out_of_place : *in_place; }
};

/// Which placements are asked for.
struct Asked {
  bool out_of_place = true, in_place = true;
};

/// The algorithms of a request (a name, or `all`) on spec.ranks ranks. One asked for by name must
/// be able to run in a placement that was asked for; of `all`, what cannot is left out and named
/// in `notes`.
Result<std::vector<Contender>> enter(const scenario::CollectiveRequest& request, Asked asked,
                                     const Backend& backend, std::vector<std::string>& notes);

/// How each row is measured.
struct Manner {
  int warmup = 1, iterations = 20;
  int checks = 1;  ///< with other data each time: exact, real, special in turn; 0: none
  std::size_t misaligned = 0;
  RunOptions run{};  ///< executor and timeout
};

/// One size of one type.
struct Amount {
  std::uint64_t count = 0;
  ElementType type = ElementType::float32;
  ReduceOp redop = ReduceOp::sum;
};
Work work_of(const Entrant& entrant, const Amount& amount);
/// One sentence if a file's chunks do not divide that amount, or there is no room for so many times
/// as much.
Result<void> check_amount(const Backend& backend, const Entrant& entrant, const Amount& amount,
                          std::uint64_t times);

/// Whether an executor, as it is asked for or as a row names it (`host/direct`), follows no
/// schedule.
bool is_unscheduled(const Backend& backend, std::string_view executor);

/// Checks, warms up, times: a row with the median of the iterations, their statistics, and how many
/// elements were wrong; `violation` is the first of them. Errors: a run that could not be.
struct Measured {
  Row row;
  std::vector<std::string> notes{};  ///< the backend's, on how the data went
};
Result<Measured> measure(Backend& backend, const Entrant& entrant, const Amount& amount,
                         const Manner& manner);

struct Recording {
  RecordedRun run;
  Duration clock_error{};  ///< how far apart the clocks of its ranks may be
};
/// One more run, which keeps a trace; by whichever executor does. The run's `share` is how the
/// window asks for it again.
Result<Recording> record(Backend& backend, const Entrant& entrant, const Amount& amount,
                         const Manner& manner);

}  // namespace ringside::terminal
