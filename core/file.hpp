#pragma once

#include <string>
#include <string_view>

#include "core/result.hpp"
#include "core/units.hpp"

namespace ringside {

/// The whole of a file, or of standard input for `-`. Refuses what is larger than `limit`,
/// directories, and what cannot be read, saying why.
Result<std::string> read_file(const std::string& path, Bytes limit = Bytes{256u << 20});

/// Writes to a temporary file beside `path`, then renames it: nothing half-written is ever seen.
/// What is no regular file (`/dev/null`, a pipe) is written to as it is.
Result<void> write_file(const std::string& path, std::string_view text);

}  // namespace ringside
