#pragma once

#include <string>
#include <string_view>

#include "sim/systems.hpp"

namespace ringside::sim {

/// Reads one machine written in TOML (the format: docs/systems.md). Strict: an unknown key, a
/// missing number, a device that does not exist are errors of one sentence that starts
/// `file:line: `; `file` is only for these. Safe on hostile text: at most 8 MiB, 2^16 devices,
/// 2^20 links.
Result<System> read_system(std::string_view text, std::string_view file);

/// The same, every device and link spelled out: read_system gives back an equal system.
std::string write_system(const System& system);

}  // namespace ringside::sim
