#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "core/formats/msccl_xml.hpp"
#include "core/schedule.hpp"

namespace ringside {

/// A proven schedule from a file, MSCCL XML or our own JSON.
struct ScheduleFile {
  std::string file;  ///< what it was called
  std::string name;  ///< of the algorithm; the file's, where it states none
  Schedule schedule;
  std::optional<MscclAlgorithm> msccl{};  ///< what it was, its spec as asked for
};

/// `in_place` chooses where an XML file allows both (unset: out of place if it can). Errors: what
/// is neither format; a call style that the file is not for; (ErrorKind::wrong) the first thing
/// wrong with it; a custom algorithm, which nothing can be proven of.
Result<ScheduleFile> schedule_from_text(std::string_view text, std::string_view file,
                                        std::optional<bool> in_place = {});

}  // namespace ringside
