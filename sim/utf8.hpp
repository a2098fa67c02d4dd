#pragma once

#include <cstddef>
#include <string_view>

namespace ringside::sim {

/// Where `text` first is no well-formed UTF-8 (RFC 3629: shortest forms, no surrogates); its size
/// if it is all well.
std::size_t first_not_utf8(std::string_view text);

}  // namespace ringside::sim
