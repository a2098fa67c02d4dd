#include "viz/scenario/recordings.hpp"

#include <vector>

#include "core/file.hpp"
#include "core/suggest.hpp"

namespace ringside::scenario {

Result<std::string> read_log_text(const std::string& file) {
  constexpr std::string_view prefix = "recorded:";
  if (!file.starts_with(prefix)) return read_file(file, 64_MiB);
  const std::string_view wanted = std::string_view(file).substr(prefix.size());
  std::vector<std::string_view> known;
  for (const Recording& recording : recordings()) {
    if (recording.name == wanted) return std::string(recording.json);
    known.push_back(recording.name);
  }
  return bad_request(unknown("recording", wanted, known));
}

}  // namespace ringside::scenario
