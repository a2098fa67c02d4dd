#pragma once

#include <string>
#include <string_view>

namespace ringside {

/// A reader of MSCCL XML as strict as the runtime's and the format's description together, and
/// independent of ours. The first rule that the text breaks; empty: none.
std::string judge_strictly(std::string_view text);

}  // namespace ringside
