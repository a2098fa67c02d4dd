#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "core/algorithm.hpp"
#include "core/formats/msccl_xml.hpp"
#include "core/schedule.hpp"

namespace ringside {

/// A proven schedule from a file: MSCCL XML, our own JSON or text.
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

/// The algorithm that tells the schedule of Options::stored again, for plans of that collective. It
/// predicts nothing, and refuses specs that are not the file's.
const Algorithm& retelling(CollectiveKind kind);

/// MSCCL runs an algorithm only where the vector divides into equal chunks. One sentence if these
/// `count` elements (as NCCL counts) do not; any do that a file of another format is given.
Result<void> check_divides(const ScheduleFile& file, std::uint64_t count, ElementType type);
/// The smallest size that divides.
Bytes least_size(const ScheduleFile& file, ElementType type);

}  // namespace ringside
