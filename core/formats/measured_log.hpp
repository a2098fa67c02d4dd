#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/report.hpp"
#include "core/result.hpp"

namespace ringside {

/// Where a log was measured, in its own words; 0 or empty where it does not say.
struct MeasuredOn {
  std::uint32_t ranks = 0, nodes = 0;
  std::uint32_t gpus_per_process = 0;  ///< that one process drives
  std::string hardware{};              ///< `NVIDIA H200`, `A100-SXM4-40GB`
  std::string interconnect{};          ///< `NVSwitch3 + 8x NDR 400 Gb/s InfiniBand`
  std::string version{};               ///< of the library: `2.26.2`
  std::string date{};                  ///< `2026-12-01`
  std::string remarks{};               ///< what people wrote beside it
};

struct MeasuredLog {
  std::vector<Row> rows{};  ///< in the order of the text
  MeasuredOn on{};
  std::vector<std::string> notes{};  ///< what was skipped or taken for granted, a sentence each
};

/// What the reader knows better than the log.
struct LogOptions {
  std::optional<CollectiveKind> collective{};
  std::uint32_t ranks = 0;  ///< 0: as the log says
};

/// The measured rows of a text, which is one of:
/// - output of nccl-tests or rccl-tests of any version, or of `ringside run`: whole, pasted into
///   Markdown, tagged by mpirun or srun, mixed with other output, with rows cut or left out;
/// - what nccl-tests writes with -J;
/// - JSON of Ringside (`run --json`);
/// - a published table as JSON: {"hardware", "nodes", "total_gpus", "interconnect", "collective",
///   "dtype", "redop", "rows": [{"bytes", "time_us", "in_place"}]}. Where its "notes" say that rows
///   in place ran an MSCCL algorithm, they are of that algorithm ("xml", or the file in the notes).
/// Holds afterwards: at least one row; every row has a size and a time above zero; all notes are
/// single sentences. A row's `algorithm` and `protocol` are empty where the text names none, its
/// `ranks` is 0 where neither the text nor its figures say. Nothing is skipped without a note.
/// Errors name the text (`name`) and what is missing. Safe on hostile text.
Result<MeasuredLog> read_measured(std::string_view text, std::string_view name,
                                  const LogOptions& options = {});

/// Whether it ran the algorithm it names, ours or one given to a library. What a library chose by
/// itself names none, or a protocol with it.
bool ran_by_name(const Row& row);

/// By row: whether something else than the collective shows in its time, such as what NCCL sets up
/// at the first use. A row stands out if it took more than one and a half times as long as each of
/// the next two larger sizes of its placement; or more than twice as long as the sizes beside it
/// let expect, and as the other placement: of the smallest size, longer than the next one.
std::vector<bool> outliers(const std::vector<Row>& rows);

}  // namespace ringside
