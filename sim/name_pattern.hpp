#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.hpp"

namespace ringside::sim {

/// Letters, digits, `_`, `-` and single inner dots, 64 at most.
bool is_device_name(std::string_view text);

/// The names that `gpu0..7` stands for: gpu0, gpu1, ... gpu7; any other text is one name. Error if
/// they are no device names, run backwards, or are more than `most`.
Result<std::vector<std::string>> expand_names(std::string_view pattern, std::uint32_t most);

}  // namespace ringside::sim
