#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace ringside::sim {

/// Where `text` first is no well-formed UTF-8 (RFC 3629: shortest forms, no surrogates); its size
/// if it is all well.
std::size_t first_not_utf8(std::string_view text);

/// Appends one code point; false, and nothing appended, if it is no Unicode scalar value.
bool append_utf8(std::uint32_t code, std::string& text);

}  // namespace ringside::sim
