#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/formats/msccl_xml.hpp"
#include "core/result.hpp"

namespace ringside {

/// What `schedule check FILE` says about one file.
struct CheckReport {
  std::string file, format;            ///< `MSCCL XML`, `schedule JSON` or `schedule text`
  std::optional<MscclHeader> msccl{};  ///< what MSCCL XML says of itself
  CollectiveSpec spec;
  std::uint32_t chunks = 0;
  std::uint64_t operations = 0;  ///< transfers or instructions
  /// Programs only, where one ends: the fewest messages a connection must be able to hold.
  std::optional<std::uint32_t> needed_fifo{};
  std::uint32_t fifo = 0;            ///< programs only: how many one was taken to hold
  std::vector<std::string> notes{};  ///< odd, but not wrong
  struct Finding {
    std::string kind;                 ///< `missing`, `race`, `deadlock`, `undefined`, ...
    std::string what;                 ///< one sentence
    std::optional<Position> at = {};  ///< programs only: gpu, tb, step
  };
  std::vector<Finding> findings{};  ///< empty = proven right
};

/// Reads MSCCL XML, schedule JSON or a schedule as people write it (schedule_text.hpp), whichever
/// `text` is, and proves it. An error if it is none of these or cannot be read; a wrong algorithm
/// is no error but has findings. `file` is what to call it;
/// `fifo`, how many messages a connection holds (0: as the file's protocol has it; MSCCL only).
Result<CheckReport> check_schedule_text(std::string_view text, std::string_view file,
                                        std::uint32_t fifo = 0);

/// Which of the three a text is, by its first character.
enum class ScheduleFormat : std::uint8_t { msccl_xml, json, text };
ScheduleFormat format_of(std::string_view text);
/// A schedule of the latter two, not yet proven.
Result<Schedule> stored_schedule(std::string_view text, std::string_view file);

/// A few lines for people, the verdict last.
std::string to_string(const CheckReport& report);

}  // namespace ringside
