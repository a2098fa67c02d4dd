#pragma once

#include <optional>
#include <string>

#include "core/result.hpp"
#include "core/units.hpp"

namespace ringside {

/// Memory that this process could still take without driving the machine into swap or the kernel
/// into ending it: what Linux calls available, or what is left of the process's control group if
/// that is less. Empty where the system does not say.
std::optional<Bytes> available_memory();

/// One sentence (ErrorKind::machine) if `needed` is more than that. `what` needs it: `a count of
/// 8`.
Result<void> check_memory(Bytes needed, const std::string& what);

}  // namespace ringside
