#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/report.hpp"
#include "core/result.hpp"
#include "core/schedule.hpp"
#include "core/trace.hpp"

namespace ringside {

/// One run as it happened, simulated or measured: all that is needed to watch it again.
struct RecordedRun {
  Row row;  ///< of it, `size`, `count` and `type` are needed; shares of time, paths and verdicts on
            ///< a comparison are not kept
  std::shared_ptr<const Schedule> schedule;
  std::vector<Span> spans;   ///< by TransferId
  bool is_measured = false;  ///< on a real machine
  std::string share;         ///< how to ask for the run again, as a share string; may be empty
};

/// A recorded run as text, in whole picoseconds: reading it back gives the same run.
///
///   {"ringside_trace": 1, "measured": false, "share": "ring?ranks=2",
///    "row": {"collective": "all_reduce", "algorithm": "ring", "options": {"chunks": 2,
///            "channels": 1}, "protocol": "none", "backend": "sim/flow", "ranks": 2, "bytes": 8,
///            "count": 2, "type": "float", "redop": "sum", "in_place": false, "time_ps": 2000320},
///    "spans": [[ready, begin, read, arrival, commit], ...],
///    "schedule": {"ringside_schedule": 1, ...}}
///
/// The schedule is as schedule_json.hpp says: its dependencies are derived anew, so that one that
/// was forgotten on purpose (Mutation::drop_dependency) is there again. Error: more text than
/// trace_from_json() reads.
Result<std::string> trace_to_json(const RecordedRun& run);

/// The run of such a text; its schedule is not yet proven. Holds afterwards: one span a transfer,
/// each in the order that Span promises; row and schedule agree; the count fits the schedule
/// (check_lengths) and 64-bit sizes. An error says where in the text, what was expected there and
/// what was found. `name` is what to call the text: its file's name.
Result<RecordedRun> trace_from_json(std::string_view text, std::string_view name);

}  // namespace ringside
